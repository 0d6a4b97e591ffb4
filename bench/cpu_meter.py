"""CPU seconds of this process and all below it: those by the clock say little where other programs use the cores."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path
from typing import Self

from testmark.sandbox import tree

_PAUSE_SECONDS = 0.05
_TICKS = os.sysconf("SC_CLK_TCK")


class CpuMeter:
    """Counts from the start of a `with` block to its end.

    Looks at every process twenty times a second: one that is killed takes its figure with it. What a process used
    between the last look and its end is missed.
    """

    def __init__(self) -> None:
        self._ticks: dict[tuple[int, str], int] = {}
        """By process and time of its start, as numbers are used again."""
        self._before: dict[tuple[int, str], int] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    @property
    def seconds(self) -> float:
        """What was used so far."""
        return (sum(self._ticks.values()) - sum(self._before.values())) / _TICKS

    def __enter__(self) -> Self:
        self._look()
        self._before = dict(self._ticks)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._look()

    def _watch(self) -> None:
        while not self._over.wait(_PAUSE_SECONDS):
            self._look()

    def _look(self) -> None:
        for pid in tree.descendants([os.getpid()]):
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
                self._ticks[pid, fields[19]] = int(fields[11]) + int(fields[12])
