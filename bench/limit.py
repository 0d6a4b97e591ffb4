"""How near an evaluation comes to what two bare forks at a time could do on the same pairs of reference and mutant.

The limit on C cores is `boot + (compile + sum over pairs (fork + time to the first failing step)) / C`, or the longest
pair if that takes longer. Its parts are measured here, in bare forks that nothing confines or watches.

Usage: python bench/limit.py BENCH [--pairs 400]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Collection
from pathlib import Path

from references import Measured, Pair, open_measured, spread

from testmark.mutants import apply, swap_target
from testmark.req2test.agent_runs import RunOptions, run_agent
from testmark.req2test.evaluate import EvaluateOptions, evaluate
from testmark.sandbox import choose


def main() -> None:
    """Print the limit, what `evaluate` took, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench", type=Path)
    parser.add_argument("--pairs", type=int, default=400)
    parser.add_argument("--limit", type=int, default=None, help="evaluate so many instances only")
    options = parser.parse_args()
    measured = open_measured(options.bench)
    names = {row.instance_id for row in measured.bench.rows()[: options.limit]}
    print_limit(measured, names, _evaluate(measured, sorted(names)), options.pairs)


def print_limit(measured: Measured, names: Collection[str], spent: float, number: int = 400) -> None:
    """Measure the limit on so many pairs of the instances `names`, whose evaluation took `spent` seconds."""
    pairs = [pair for pair in measured.pairs() if pair.kit.instance_id in names]
    sample = [pair for pair in spread(pairs, number) if _can_be_bare(measured, pair)]
    cores = os.cpu_count() or 1
    print(f"evaluate: {len(names)} references, {len(pairs)} pairs with a mutant, {cores} cores: {spent:.1f} s")
    found = _bare(measured, sample)
    each = sum(found["pairs"]) / len(sample)
    compiling = found["compile"] * len(pairs) / len(sample)
    limit = max(*found["pairs"], found["boot"] + (compiling + len(pairs) * each) / cores)
    print(f"bare forks: {1000 * each:.1f} ms a pair ({len(sample)} pairs, of which {found['failed']} fail)")
    print(f"limit: {limit:.1f} s; evaluate reaches {100 * limit / spent:.0f} % of it", flush=True)


def _evaluate(measured: Measured, names: list[str]) -> float:
    """Seconds of judging the references with all their mutants, controls and audits."""
    sandbox = choose()
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        run_agent(measured.bench.folder, run, RunOptions("reference", sandbox, only=tuple(names), quiet=True))
        options = EvaluateOptions(sandbox=sandbox, only=tuple(names), use_cache=False, quiet=True)
        started = time.perf_counter()
        summary = evaluate(measured.bench.folder, run, Path(folder) / "results", options)
        spent = time.perf_counter() - started
    assert summary.metrics["kill_complete_at_1"].value == 1.0
    return spent


def _can_be_bare(measured: Measured, pair: Pair) -> bool:
    """One function's mutant that ends by itself: a bare fork has no limit of time."""
    ends = pair.kit.kill_verdicts[pair.mutant.mutant_id] != "killed_timeout"
    return ends and _swap(measured, pair) is not None


def _swap(measured: Measured, pair: Pair) -> tuple[str, int] | None:
    return swap_target(measured.production.source(pair.mutant.path), pair.mutant)


def _bare(measured: Measured, sample: list[Pair]) -> dict:
    described = []
    for pair in sample:
        swap = _swap(measured, pair)
        assert swap is not None
        described.append(
            {
                "location": f"{pair.kit.feature_path}:{pair.kit.line}",
                "userdata": dict(pair.kit.userdata),
                "path": pair.mutant.path,
                "line": swap[1],
                "name": swap[0].rpartition(".")[2],
                "text": apply(measured.production.source(pair.mutant.path), pair.mutant),
            }
        )
    project = measured.project
    layout = measured.bench.project.definition.layout
    job = {"import_paths": list(layout.import_paths), "pairs": described}
    done = subprocess.run(
        [str(project.prefix / "bin" / "python"), "-B", str(Path(__file__).with_name("limit_child.py"))],
        input=json.dumps(job),
        cwd=project.base,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


if __name__ == "__main__":
    main()
