"""The fresh writable copy of the project that each run gets, and what is written into it before the test starts."""

from __future__ import annotations

import os
from typing import Any

from encoding import encode

# Every file of a run bears this time, so that no clock of the file system tells one run from another (2020-01-01 UTC).
FILE_TIME = 1577836800


def apply_changes(root: str, request: dict[str, Any]) -> None:
    """Remove and write the files that the request names, all paths relative to `root`."""
    for path in request["remove"]:
        target = os.path.join(root, path)
        if os.path.lexists(target):
            os.unlink(target)
    for path, text in request["files"].items():
        target = os.path.join(root, path)
        folder = os.path.dirname(target)
        os.makedirs(folder, exist_ok=True)
        if os.path.lexists(target):
            os.unlink(target)
        with open(target, "wb") as handle:
            handle.write(encode(path, text))
        os.utime(target, (FILE_TIME, FILE_TIME))
