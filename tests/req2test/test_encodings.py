"""Files that are not plain UTF-8: views keep every byte that they do not hide, and one bad file stops nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from testmark.records.base import FileText
from testmark.records.kit import View
from testmark.req2test.bench import Bench
from testmark.req2test.mutation import mutate_project
from testmark.req2test.production import Production
from testmark.req2test.workspace import write_workspace
from testmark.source.python import hide_bodies, read_source
from tests.reports.synthetic import MANIFEST

TEXT = "NAME = 'Größe'\n\n\ndef size(self):\n    return 'Länge'\n\n\ndef other():\n    return 'é'\n"


class Digests:
    """A worker that only tells mutants apart."""

    def digests(self, texts: list[tuple[str, str]]) -> list[str]:
        return [str(hash(text)) for _, text in texts]

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("head", "encoding", "mark"),
    [
        ("# -*- coding: latin-1 -*-\n", "latin-1", b""),
        ("#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\n", "cp1252", b""),
        ("", "utf-8", b""),
        ("", "utf-8", b"\xef\xbb\xbf"),
        ("# coding: utf-8\r\n", "utf-8", b"\xef\xbb\xbf"),
    ],
)
def test_a_view_keeps_the_bytes_that_it_does_not_hide(tmp_path: Path, head: str, encoding: str, mark: bytes) -> None:
    project, path = tmp_path / "kit/project", "src/shop.py"
    (project / "src").mkdir(parents=True)
    (project / path).write_bytes(mark + (head + TEXT).encode(encoding))
    (hidden, _) = Production(project, ["src"], ["src"]).declarations(path)
    text = hide_bodies(read_source(project / path), [hidden])
    view = View(instance_id="i", removed=(), files=(FileText(path=path, content=text),), prompt="")
    write_workspace(Bench(tmp_path, MANIFEST), view, tmp_path / "work")
    shown = (tmp_path / "work" / path).read_bytes()
    assert shown == mark + (head + TEXT.replace("return 'Länge'", "raise NotImplementedError")).encode(encoding)


def test_a_production_file_that_cannot_be_read_is_named_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/good.py").write_text("def double(x):\n    return x + x\n")
    (tmp_path / "src/bytes.py").write_bytes(b"NAME = '\xff'\n")
    (tmp_path / "src/old.py").write_text("def f(:\n    pass\n")
    production = Production(tmp_path, ["src"], ["src"])
    found = mutate_project(
        production, stage=tmp_path / "stage", interpreter="3", open_worker=Digests, jobs=1, quiet=True
    )  # fmt: skip
    assert found["src/good.py"].kept
    for path in ("src/bytes.py", "src/old.py"):
        assert found[path].kept == ()
        (gone,) = found[path].dropped
        assert (gone.id, gone.rule) == (path, "file-not-parsed")
        assert gone.detail.startswith(f"{path}:")
        assert production.declarations(path) == ()
