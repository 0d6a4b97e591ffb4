"""Archives read in memory, within limits: zip files and their kin, tar files, and compressed single files."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import IO

MOST_BYTES = 256 << 20
"""Bytes unpacked from one file, all its inner archives together."""
_MOST_MEMBERS = 20_000
_DEEPEST = 6
_TAR_MAGIC_AT = 257
_ZIP_END = b"PK\x05\x06"
_ZIP_TAIL = 70_000
_DAMAGED = (
    OSError,
    EOFError,
    ValueError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    tarfile.TarError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
)
"""What the standard library raises for damaged, encrypted or unknown contents."""
_COMPRESSED: Sequence[tuple[bytes, Callable[[io.BytesIO], io.BufferedIOBase], tuple[str, ...]]] = (
    (b"\x1f\x8b\x08", lambda stream: gzip.GzipFile(fileobj=stream), (".gz", ".tgz")),
    (b"BZh", bz2.BZ2File, (".bz2", ".tbz2", ".tbz")),
    (b"\xfd7zXZ\x00", lzma.LZMAFile, (".xz", ".txz")),
    (b"]\x00\x00", lzma.LZMAFile, (".lzma",)),
)


@dataclass
class Budget:
    """What may still be unpacked from one outer file, and what was left unread."""

    left: int = MOST_BYTES
    members: int = _MOST_MEMBERS
    notes: list[str] = field(default_factory=list)

    def read(self, stream: IO[bytes] | io.BufferedIOBase, name: str) -> bytes | None:
        """The whole stream; None, with a note, when it is larger than what is left."""
        data = stream.read(self.left + 1)
        if len(data) > self.left:
            self.left = 0
            self.notes.append(f"{name}: not read to its end, it unpacks to too much")
            return None
        self.left -= len(data)
        return data


def members(name: str, data: bytes, budget: Budget, depth: int = 0) -> Iterator[tuple[str, bytes]] | None:
    """Name and content of the files in an archive; None when the data are no archive.

    Damaged, encrypted, too deep or too large contents are left out with a note in `budget`.
    """
    unpack = _opener(name, data)
    if unpack is None:
        return None
    if depth >= _DEEPEST:
        budget.notes.append(f"{name}: not read, archives in archives are too deep here")
        return iter(())
    return _guarded(name, unpack(data, budget), budget)


def _guarded(name: str, found: Iterator[tuple[str, bytes]], budget: Budget) -> Iterator[tuple[str, bytes]]:
    try:
        for member in found:
            budget.members -= 1
            if budget.members < 0:
                budget.notes.append(f"{name}: not read to its end, it holds too many files")
                return
            yield member
    except _DAMAGED as error:
        budget.notes.append(f"{name}: not read to its end ({error})")


def _opener(name: str, data: bytes) -> Callable[[bytes, Budget], Iterator[tuple[str, bytes]]] | None:
    if _ZIP_END in data[-_ZIP_TAIL:] and zipfile.is_zipfile(io.BytesIO(data)):
        return _zip
    if data[_TAR_MAGIC_AT : _TAR_MAGIC_AT + 5] == b"ustar" or name.endswith(".tar"):
        return _tar
    for magic, opener, suffixes in _COMPRESSED:
        if data.startswith(magic):
            inner = next((name.removesuffix(suffix) for suffix in suffixes if name.endswith(suffix)), name)
            return partial(_stream, opener, inner)
    return None


def _zip(data: bytes, budget: Budget) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as bundle:
        for entry in bundle.infolist():
            if entry.is_dir():
                continue
            try:
                with bundle.open(entry) as stream:
                    content = budget.read(stream, entry.filename)
            except _DAMAGED as error:
                # One damaged or encrypted member does not hide the others.
                budget.notes.append(f"{entry.filename}: not read ({error})")
                continue
            if content is None:
                return
            yield entry.filename, content


def _tar(data: bytes, budget: Budget) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tape:
        for member in tape:
            stream = tape.extractfile(member) if member.isfile() else None
            if stream is None:
                continue
            with stream:
                content = budget.read(stream, member.name)
            if content is None:
                return
            yield member.name, content


def _stream(
    opener: Callable[[io.BytesIO], io.BufferedIOBase], inner: str, data: bytes, budget: Budget
) -> Iterator[tuple[str, bytes]]:
    with opener(io.BytesIO(data)) as stream:
        content = budget.read(stream, inner)
    if content is not None:
        yield inner, content
