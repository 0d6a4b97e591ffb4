"""Milliseconds a run and memory of the JVM worker over many runs: `python bench/java_worker.py [RUNS]`.

Each run is of another mutant of a tiny class, by JUnit Jupiter, in a loader of its own. Exits 1 when the resident
memory grows, or when more than one JVM was used.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import top  # noqa: F401
from java_memory import watch

from testmark.runtimes.maven.toolchains import find_toolchains
from testmark.sandbox import choose
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
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
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

            def once(number: int) -> None:
                outcome = worker.run(replace(request, overlay={**request.overlay, **mutants[number % _MUTANTS]}))
                expected = "passed" if number % _MUTANTS == 0 else "failed"
                if outcome.status != expected:
                    sys.exit(f"run {number} is {outcome.status}, not {expected}: {outcome.reason}")

            print(f"load {os.getloadavg()[0]:.1f}; compiling the test: {compiling:.0f} ms", flush=True)
            memory = watch(worker, runs, once)
        finally:
            worker.close()
    sys.exit(int(not memory.bounded))


if __name__ == "__main__":
    main()
