"""Whether loading code leaves traces outside of itself, tried in a process that is thrown away.

Production code may register itself with a library, set environment variables or seed the random numbers as it is
imported. A run in which it had been imported before would then differ from a fresh process.
"""

from __future__ import annotations

import logging
import os
import random
import signal
import sys
import threading
from collections.abc import Callable
from collections.abc import Set as AbstractSet

_REASON_BYTES = 2000


def left_by(load: Callable[[], AbstractSet[str]]) -> str:
    """What is different after `load`, or when it is called once more; empty if nothing is.

    `load` returns the names of what it loaded, which must be the same both times.
    """
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        try:
            reason = _try(load)
        except BaseException as error:
            reason = f"loading it ends in {type(error).__name__}"
        os.write(writing, reason.encode("utf-8", "replace")[:_REASON_BYTES])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        reason = pipe.read().decode("utf-8", "replace")
    _, status = os.waitpid(pid, 0)
    return reason if status == 0 else "loading it ends the process"


def _try(load: Callable[[], AbstractSet[str]]) -> str:
    before = _state()
    loaded = load()
    changed = _differences(before)
    # What seeds them to a fixed number shows now, in libraries too that the first time loaded.
    _draw()
    before = _state()
    missing = loaded - load()
    changed += _differences(before)
    if missing:
        return f"it cannot be loaded twice in one process: {', '.join(sorted(missing))}"
    return f"loading it changes {', '.join(dict.fromkeys(changed))}" if changed else ""


def _differences(before: dict[str, object]) -> list[str]:
    after = _state()
    return [name for name in before if before[name] != after[name]]


def _state() -> dict[str, object]:
    state: dict[str, object] = {
        "the environment": dict(os.environ),
        "the working folder": os.getcwd(),
        "the random numbers": random.getstate(),
        "signal handlers": [signal.getsignal(number) for number in signal.valid_signals()],
        "threads": threading.active_count(),
        "log handlers": _log_handlers(),
        "hooks of the interpreter": (sys.excepthook, sys.displayhook, sys.getrecursionlimit()),
    }
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        state["numpy's random numbers"] = repr(numpy_random.get_state(legacy=False))
    return state


def _draw() -> None:
    random.random()
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.random()


def _log_handlers() -> dict[str, int]:
    """How many handlers each logger has that do something."""
    loggers = {"root": logging.root, **logging.root.manager.loggerDict}
    found = {
        name: sum(not isinstance(handler, logging.NullHandler) for handler in logger.handlers)
        for name, logger in loggers.items()
        if isinstance(logger, logging.Logger)
    }
    return {name: count for name, count in found.items() if count}
