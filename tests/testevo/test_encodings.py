"""Which files can be rewritten as text without changing their characters."""

from __future__ import annotations

import pytest

from testmark.testevo.encodings import not_utf_8
from tests.testevo.test_placing import MODULE

LATIN_1 = MODULE.model_copy(update={"compiler": ("-g", "-encoding", "ISO-8859-1")})


@pytest.mark.parametrize("compiler", [(), ("-encoding", "UTF-8"), ("-encoding", "utf8", "-g")])
def test_utf_8_is_what_is_taken_for_granted(compiler: tuple[str, ...]) -> None:
    assert not_utf_8('String s = "grün";', MODULE.model_copy(update={"compiler": compiler})) == ""


def test_ascii_is_the_same_everywhere() -> None:
    assert not_utf_8('String s = "green";', LATIN_1) == ""


def test_other_letters_are_read_as_something_else() -> None:
    assert "ISO-8859-1" in not_utf_8('String s = "grün";', LATIN_1)


@pytest.mark.parametrize("errors", ["replace", "surrogateescape"])
def test_bytes_that_are_no_utf_8(errors: str) -> None:
    text = 'String s = "grün";'.encode("iso-8859-1").decode("utf-8", errors)
    assert not_utf_8(text, MODULE) == "its bytes are not UTF-8"
