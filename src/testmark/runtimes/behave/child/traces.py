"""Whether loading code leaves traces outside of itself, tried in a process that is thrown away.

Production code may register itself with a library, set environment variables or seed the random numbers as it is
imported. A run in which it had been imported before would then differ from a fresh process.
"""

from __future__ import annotations

import json
import logging
import os
import random
import signal
import sys
import threading
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import NamedTuple


class Trial(NamedTuple):
    """What a trial showed."""

    loaded: list[str]
    """Names of what could be loaded."""
    left: str
    """What is different after loading it, or when it is loaded once more; empty if nothing is."""


def try_loading(load: Callable[[], AbstractSet[str]]) -> Trial:
    """Call `load` twice in a process of its own; it returns the names of what it could load."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        try:
            trial = _try(load)
        except BaseException as error:
            trial = Trial([], f"loading it ends in {type(error).__name__}")
        with os.fdopen(writing, "w") as pipe:
            json.dump(trial, pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    os.waitpid(pid, 0)
    return Trial(*json.loads(told)) if told else Trial([], "loading it ends the process")


def _try(load: Callable[[], AbstractSet[str]]) -> Trial:
    before = _state()
    loaded = load()
    changed = _differences(before)
    # What seeds them to a fixed number shows now, in libraries too that the first time loaded.
    _draw()
    before = _state()
    missing = loaded - load()
    changed += _differences(before)
    left = f"loading it changes {', '.join(dict.fromkeys(changed))}" if changed else ""
    if missing:
        left = f"it cannot be loaded twice in one process: {', '.join(sorted(missing))}"
    return Trial(sorted(loaded), left)


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
