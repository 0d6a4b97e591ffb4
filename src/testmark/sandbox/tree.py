"""What a tree of processes uses, read from /proc (proc(5))."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
# Fields of /proc/PID/stat after the command name, counted from `state` (field 3 of the manual page).
_STATE, _UTIME, _CSTIME, _THREADS, _RSS = 0, 11, 14, 17, 21
_STOP_SECONDS = 1.0


@dataclass(frozen=True)
class Usage:
    """A tree at one moment."""

    pids: tuple[int, ...]
    tasks: int
    """Processes and threads; those that are dead and wait to be reaped count for nothing."""
    cpu_seconds: float
    """Of all living processes and of the children that they reaped."""
    rss_bytes: int
    """Sum of resident sets: memory that processes share counts once for each."""
    asleep: bool
    """No process runs or waits for a disk."""


def children(pid: int) -> list[int]:
    """The children of all threads of a process; none when it is gone."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                found += map(int, (task / "children").read_bytes().split())
    return found


def descendants(roots: Iterable[int], *, most: int | None = None) -> list[int]:
    """The roots and all below them, parents first; once there are more than `most`, some of them.

    A fork bomb may grow faster than it can be walked.
    """
    found = list(dict.fromkeys(roots))
    seen = set(found)
    for pid in found:  # grows while it is walked
        if most is not None and len(found) > most:
            break
        new = [child for child in children(pid) if child not in seen]
        found += new
        seen.update(new)
    return found


def usage(roots: Sequence[int], *, most: int | None = None) -> Usage:
    """What the tree uses now; processes that end meanwhile count for nothing. `most` as for `descendants`."""
    pids, tasks, ticks, pages, asleep = descendants(roots, most=most), 0, 0, 0, True
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        state = fields[_STATE]
        if state in b"RD":
            asleep = False
        if state not in b"ZX":
            tasks += int(fields[_THREADS])
        ticks += sum(map(int, fields[_UTIME : _CSTIME + 1]))
        pages += int(fields[_RSS])
    return Usage(tuple(pids), tasks, ticks / _TICK, pages * _PAGE, asleep)


def proportional_bytes(pids: Iterable[int]) -> int | None:
    """Memory with shared pages divided among those that share them (PSS); None when the kernel does not tell us."""
    total = 0
    for pid in pids:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
        except (FileNotFoundError, ProcessLookupError):
            continue
        except OSError:
            return None
        total += next((int(line.split()[1]) << 10 for line in text.splitlines() if line.startswith("Pss:")), 0)
    return total


def kill(pids: Iterable[int]) -> None:
    """SIGKILL to each that is still there."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def stop(pid: int) -> None:
    """SIGSTOP, and wait until it runs no more: what it has started by then is all that it starts."""
    deadline = time.monotonic() + _STOP_SECONDS
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGSTOP)
        while time.monotonic() < deadline:
            if Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[_STATE] in b"TZX":
                return
            time.sleep(0.001)
