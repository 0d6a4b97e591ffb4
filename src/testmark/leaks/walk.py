"""A folder as an agent sees it: its files, and what is a leak by its place alone."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from testmark.leaks.found import Finding
from testmark.leaks.places import HISTORY, is_bare_repository, outside


@dataclass(frozen=True)
class Entry:
    """A file, which may be anything but a link."""

    relative: str
    path: Path


def walk(root: Path, *, own_history: Collection[str] = ()) -> Iterator[Finding | Entry]:
    """Every file in the order of folders and names; version control and links to the outside are findings.

    `own_history` are paths of version control that belongs there: it is passed over.
    """
    base = root.resolve()
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        prefix = "" if here == root else here.relative_to(root).as_posix() + "/"
        if is_bare_repository([*folders, *files]):
            yield Finding("history", prefix.rstrip("/"), "a git repository")
            folders.clear()
            continue
        folders.sort()
        for name in sorted({*folders, *files}):
            relative, path = prefix + name, here / name
            if relative in own_history:
                continue
            if name in HISTORY:
                yield Finding("history", relative, "version control")
            elif path.is_symlink():
                target = outside(path, base)
                if target:
                    yield Finding("link", relative, f"points outside, to {target}")
            elif name in files:
                yield Entry(relative, path)
        folders[:] = [name for name in folders if name not in HISTORY]
