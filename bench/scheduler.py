"""Measures the engine alone: many tasks of runs that do nothing, against the time the same runs take at 10 ms each.

Usage: python bench/scheduler.py [--tasks 5086] [--mutants 20] [--jobs 2]
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

from testmark.engine.files import write_text
from testmark.engine.pool import Gate, Pool
from testmark.records.results import MutantResult
from testmark.req2test.killing import run_patiently
from testmark.runtimes.protocol import RunOutcome, RunRequest, TimeLimits

RUN_SECONDS = 0.010
_NOTHING = RunOutcome(status="passed", reason="")
_REQUEST = RunRequest(
    feature_path="f.feature",
    line=1,
    files=(),
    remove=(),
    load=(),
    test_files=(),
    pickles=(),
    userdata={},
    time=TimeLimits(1, 1.0, 1.0),
)


class _Nothing:
    """A slot whose runs cost nothing."""

    def run(self, _request: RunRequest) -> RunOutcome:
        return _NOTHING

    def close(self) -> None:
        pass


def main() -> None:
    """Print the scheduler's own time, its share, and how memory grew between a tenth of the plan and all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=5086)
    parser.add_argument("--mutants", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    small = _run(options.tasks // 10, options.mutants, options.jobs)
    after_small = _peak_mib()
    seconds = _run(options.tasks, options.mutants, options.jobs)
    work = options.tasks * options.mutants * RUN_SECONDS / options.jobs
    print(f"tasks {options.tasks}, mutants {options.mutants}, jobs {options.jobs}")
    print(f"scheduler alone: {seconds:.2f} s ({small:.2f} s for a tenth)")
    print(f"the same runs at {RUN_SECONDS * 1000:.0f} ms each: {work:.1f} s; share {100 * seconds / work:.2f} %")
    print(f"peak memory: {after_small:.0f} MiB after a tenth, {_peak_mib():.0f} MiB after all")


def _run(tasks: int, mutants: int, jobs: int) -> float:
    gate = Gate()
    with tempfile.TemporaryDirectory() as folder:

        def work(_task: int, slot: _Nothing) -> tuple[MutantResult, ...]:
            for _ in range(mutants):
                run_patiently(_REQUEST, slot.run, gate)
            return (MutantResult(mutant_id="m", verdict="survived", in_kill_set=True),)

        def done(task: int, results: tuple[MutantResult, ...]) -> None:
            write_text(Path(folder) / "tasks" / f"{task}.json", "".join(result.to_json() for result in results))

        started = time.perf_counter()
        pool: Pool[int, tuple[MutantResult, ...], _Nothing] = Pool(jobs, _Nothing)
        pool.run(range(tasks), work, done)
        return time.perf_counter() - started


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
