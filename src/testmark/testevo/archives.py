"""Trees and stores as archives: the same files give the same bytes, and unpacking goes once into a cache."""

from __future__ import annotations

import contextlib
import fcntl
import gzip
import os
import shutil
import stat
import tarfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, cast

from testmark.engine.files import sha256_file
from testmark.errors import UserError

_VOLATILE = ("_remote.repositories", "resolver-status.properties", "m2e-lastUpdated.properties")
"""Files of a Maven repository that say when something was asked for; without them what is there counts as installed."""

_UNWANTED = (".lastUpdated", ".lock", ".part", ".tmp", ".sha1", ".md5", ".sha256", ".sha512")
"""Ends of such names: unfinished downloads, and checksums, which Maven writes after the file and never misses."""


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
    return last not in _VOLATILE and not last.endswith(_UNWANTED)


def unpacked(archive: Path, cache: Path) -> Path:
    """The folder that holds the archive's files, below `cache` by the archive's hash; made at most once."""
    place = cache / _hash_of(archive)[:32]
    if place.is_dir():
        return place
    cache.mkdir(parents=True, exist_ok=True)
    # Whoever comes second waits, and removes what a killed one has left.
    with (cache / f".{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.is_dir():
            part = cache / f".{place.name}.part"
            shutil.rmtree(part, ignore_errors=True)
            with tarfile.open(archive) as tar:
                # Pythons before 3.11.4 know no filters, and those from 3.14 on refuse links that lead outside.
                tar.extraction_filter = _as_it_is
                tar.extractall(part, members=_inside(tar, archive))  # noqa: S202 - every member is looked at
            part.rename(place)
    return place


def _hash_of(archive: Path) -> str:
    """Its SHA-256, computed once for a file that does not change: a store is large, and every task asks for it."""
    state = archive.stat()
    return _hash_at(archive, state.st_ino, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=4096)
def _hash_at(archive: Path, *_: int) -> str:
    return sha256_file(archive)


def _as_it_is(member: tarfile.TarInfo, _: str) -> tarfile.TarInfo:
    return member


def _inside(tar: tarfile.TarFile, archive: Path) -> Iterator[tarfile.TarInfo]:
    """Files, folders and links as `pack` writes them; a link may point anywhere, but nothing lies beyond one.

    Raises `UserError` for any other member.
    """
    links: set[PurePosixPath] = set()
    for member in tar:
        path = PurePosixPath(member.name)
        astray = path.is_absolute() or ".." in path.parts or links & {path, *path.parents}
        if astray or not (member.isreg() or member.isdir() or member.issym()):
            raise UserError(f"{archive}: holds {member.name!r}, which no archive of ours does; get the benchmark again")
        if member.issym():
            links.add(path)
        member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
        yield member
