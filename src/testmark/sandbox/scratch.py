"""Folders that confined code wrote into: walked and removed whatever it left there.

It may leave links to anywhere, folders nested deeper than Python recurses or a path may be long, files without rights.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

from testmark.sandbox import watched


@contextlib.contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """A new temporary folder, gone afterwards, however this process ends."""
    folder = tempfile.mkdtemp(prefix=f"{prefix}{watched.token()}-")
    try:
        yield Path(folder)
    finally:
        try:
            shutil.rmtree(folder)
        except (OSError, RecursionError):
            # Both programs go down folder by folder, and follow no link.
            subprocess.run(["chmod", "-R", "u+rwX", "--", folder], check=False, capture_output=True)
            subprocess.run(["rm", "-rf", "--", folder], check=False, capture_output=True)


def regular_files(top: Path, *, skip: Collection[str] = ()) -> Iterator[Path]:
    """Regular files below a folder in the order of their paths' parts, without folders of the names in `skip`.

    No link is followed, `top` included; what cannot be looked at, as a path that is too long, is left out.
    """
    waiting = [os.fspath(top)] if not top.is_symlink() else []
    while waiting:
        folders: list[str] = []
        try:
            with os.scandir(waiting.pop()) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders += [entry.path] if entry.name not in skip else []
            elif entry.is_file(follow_symlinks=False):
                yield Path(entry.path)
        waiting += reversed(folders)
