"""Pid 1 of a run's namespaces watches the test: CPU time, memory and sleep of all its processes together."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Iterator
from typing import Any

_COUNT_SECONDS = 0.05
_LOOK_SECONDS = 0.25
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def watch(pid: int, limits: dict[str, Any]) -> str:
    """Wait for the test's process: `exit N`, `signal N`, or the limit passed (`cpu`, `idle`, `memory`, `processes`).

    When this returns the caller exits, and the kernel kills whatever is left in the namespace.
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
        _reap_orphans(pid)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        # The kernel counts towards the limit by ticks, which may run ahead of the CPU time that it reports.
        late = number == signal.SIGKILL and _own_children_cpu() >= limits["cpu_seconds"] / 2
        return "cpu" if number == signal.SIGXCPU or late else f"signal {number}"
    return f"exit {os.WEXITSTATUS(status)}"


def _own_children_cpu() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _reap_orphans(test: int) -> None:
    """Collect dead processes that the test's children left to pid 1, but never the test itself."""
    while True:
        try:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if found is None or found.si_pid in {0, test}:
            return
        os.waitpid(found.si_pid, 0)


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
        yield fields[0].decode(), (int(fields[11]) + int(fields[12])) / _TICKS, int(fields[21])
