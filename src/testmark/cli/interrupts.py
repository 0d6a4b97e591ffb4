"""Ctrl-C and SIGTERM: one sentence and exit code 4, from the first moment to the last."""

from __future__ import annotations

import signal
import sys
from typing import NoReturn

from testmark.errors import InterruptedRunError

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or SIGTERM.

    Not `KeyboardInterrupt` itself: where that passes through an `exec`, CPython ends the process by SIGINT in the end,
    whatever exit code it was given.
    """


def install() -> None:
    """Let both signals raise `Interrupted`, once."""
    for number in _SIGNALS:
        # A shell starts what it puts into the background with SIGINT ignored, which is to stay so.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)


def leave() -> NoReturn:
    """Say it and exit."""
    sys.stderr.write("error: interrupted; the same command goes on from here\n")
    sys.exit(InterruptedRunError.exit_code)


def _interrupt(_number: int, _frame: object) -> None:
    # What runs is being ended, which must not be interrupted again: it takes a moment only.
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    raise Interrupted
