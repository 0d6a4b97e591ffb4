"""Memory of a worker's JVM over many runs: class loaders that stay would show, or the JVM would have been replaced."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from testmark.runtimes.maven.worker import JvmWorker
from testmark.sandbox import tree

_PARTS = 8
_MOST_MIB = 64
"""By which the last half may pass the second eighth: the first one is the JVM warming up."""


@dataclass
class Memory:
    """Resident MiB at the end of each eighth of the runs, and the JVMs that ran them."""

    resident: list[int] = field(default_factory=list)
    jvms: set[int | None] = field(default_factory=set)

    @property
    def bounded(self) -> bool:
        """Whether all runs were of one JVM, which in the end held no more than at the start."""
        grown = max(self.resident[_PARTS // 2 :]) - self.resident[1]
        return len(self.jvms) == 1 and grown <= _MOST_MIB


def watch(worker: JvmWorker, runs: int, once: Callable[[int], None]) -> Memory:
    """Call `once` so often, print milliseconds and memory for each eighth; `runs` is at least eight."""
    memory = Memory()
    took: list[float] = []
    ends = {round(runs * part / _PARTS) for part in range(1, _PARTS + 1)}
    for number in range(runs):
        began = time.perf_counter()
        once(number)
        took.append((time.perf_counter() - began) * 1000)
        memory.jvms.add(worker.pid)
        if number + 1 in ends:
            took.sort()
            memory.resident.append(tree.usage([worker.pid or 0]).rss_bytes >> 20)
            print(
                f"{number + 1:6} runs: {statistics.median(took):5.1f} ms a run, "
                f"p95 {took[int(len(took) * 0.95)]:5.1f} ms, {memory.resident[-1]} MiB resident, "
                f"{len(memory.jvms)} JVMs",
                flush=True,
            )
            took.clear()
    print(f"memory is {'bounded' if memory.bounded else 'NOT bounded'}", flush=True)
    return memory
