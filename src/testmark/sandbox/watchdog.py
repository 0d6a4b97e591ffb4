"""Ends what a process of ours left when it was killed: a program of its own, with the standard library only.

`python -I -S watchdog.py MARK FOLDER` waits for the end of its standard input, a pipe that only the watched process can
write to, so that the end comes however that process dies. Then it kills every process that bears MARK in its
environment (a leash it asks first: that one may have a container to remove), and removes the entries of FOLDER that
bear its value in their names.

Bubblewrap's own `--die-with-parent` does not do: it takes hold some moments after the start, and its first process in
the new namespaces waits for ever when its parent is killed in the moment between.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import time
from pathlib import Path

_ROUNDS_WITHOUT = 2
"""What is being started when we look may show the mark only in the next round."""
_PAUSE_SECONDS = 0.05
_ASK_SECONDS = 20.0
_END_SECONDS = 30.0
_LEASH = b"/leash.py"


def main(mark: str, folder: str) -> None:
    """Wait, kill, remove."""
    while os.read(0, 1):
        pass
    started = time.monotonic()
    without = 0
    while without < _ROUNDS_WITHOUT and (spent := time.monotonic() - started) < _END_SECONDS:
        without = 0 if _end(mark.encode(), ask=spent < _ASK_SECONDS) else without + 1
        time.sleep(_PAUSE_SECONDS)
    for place in Path(folder).glob(f"*{mark.partition('=')[2]}*"):
        shutil.rmtree(place, ignore_errors=True)


def _end(mark: bytes, *, ask: bool) -> bool:
    """Whether any process was still there."""
    found = False
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (place / "environ").read_bytes().split(b"\0"):
                words = (place / "cmdline").read_bytes().split(b"\0")
                asked = ask and any(word.endswith(_LEASH) for word in words[:4])
                os.kill(int(place.name), signal.SIGTERM if asked else signal.SIGKILL)
                found = True
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
