"""Waiting for a worker's answer without being deaf to an interrupt."""

from __future__ import annotations

import selectors
import time

from testmark.sandbox import stopping

_LOOK_SECONDS = 0.1


def readable(fd: int, seconds: float) -> bool:
    """Wait until there is something to read, or the end; False after so many seconds.

    Raises `InterruptedRunError` when work of this thread is to end.
    """
    with selectors.DefaultSelector() as selector:
        selector.register(fd, selectors.EVENT_READ)
        deadline = time.monotonic() + seconds
        while not selector.select(min(_LOOK_SECONDS, max(0.0, deadline - time.monotonic()))):
            stopping.check()
            if time.monotonic() >= deadline:
                return False
        return True
