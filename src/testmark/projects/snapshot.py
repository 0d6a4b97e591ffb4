"""A clean copy of a project: no version control, no caches, no byte code, nothing that leads outside.

Two copies of the same content are the same byte for byte: sorted, with one time stamp, two modes (0644 and 0755),
and a hash over path, kind, mode and content.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from testmark.projects.globs import matches_any

STAMP = 946_684_800
"""The modification time of all files of a snapshot: the year 2000 (zip files cannot hold times before 1980)."""

_VCS = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", "CVS", "_darcs", ".fslckout", "_FOSSIL_"})
_CACHES = frozenset(
    {
        "__pycache__",
        ".pytest_cache",
        ".mypy_cache",
        ".ruff_cache",
        ".pytype",
        ".pyre",
        ".hypothesis",
        ".tox",
        ".nox",
        ".eggs",
        ".ipynb_checkpoints",
        "htmlcov",
        "node_modules",
        ".coverage",
        ".DS_Store",
    }
)
_BYTE_CODE = (".pyc", ".pyo", ".egg", ".egg-link", "$py.class")
_BUILT = (".whl", ".tar.gz", ".tar.bz2", ".zip", ".egg", ".deb", ".rpm", ".gitignore")


@dataclass(frozen=True)
class Entry:
    """One file or link of a snapshot."""

    path: str
    """Relative, `/`-separated."""
    executable: bool
    link: str | None
    """The target of a symbolic link; None for a file."""


@dataclass
class Selection:
    """What goes into a snapshot, and what was left out for a reason worth telling."""

    entries: list[Entry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def select(root: Path, *, exclude: Sequence[str] = (), keep_egg_info: bool = False) -> Selection:
    """Choose the files of a snapshot of `root`, sorted by path.

    `exclude` are globs over relative paths (see `globs`). Links are kept when what they point at is kept; others, and
    devices, pipes and sockets, are left out with a note.
    """
    selection = Selection()
    links: dict[str, str] = {}
    for relative, status in _walk(root, "", exclude, keep_egg_info=keep_egg_info):
        if stat.S_ISREG(status.st_mode):
            selection.entries.append(Entry(relative, bool(status.st_mode & 0o100), None))
        elif stat.S_ISLNK(status.st_mode):
            links[relative] = str((root / relative).readlink())
        else:
            selection.notes.append(f"{relative} is left out: it is a device, a pipe or a socket")
    kept = {entry.path for entry in selection.entries}
    kept |= {str(parent) for path in kept for parent in PurePosixPath(path).parents}
    for relative, target in links.items():
        if _leads_to(root, relative, target) in kept:
            selection.entries.append(Entry(relative, executable=False, link=target))
        else:
            selection.notes.append(
                f"{relative} is left out: the link leads to {target}, which is not part of the snapshot"
            )
    selection.entries.sort(key=lambda entry: entry.path.encode())
    selection.notes.sort()
    return selection


def copy(root: Path, selection: Selection, target: Path) -> None:
    """Copy the chosen files of `root` into the empty folder `target`."""
    folders: set[Path] = {target}
    for entry in selection.entries:
        destination = target / entry.path
        if destination.parent not in folders:
            destination.parent.mkdir(parents=True, exist_ok=True)
            folders.update(p for p in destination.parents if p.is_relative_to(target))
        if entry.link is not None:
            destination.symlink_to(entry.link)
        else:
            destination.write_bytes((root / entry.path).read_bytes())
            destination.chmod(0o755 if entry.executable else 0o644)
        os.utime(destination, (STAMP, STAMP), follow_symlinks=False)
    for folder in sorted(folders, reverse=True):
        folder.chmod(0o755)
        os.utime(folder, (STAMP, STAMP))


def tree_hash(root: Path, selection: Selection) -> str:
    """SHA-256 over the chosen files' paths, kinds, modes and contents, in hexadecimal."""
    digest = hashlib.sha256(b"testmark snapshot 1\n")
    for entry in selection.entries:
        if entry.link is not None:
            kind, content = b"link", os.fsencode(entry.link)
        else:
            kind, content = b"exec" if entry.executable else b"file", (root / entry.path).read_bytes()
        digest.update(b"%s %s %s\0" % (kind, hashlib.sha256(content).hexdigest().encode(), os.fsencode(entry.path)))
    return digest.hexdigest()


def _walk(
    folder: Path, prefix: str, exclude: Sequence[str], *, keep_egg_info: bool
) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder) as listing:
        found = sorted(listing, key=lambda item: os.fsencode(item.name))
    for item in found:
        relative = prefix + item.name
        if _unwanted(item.name, keep_egg_info=keep_egg_info) or matches_any(relative, exclude):
            continue
        status = item.stat(follow_symlinks=False)
        if not stat.S_ISDIR(status.st_mode):
            yield relative, status
        elif not _generated(Path(item.path)):
            yield from _walk(Path(item.path), relative + "/", exclude, keep_egg_info=keep_egg_info)


def _unwanted(name: str, *, keep_egg_info: bool) -> bool:
    return (
        name in _VCS
        or name in _CACHES
        or name.endswith(_BYTE_CODE)
        or name.startswith(".coverage.")
        or (name.endswith(".egg-info") and not keep_egg_info)
    )


def _generated(folder: Path) -> bool:
    """True for a folder that a tool made: a virtual environment, a build folder, or an output of testmark itself."""
    names = {path.name for path in folder.iterdir()}
    if (
        "pyvenv.cfg" in names
        or "conda-meta" in names
        or ({"bench.json", "kit"} <= names)
        or ({"run.json", "tasks"} <= names)
    ):
        return True
    if folder.name == "build":
        return any(name == "lib" or name.startswith(("lib.", "bdist.", "temp.")) for name in names)
    return folder.name == "dist" and bool(names) and all(name.endswith(_BUILT) for name in names)


def _leads_to(root: Path, relative: str, target: str) -> str:
    """Where a link leads, relative to `root`; an absolute or outer path when it leads outside."""
    if PurePosixPath(target).is_absolute():
        return target
    real = os.path.realpath(root / relative)
    return os.path.relpath(real, os.path.realpath(root))
