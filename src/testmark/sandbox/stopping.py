"""How work on other threads learns that it is to end at once: Ctrl-C reaches the main thread alone.

A thread that works for a plan is bound to the plan's event. Whatever waits there for a confined process looks at it.
"""

from __future__ import annotations

import threading
from contextvars import ContextVar

from testmark.errors import InterruptedRunError

_EVENT: ContextVar[threading.Event | None] = ContextVar("stopping", default=None)


def bind(event: threading.Event) -> None:
    """Let work of this thread end when the event is set."""
    _EVENT.set(event)


def check() -> None:
    """Raise `InterruptedRunError` when work of this thread is to end."""
    event = _EVENT.get()
    if event is not None and event.is_set():
        raise InterruptedRunError("stopped; the same command goes on from here")
