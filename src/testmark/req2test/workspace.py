"""Materialised views: the workspace of each instance as an agent finds it."""

from __future__ import annotations

import shutil
from codecs import BOM_UTF8
from collections.abc import Sequence
from pathlib import Path

from testmark.engine.files import owned
from testmark.records.kit import View
from testmark.records.slugs import slug
from testmark.req2test.bench import Bench, open_bench
from testmark.source.encoding import encode

TASK_FILE = "TASK.md"


def write_workspace(bench: Bench, view: View, folder: Path) -> None:
    """Write one view into `folder`, which must not exist: real files of its own, nothing shared with other views."""
    shutil.copytree(bench.folder / "kit/project", folder, symlinks=True)
    for path in view.removed:
        (folder / path).unlink(missing_ok=True)
    for file in view.files:
        place = folder / file.path
        place.parent.mkdir(parents=True, exist_ok=True)
        data = encode(file.path, file.content)
        # A text in a view has no byte order mark; its file keeps the one it had.
        marked = place.is_file() and place.read_bytes().startswith(BOM_UTF8) and not data.startswith(BOM_UTF8)
        place.write_bytes(BOM_UTF8 + data if marked else data)
    (folder / TASK_FILE).write_text(view.prompt, encoding="utf-8")


def prepare(bench_folder: Path, out: Path, *, only: Sequence[str] = (), limit: int | None = None) -> int:
    """Write the workspaces of the selected instances below `out`, a folder each; those that are there stay.

    Raises `UserError` when nothing is selected or a folder cannot be written.
    """
    bench = open_bench(bench_folder)
    bench.verify()
    names = [row.instance_id for row in bench.select(only, limit)]
    with owned(out, "set of workspaces"):
        for name in names:
            place = out / slug(name)
            if place.exists():
                continue
            part = out / f".{slug(name)}.part"
            shutil.rmtree(part, ignore_errors=True)
            write_workspace(bench, bench.view(name), part)
            part.rename(place)
    return len(names)
