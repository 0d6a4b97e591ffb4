"""Unpacking a source distribution that nobody has looked into yet.

Only plain files, folders and links that stay inside are unpacked; everything else is refused. Links are made last, so
no file is ever written through one.
"""

from __future__ import annotations

import os
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from testmark.errors import UserError

MAX_BYTES = 2 * 1024**3
MAX_FILES = 200_000
_CHUNK = 1 << 20


@dataclass(frozen=True)
class _Member:
    path: PurePosixPath
    executable: bool
    content: IO[bytes] | None
    """None for a link."""
    link: str = ""


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a tar (any compression) or zip archive into an empty folder, without its single top folder.

    Raises `UserError` for an archive that is damaged, too large, or that tries to reach outside `folder`.
    """
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as bundle:
                _write(archive, folder, _zip_members(archive, bundle))
        else:
            with tarfile.open(archive) as tape:
                _write(archive, folder, _tar_members(archive, tape))
    except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
        raise UserError(f"{archive.name} is refused: one path in it is a file and a folder or link as well") from error
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise UserError(f"{archive.name} is not a readable archive: {error}") from error
    _drop_top_folder(folder)


def _safe_path(archive: Path, name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name or "\\" in name:
        raise UserError(f"{archive.name} is refused: its member {name!r} leads out of the archive")
    return path


def _tar_members(archive: Path, tape: tarfile.TarFile) -> Iterator[_Member]:
    for info in tape:
        path = _safe_path(archive, info.name)
        executable = bool(info.mode & 0o100)
        if info.isdir():
            continue
        if info.isfile():
            yield _Member(path, executable, tape.extractfile(info))
        elif info.issym():
            yield _Member(path, executable=False, content=None, link=info.linkname)
        elif info.islnk():
            _safe_path(archive, info.linkname)
            yield _Member(path, executable, tape.extractfile(info))
        else:
            raise UserError(f"{archive.name} is refused: its member {info.name!r} is a device or a pipe")


def _zip_members(archive: Path, bundle: zipfile.ZipFile) -> Iterator[_Member]:
    for info in bundle.infolist():
        path = _safe_path(archive, info.filename)
        if info.is_dir():
            continue
        mode = info.external_attr >> 16
        if stat.S_ISLNK(mode):
            yield _Member(path, executable=False, content=None, link=bundle.read(info).decode("utf-8", "replace"))
        else:
            yield _Member(path, bool(mode & 0o100), bundle.open(info))


def _write(archive: Path, folder: Path, members: Iterator[_Member]) -> None:
    links: list[_Member] = []
    room = MAX_BYTES
    for count, member in enumerate(members, start=1):
        if count > MAX_FILES:
            raise UserError(f"{archive.name} is refused: it holds more than {MAX_FILES} files")
        if member.content is None:
            links.append(member)
            continue
        target = folder / member.path
        target.parent.mkdir(parents=True, exist_ok=True)
        with member.content as content, target.open("wb") as file:
            while chunk := content.read(_CHUNK):
                room -= len(chunk)
                if room < 0:
                    raise UserError(f"{archive.name} is refused: it unpacks to more than {MAX_BYTES // 1024**2} MiB")
                file.write(chunk)
        target.chmod(0o755 if member.executable else 0o644)
    for member in links:
        inside = os.path.normpath(member.path.parent / member.link)
        if PurePosixPath(member.link).is_absolute() or inside == ".." or inside.startswith("../"):
            raise UserError(f"{archive.name} is refused: its link {str(member.path)!r} leads out of the archive")
        target = folder / member.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(member.link)


def _drop_top_folder(folder: Path) -> None:
    entries = list(folder.iterdir())
    if len(entries) != 1 or entries[0].is_symlink() or not entries[0].is_dir():
        return
    top = entries[0].rename(folder / ".top-folder-of-the-archive")
    for entry in list(top.iterdir()):
        entry.rename(folder / entry.name)
    top.rmdir()
