from __future__ import annotations

import pytest

from testmark.source.encoding import encode
from testmark.source.python import read_source


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("a.py", "name = 'Käse'\n".encode()),
        ("a.py", "# -*- coding: latin-1 -*-\nname = 'Käse'\r\n".encode("latin-1")),
        ("a.py", "#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nname = '€'\n".encode("cp1252")),
    ],
)
def test_a_python_file_keeps_its_bytes_through_reading_and_writing(tmp_path, path: str, data: bytes) -> None:
    (tmp_path / path).write_bytes(data)
    assert encode(path, read_source(tmp_path / path)) == data


def test_other_files_are_utf_8_whatever_they_say() -> None:
    assert encode("a.txt", "# coding: latin-1\nä") == "# coding: latin-1\nä".encode()


def test_what_cannot_be_written_in_its_encoding_stays_utf_8() -> None:
    text = "# coding: latin-1\nname = '€'\n"
    assert encode("a.py", text) == text.encode()
    assert encode("a.py", "# coding: nonsense\nx = 1\n") == b"# coding: nonsense\nx = 1\n"


def test_bytes_that_are_no_text_come_back_as_they_were() -> None:
    assert encode("a.py", b"x = '\xe9'\n".decode("utf-8", "surrogateescape")) == b"x = '\xe9'\n"
