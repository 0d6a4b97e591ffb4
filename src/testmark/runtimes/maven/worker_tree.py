"""The writable copy of a built tree in which tests run, and whether one has changed it."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from testmark.errors import InfraError

_State = tuple[int, int, int, int]


class TreeCopy:
    """A copy below a folder of ours, made anew once a test has written to it.

    Whether it did is told by each file's inode, size and times: of these a program cannot set the time of change.
    """

    def __init__(self, source: Path, folder: Path) -> None:
        self._source = source
        self.place = folder / "tree"
        self.tmp = folder / "tmp"
        """What is seen as /tmp: empty before every run."""
        self.tmp.mkdir(exist_ok=True)
        self.tmp.chmod(0o1777)
        self._state: dict[str, _State] = {}
        self.renew()

    def renew(self) -> None:
        """Make it anew."""
        self.clear_tmp()
        shutil.rmtree(self.place, ignore_errors=True)
        line = ["cp", "--archive", "--reflink=auto", "--", str(self._source), str(self.place)]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        if done.returncode:
            words = done.stderr.strip().splitlines()
            raise InfraError(f"{self._source}: cannot be copied: {words[-1] if words else done.returncode}")
        self._state = dict(_walk(str(self.place)))

    def clear_tmp(self) -> bool:
        """Remove what a run left in /tmp; False when there was something that cannot be removed while it runs."""
        for left in list(self.tmp.iterdir()):
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)
        return not any(self.tmp.iterdir())

    def changed(self) -> bool:
        """Whether anything in it is not as it was made."""
        return dict(_walk(str(self.place))) != self._state


def _walk(folder: str) -> Iterator[tuple[str, _State]]:
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            state = entry.stat(follow_symlinks=False)
            yield entry.path, (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path)
