"""One Scenario of the shipped example against mutmut: seconds a mutant, measured one after the other in one run.

Usage: python bench/mutmut_beside.py BENCH [--only GLOB] [--jobs 2]

mutmut runs pytest, so behave is started by a test of three lines, in the process that mutmut forks. Its mutants of the
file are its own, ours are ours; both run those that the Scenario reaches.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from references import Measured, open_measured

from testmark.engine.pool import Gate, Pool
from testmark.mutants import generate, reach_lines
from testmark.records.kit import KitInstance, Mutant
from testmark.req2test.judge import JudgeContext, instance_runs
from testmark.req2test.killing import is_kill, mutant_request, mutant_verdict
from testmark.req2test.runtime import runtime_of
from testmark.runtimes.protocol import Worker
from testmark.sandbox import choose

_TEST = """\
import sys

from behave.__main__ import main
from behave.step_registry import registry


def test_scenario():
    for name in [name for name in sys.modules if name.partition(".")[0] == "features"]:
        del sys.modules[name]
    registry.steps = {{kind: [] for kind in registry.steps}}
    assert main(["{location}", "--stop", "--no-summary", "-f", "null"]) == 0
"""
_SETTINGS = """\
[tool.mutmut]
source_paths = ["{path}"]
also_copy = ["features", "src", "tests"]
"""


def main() -> None:
    """Print a line for mutmut, one for testmark, and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench", type=Path)
    parser.add_argument("--only", default="*", help="the first instance whose id matches")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    measured = open_measured(options.bench)
    kit = next(
        measured.bench.kit(row.instance_id)
        for row in measured.bench.rows()
        if fnmatch.fnmatch(row.instance_id, options.only)
    )
    lines = kit.reference.scenario_lines
    path = max(lines, key=lambda path: len(lines[path]))
    print(f"{kit.instance_id}, mutants of {path}, {options.jobs} at a time")
    theirs = _mutmut(measured, kit, path, options.jobs)
    ours = _testmark(measured, kit, path, options.jobs)
    print(f"ratio: {theirs / ours:.1f}")


def _mutmut(measured: Measured, kit: KitInstance, path: str, jobs: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        shutil.copytree(measured.project.base, root)
        (root / "tests").mkdir()
        (root / "tests" / "test_behave.py").write_text(_TEST.format(location=f"{kit.feature_path}:{kit.line}"))
        (root / "pyproject.toml").write_text(_SETTINGS.format(path=path))
        command = [str(Path(sys.executable).with_name("mutmut"))]
        done = subprocess.run(
            [*command, "run", "--max-children", str(jobs)], cwd=root, capture_output=True, text=True, check=True
        )
        shown = subprocess.run(
            [*command, "results", "--all", "true"], cwd=root, capture_output=True, text=True, check=True
        ).stdout
    rate = re.search(r"([0-9.]+) mutations/second", done.stdout)
    if rate is None:
        sys.exit(f"mutmut printed no rate:\n{done.stdout[-2000:]}")
    verdicts = re.findall(r"mutmut_\d+: (.+)", shown)
    run = [verdict for verdict in verdicts if verdict != "no tests"]
    each = len(verdicts) / float(rate[1]) / len(run)
    print(f"mutmut:   {len(run)} mutants run, {run.count('killed')} killed, {1000 * each:.1f} ms each")
    return each


def _testmark(measured: Measured, kit: KitInstance, path: str, jobs: int) -> float:
    bench = measured.bench
    source = measured.production.source(path)
    reached = kit.reference.scenario_lines[path]
    mutants = [m for m in generate(path, source) if reach_lines(source, m) & set(reached) and m.function != "<module>"]
    context = JudgeContext(bench.project, measured.production, bench.mutants, seed=0, audit_share=0.0, gate=Gate())
    runs = instance_runs(kit, context)
    reference = next(row.files for row in bench.references() if row.instance_id == kit.instance_id)
    runtime = runtime_of(bench.project.definition.project.framework)
    sandbox = choose()
    kills: list[bool] = []

    def work(mutant: Mutant, worker: Worker) -> bool:
        return is_kill(mutant_verdict(worker.run(mutant_request(runs, reference, mutant))))

    started = time.perf_counter()
    pool: Pool[Mutant, bool, Worker] = Pool(jobs, lambda: runtime.worker(measured.project, sandbox))
    pool.run(mutants, work, lambda _mutant, kill: kills.append(kill))
    each = (time.perf_counter() - started) / len(mutants)
    print(
        f"testmark: {len(mutants)} mutants run, {sum(kills)} killed, {1000 * each:.1f} ms each with the worker's start"
    )
    return each


if __name__ == "__main__":
    main()
