"""A benchmark folder as it is written: only what changed, and with the hash of every file."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from testmark.engine.files import file_error, sha256_file, write_atomic
from testmark.records.base import Record


class FolderWriter:
    """Writes files atomically and remembers their hashes; unchanged ones are left alone."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self.hashes: dict[str, str] = {}
        """SHA-256 of everything written, by its path in the folder."""

    def bytes(self, path: str, data: bytes) -> None:
        """One file by its path in the folder."""
        value = hashlib.sha256(data).hexdigest()
        target = self._out / path
        if not (target.is_file() and sha256_file(target) == value):
            write_atomic(target, data)
        self.hashes[path] = value

    def made(self, path: str, make: Callable[[Path], None]) -> None:
        """A file that `make` writes to the place given to it: for what is too large to be held in memory."""
        target = self._out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f".{target.name}.part")
        try:
            make(part)
            value = sha256_file(part)
            if not (target.is_file() and sha256_file(target) == value):
                part.replace(target)
        except OSError as error:
            raise file_error(target, error) from error
        finally:
            part.unlink(missing_ok=True)
        self.hashes[path] = value

    def text(self, path: str, text: str) -> None:
        """A text file in UTF-8."""
        self.bytes(path, text.encode("utf-8", "surrogateescape"))

    def record(self, path: str, record: Record) -> None:
        """A record as JSON."""
        self.text(path, record.to_json() + "\n")

    def lines(self, path: str, records: Iterable[Record]) -> None:
        """Records as JSON, one a line."""
        self.text(path, "".join(record.to_json() + "\n" for record in records))

    def tree(self, path: str, source: Path) -> None:
        """Copy a folder's files, links as links."""
        for found in sorted(source.rglob("*")):
            target = f"{path}/{found.relative_to(source).as_posix()}"
            if found.is_symlink():
                place = self._out / target
                place.parent.mkdir(parents=True, exist_ok=True)
                if not place.is_symlink():
                    place.symlink_to(found.readlink())
            elif found.is_file():
                self.bytes(target, found.read_bytes())
                mode = found.stat().st_mode & 0o111
                if mode:
                    (self._out / target).chmod(0o755)

    def remove_strangers(self, tops: Iterable[str]) -> None:
        """Remove what an earlier build wrote below these folders and this one did not."""
        for top in tops:
            folder = self._out / top
            for path in sorted(folder.rglob("*"), reverse=True):
                relative = path.relative_to(self._out).as_posix()
                if path.is_dir() and not path.is_symlink():
                    if not any(path.iterdir()):
                        shutil.rmtree(path)
                elif relative not in self.hashes and not path.is_symlink():
                    path.unlink()
