"""Warm verdicts of weak predictions against cold ones, all of them: prints a table and exits 1 on a disagreement.

Usage: python bench/audit.py BENCH [--pairs 1000] [--out FOLDER]
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import weak

from testmark.records.results import TaskResult
from testmark.req2test.audit import AuditOptions, audit
from testmark.req2test.bench import Bench, open_bench
from testmark.req2test.evaluate import EvaluateOptions, evaluate
from testmark.sandbox import choose


def main() -> None:
    """Evaluate and audit each kind of weak prediction on instances that together hold about so many pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench", type=Path)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args()
    bench = open_bench(options.bench)
    with tempfile.TemporaryDirectory() as folder:
        out = options.out or Path(folder)
        out.mkdir(parents=True, exist_ok=True)
        sys.exit(_audit_all(bench, options.pairs, out))


def _audit_all(bench: Bench, pairs: int, out: Path) -> int:
    print("| predictions | instances | verdicts | mutants | audited | disagreements | infra |")
    print("|---|---|---|---|---|---|---|", flush=True)
    sandbox = choose()
    audited = wrong = 0
    for kind in weak.KINDS:
        ids = _sample(bench, kind, pairs // len(weak.KINDS))
        place = out / f"{kind}.jsonl"
        weak.write_run(bench, kind, ids, place)
        results = out / f"{kind}-results"
        options = EvaluateOptions(sandbox=sandbox, only=tuple(ids), audit_share=0.0, use_cache=False, quiet=True)
        summary = evaluate(bench.folder, place, results, options)
        report = audit(results, replace(AuditOptions(sandbox=sandbox, quiet=True), share=1.0))
        verdicts = ", ".join(f"{name} {count}" for name, count in summary.verdicts.items() if count)
        mutants = ", ".join(f"{name} {count}" for name, count in _mutants(results).items())
        print(
            f"| {kind} | {len(ids)} | {verdicts} | {mutants} "
            f"| {report.sampled} | {len(report.disagreements)} | {report.infra} |",
            flush=True,
        )
        for found in report.disagreements:
            print(f"{found}", file=sys.stderr)
        audited += report.sampled
        wrong += len(report.disagreements) + report.infra
    print(f"\n{audited} warm verdicts run cold, {wrong} disagreements")
    return int(wrong > 0)


def _sample(bench: Bench, kind: str, pairs: int) -> list[str]:
    """Instances, chosen by the kind's name, whose mutants together are at least so many; all when there are fewer."""
    names = [row.instance_id for row in bench.rows()]
    chosen: list[str] = []
    found = 0
    for name in random.Random(kind).sample(names, len(names)):
        if found >= pairs:
            break
        chosen.append(name)
        found += len(bench.kit(name).mutants)
    return sorted(chosen)


def _mutants(results: Path) -> dict[str, int]:
    counts: collections.Counter[str] = collections.Counter()
    for place in sorted((results / "tasks").glob("*.json")):
        result = TaskResult.from_json(place.read_bytes())
        counts.update(mutant.verdict for mutant in result.mutants if mutant.how == "warm")
    return dict(sorted(counts.items()))


if __name__ == "__main__":
    main()
