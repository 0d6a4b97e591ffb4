"""Trees and stores as archives: the same files give the same bytes, and unpacking goes once into a cache."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import stat
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, BinaryIO, cast

from testmark.engine.files import sha256_file

_VOLATILE = ("_remote.repositories", "resolver-status.properties", "m2e-lastUpdated.properties")
"""Files of a Maven repository that say when something was asked for; without them what is there counts as installed."""


def pack(folder: Path, archive: Path, *, compress: bool, keep: Callable[[str], bool] | None = None) -> None:
    """Write a tar of a folder, in the order of paths, without times and owners; links stay links.

    `keep` chooses among paths relative to the folder.
    """
    with archive.open("wb") as raw, contextlib.ExitStack() as closing:
        stream: BinaryIO | gzip.GzipFile = raw
        if compress:
            stream = closing.enter_context(gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=6, mtime=0, filename=""))
        tar = closing.enter_context(
            tarfile.open(fileobj=cast("IO[bytes]", stream), mode="w|", format=tarfile.PAX_FORMAT)
        )
        for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
            name = path.relative_to(folder).as_posix()
            if keep is None or keep(name):
                _add(tar, path, name)


def _add(tar: tarfile.TarFile, path: Path, name: str) -> None:
    """One file, folder or link; sockets, pipes and devices have no place in an archive."""
    state = path.lstat()
    member = tarfile.TarInfo(name)
    member.mode = 0o755 if stat.S_ISDIR(state.st_mode) or state.st_mode & 0o100 else 0o644
    if stat.S_ISLNK(state.st_mode):
        member.type, member.linkname = tarfile.SYMTYPE, os.fsdecode(path.readlink())
        tar.addfile(member)
    elif stat.S_ISDIR(state.st_mode):
        member.type = tarfile.DIRTYPE
        tar.addfile(member)
    elif stat.S_ISREG(state.st_mode):
        member.size = state.st_size
        with path.open("rb") as handle:
            tar.addfile(member, handle)


def is_of_store(name: str) -> bool:
    """Whether a file of a Maven repository belongs into a kit: what says when it was fetched does not."""
    last = name.rpartition("/")[2]
    return last not in _VOLATILE and not last.endswith((".lastUpdated", ".lock", ".part", ".tmp"))


def unpacked(archive: Path, cache: Path) -> Path:
    """The folder that holds the archive's files, below `cache` by the archive's hash; made at most once."""
    place = cache / sha256_file(archive)[:32]
    if place.is_dir():
        return place
    cache.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".unpack-", dir=cache))
    try:
        with tarfile.open(archive) as tar:
            tar.extractall(work, filter=_inside)  # noqa: S202 - every member passes the filter
        try:
            work.rename(place)
        except OSError:
            if not place.is_dir():  # another process was faster
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return place


def _inside(member: tarfile.TarInfo, path: str) -> tarfile.TarInfo | None:
    """Files and folders inside, links as they are: a repository may hold one that points anywhere."""
    if member.issym():
        return member
    return tarfile.data_filter(member, path)
