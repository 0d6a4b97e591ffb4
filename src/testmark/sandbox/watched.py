"""The mark that tells what this process started and made from everything else, and the watchdog that goes by it."""

from __future__ import annotations

import os
import secrets
import sys
import tempfile
import threading
from collections.abc import Mapping
from importlib.resources import files

_NAME = "TESTMARK_STARTED_BY"
_LOCK = threading.Lock()
_LIFE: list[int] = []
"""The end of the pipe that the system closes when we die, once the watchdog runs."""
_TOKEN = secrets.token_hex(8)


def token() -> str:
    """Part of the name of every temporary folder of this process; from now on the watchdog removes them in the end."""
    _start()
    return _TOKEN


def marked(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment with the mark, for programs that confine others."""
    return {**environment, _NAME: token()}


def _start() -> None:
    with _LOCK:
        if _LIFE:
            return
        theirs, ours = os.pipe()
        null = os.devnull
        program = str(files("testmark.sandbox") / "watchdog.py")
        os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-S", program, f"{_NAME}={_TOKEN}", tempfile.gettempdir()],
            {},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, theirs, 0),
                (os.POSIX_SPAWN_OPEN, 1, null, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, null, os.O_WRONLY, 0),
            ],
            # Signals to our process group are not meant for it.
            setsid=True,
        )
        os.close(theirs)
        _LIFE.append(ours)
