"""A cache folder that survives kills and several users at once.

Whatever is made is made beside its final place and renamed there, under a lock of its own, so a reader sees all of it
or nothing. A lock is released by the system when its holder dies.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from testmark.errors import InfraError, UserError, system_sentence


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of `folder` (a file `<name>.lock` beside it), waiting for whoever has it."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder.with_name(folder.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise UserError(
            f"the cache {folder.parent} cannot be written ({error.strerror}); choose another folder"
        ) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def publish(final: Path, make: Callable[[Path], None]) -> None:
    """Let `make` fill an empty folder and put it in the place of `final`; the caller holds the lock of `final`.

    What an earlier, killed process left half-made is removed first.
    """
    for stale in final.parent.glob(f".{final.name}.*.part"):
        remove_tree(stale)
    part = final.with_name(f".{final.name}.{os.getpid()}.part")
    try:
        part.mkdir(parents=True)
        make(part)
        remove_tree(final)
        part.rename(final)
    except OSError as error:
        raise InfraError(system_sentence(error)) from error
    finally:
        remove_tree(part)


def remove_tree(folder: Path) -> None:
    """Remove a folder and all in it, also where folders are read-only; nothing happens when it does not exist."""
    if not folder.exists():
        return
    for current, _, _ in os.walk(folder):
        mode = os.lstat(current).st_mode
        if not mode & stat.S_IWUSR:
            Path(current).chmod(stat.S_IMODE(mode) | stat.S_IRWXU)
    shutil.rmtree(folder)


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that readers see the old content or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
