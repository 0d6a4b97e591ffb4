"""Files that are whole or absent, hashes of trees, and folders with one owner at a time."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from testmark.errors import InfraError, UserError
from testmark.records.base import dump_json


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file beside its place and rename it there: a reader, or the next run after a kill, never sees half.

    Raises `UserError` when the place cannot be written and `InfraError` when the disk is full.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
        try:
            with os.fdopen(fd, "wb") as handle:
                handle.write(data)
            # mkstemp makes files private; results are meant to be shared like any other file.
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise file_error(path, error) from error


def file_error(path: Path, error: OSError) -> InfraError | UserError:
    """The one sentence for a file that could not be written."""
    if error.errno in {28, 122}:  # ENOSPC, EDQUOT
        return InfraError(f"{path}: {error.strerror}; free some space and run the same command again")
    return UserError(f"{path}: cannot be written ({error.strerror}); choose another --out or change its permissions")


def write_text(path: Path, text: str) -> None:
    """`write_atomic` of UTF-8 text."""
    write_atomic(path, text.encode("utf-8", "surrogateescape"))


def sweep_parts(folder: Path) -> None:
    """Remove what a kill left of unfinished writes."""
    for path in folder.rglob(".*.part"):
        path.unlink(missing_ok=True)


def sha256_file(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def digest(*parts: Any) -> str:  # noqa: ANN401 - any JSON values
    """SHA-256 over JSON values: the key of a stage's inputs."""
    state = hashlib.sha256()
    for part in parts:
        state.update(dump_json(part).encode("utf-8", "surrogatepass"))
        state.update(b"\0")
    return state.hexdigest()


def tree_hashes(root: Path) -> dict[str, str]:
    """SHA-256 of every regular file below `root`, by its path relative to it; links count by what they point to."""
    hashes = {}
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root).as_posix()
        if path.is_symlink():
            hashes[relative] = digest("link", str(path.readlink()))
        elif path.is_file():
            hashes[relative] = sha256_file(path)
    return hashes


_LOCK = ".lock"
_MARKS = {
    "testmark.toml": ("a project (it has a testmark.toml)", ()),
    "bench.json": ("a benchmark", ("benchmark",)),
    "run.json": ("a run or an evaluation", ("run", "evaluation")),
}
"""Files that tell what a folder holds, and who may go on writing there."""


def _strangers(folder: Path, what: str) -> list[str]:
    """Names in a folder where we have never written: what is there is somebody's."""
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return []  # not there, or no folder: whoever writes says so
    ours = {_LOCK, *(mark for mark, (_, allowed) in _MARKS.items() if what in allowed)}
    return [] if ours.intersection(names) else names


@contextlib.contextmanager
def owned(folder: Path, what: str) -> Iterator[None]:
    """Hold `folder` for this process alone; raises `UserError` at once if another has it or it holds something else."""
    for mark, (found, allowed) in _MARKS.items():
        if what not in allowed and (folder / mark).is_file():
            raise UserError(f"{folder}: holds {found}, so no {what} is written there; choose another --out")
    strangers = _strangers(folder, what)
    if strangers:
        raise UserError(
            f"{folder}: holds {strangers[0]}{' and more' if strangers[1:] else ''}, which no {what} of testmark has "
            "left; choose an empty or a new folder for --out"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = (folder / _LOCK).open("w")
    except OSError as error:
        raise file_error(folder, error) from error
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UserError(
                f"{folder}: another process is writing this {what}; wait for it or choose another --out"
            ) from error
        yield
