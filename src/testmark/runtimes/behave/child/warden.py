"""The first process of a cell watches the test: CPU time, memory and sleep of all its processes together."""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Iterator
from typing import Any

_COUNT_SECONDS = 0.05
_LOOK_SECONDS = 0.25
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
ENDED = "ended"


def watch(pid: int, limits: dict[str, Any]) -> str:
    """Wait for the test's process: `ENDED`, or the limit passed (`cpu`, `idle`, `memory`, `processes`).

    When this returns the caller exits, and the kernel kills whatever is left in the cell.
    """
    poller = select.poll()
    poller.register(os.pidfd_open(pid), select.POLLIN)
    asleep_since = last_look = time.monotonic()
    busy_before = -1.0
    while not poller.poll(_COUNT_SECONDS * 1000):
        # RLIMIT_NPROC does not bind the system's root, under whatever name it runs here: count, and often.
        if sum(name.isdigit() for name in os.listdir("/proc")) > limits["processes"] + 2:
            return "processes"
        now = time.monotonic()
        if now - last_look < _LOOK_SECONDS:
            continue
        last_look = now
        busy, resident, sleeping = _look()
        if busy > limits["cpu_seconds"]:
            return "cpu"
        if resident > limits["total_memory_mib"] << 20:
            return "memory"
        if not sleeping or busy - busy_before > _LOOK_SECONDS / 5:
            asleep_since = now
        elif now - asleep_since > limits["idle_seconds"]:
            return "idle"
        busy_before = busy
        _reap_orphans()
    return ENDED


def _own_children_cpu() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _reap_orphans() -> None:
    """Collect dead processes that the test's children left behind; the test itself is the worker's child."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _look() -> tuple[float, int, bool]:
    """CPU seconds of all living processes but this one, their resident bytes, and whether all of them sleep."""
    busy, resident, sleeping = _own_children_cpu(), 0, True
    for state, seconds, pages in _processes():
        busy += seconds
        resident += pages * _PAGE
        sleeping = sleeping and state in "SITZ"
    return busy, resident, sleeping


def _processes() -> Iterator[tuple[str, float, int]]:
    own = os.getpid()
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == own:
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as handle:
                text = handle.read()
        except OSError:
            continue
        # The name in parentheses may hold anything, so count fields from its end (proc(5)).
        fields = text[text.rindex(b")") + 2 :].split()
        # utime, stime, and those of its dead children
        yield fields[0].decode(), sum(map(int, fields[11:15])) / _TICKS, int(fields[21])
