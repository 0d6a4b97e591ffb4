"""Milliseconds a run and memory of the JVM worker over many runs: `python bench/java_worker.py [RUNS]`.

Each run is of another mutant of a tiny class, by JUnit Jupiter, in a loader of its own. Class loaders that stay would
show in the resident memory and in the number of JVMs that were used.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from testmark.runtimes.maven.toolchains import find_toolchains
from testmark.sandbox import choose, tree
from tests.support.javas import PRICES, java_project

_TEST = """
    package shop;
    import static org.junit.jupiter.api.Assertions.*;
    import org.junit.jupiter.api.Test;
    class PricesTest {
        @Test void right() { assertEquals(6, Prices.total(2, 3)); }
    }
"""
_MUTANTS = 20


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with tempfile.TemporaryDirectory() as folder:
        project = java_project("platform", find_toolchains()[0], choose(), Path(folder))
        worker = project.worker
        try:
            mutants = [
                project.compiled(PRICES.replace("count * price", f"count * price + {n}")) for n in range(_MUTANTS)
            ]
            started = time.perf_counter()
            for _ in range(_MUTANTS):
                project.compiled(_TEST)
            compiling = (time.perf_counter() - started) / _MUTANTS * 1000
            request = project.request(_TEST, "right")
            took: list[float] = []
            jvms: set[int | None] = set()
            for number in range(runs):
                overlay = {**request.overlay, **mutants[number % _MUTANTS]}
                began = time.perf_counter()
                outcome = worker.run(replace(request, overlay=overlay))
                took.append((time.perf_counter() - began) * 1000)
                expected = "passed" if number % _MUTANTS == 0 else "failed"
                if outcome.status != expected:
                    sys.exit(f"run {number} is {outcome.status}, not {expected}: {outcome.reason}")
                jvms.add(worker.pid)
                if (number + 1) % max(1, runs // 8) == 0:
                    part = sorted(took[-max(1, runs // 8) :])
                    rss = tree.usage([worker.pid or 0]).rss_bytes >> 20
                    print(
                        f"{number + 1:6} runs: {statistics.median(part):5.1f} ms a run, "
                        f"p95 {part[int(len(part) * 0.95)]:5.1f} ms, {rss} MiB resident, {len(jvms)} JVMs",
                        flush=True,
                    )
            print(f"compiling the test: {compiling:.0f} ms")
        finally:
            worker.close()


if __name__ == "__main__":
    main()
