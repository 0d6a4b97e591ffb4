"""A definition from its sources to a report: build, evaluate the reference twice, compare the two byte for byte.

Usage: python bench/whole.py [python-docx] --out FOLDER [--bench BENCH] [--limit N]

Prints a table and exits 1 when a metric is not 1, a verdict is not `passed`, or the two evaluations differ in more than
their times. With --bench nothing is built.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from pathlib import Path

from limit import print_limit
from references import open_measured

from testmark.projects.load import load_definition
from testmark.records.results import METRICS, Summary
from testmark.req2test.agent_runs import RunOptions, run_agent
from testmark.req2test.build import BuildOptions, build
from testmark.req2test.evaluate import EvaluateOptions, evaluate
from testmark.sandbox import choose


def main() -> None:
    """Print what was built, what both evaluations said, how long each took, and the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("definition", nargs="?", default="python-docx")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--bench", type=Path, default=None)
    parser.add_argument("--limit", type=int, default=None)
    options = parser.parse_args()
    sandbox = choose()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start\n")
    bench = options.bench or options.out / "bench"
    if options.bench is None:
        started = time.monotonic()
        build(
            load_definition(options.definition), bench, BuildOptions(sandbox=sandbox, limit=options.limit, quiet=True)
        )
        print(f"build: {_time(time.monotonic() - started)}")
    manifest = json.loads((bench / "bench.json").read_text())
    print("rows: " + ", ".join(f"{name} {count}" for name, count in manifest["counts"].items()))
    for rule, count in sorted(_dropped(bench).items()):
        print(f"dropped: {rule} {count}")
    run_agent(bench, options.out / "run", RunOptions("reference", sandbox, quiet=True))
    found = []
    for name in ("first", "second"):
        started = time.monotonic()
        judged = EvaluateOptions(sandbox=sandbox, use_cache=False, quiet=True)
        summary = evaluate(bench, options.out / "run", options.out / name, judged)
        spent = time.monotonic() - started
        found.append(summary)
        _print_summary(name, summary, spent)
        if name == "first":
            print_limit(open_measured(bench), {row.instance_id for row in open_measured(bench).bench.rows()}, spent)
    differing = _differing(options.out / "first", options.out / "second")
    print(
        f"\nfiles that differ between the two but for their times: {len(differing)} {' '.join(differing[:5])}".rstrip()
    )
    sys.exit(int(bool(differing) or not all(_perfect(summary) for summary in found)))


def _print_summary(name: str, summary: Summary, spent: float) -> None:
    values = ", ".join(f"{metric} {summary.metrics[metric].value:.3f}" for metric in METRICS)
    verdicts = ", ".join(f"{verdict} {count}" for verdict, count in summary.verdicts.items() if count)
    mutants = ", ".join(f"{verdict} {count}" for verdict, count in summary.mutants.items() if count)
    audit = f"{summary.audit.sampled} audited cold, {summary.audit.disagreements} disagreements"
    print(f"\n{name} evaluation: {_time(spent)}\n  {values}\n  {verdicts}\n  mutants: {mutants}\n  {audit}", flush=True)


def _perfect(summary: Summary) -> bool:
    others = [count for verdict, count in summary.verdicts.items() if verdict != "passed"]
    return summary.complete and not any(others) and all(summary.metrics[m].value == 1.0 for m in METRICS)


def _dropped(bench: Path) -> Counter[str]:
    lines = (bench / "dropped.jsonl").read_text().splitlines()
    return Counter(f"{drop['kind']} {drop['rule']}" for drop in map(json.loads, lines))


def _differing(one: Path, two: Path) -> list[str]:
    """Paths whose contents differ when the key `seconds` is taken out of every JSON object at the top."""
    names = {path.relative_to(top).as_posix() for top in (one, two) for path in top.rglob("*") if path.is_file()}
    return sorted(name for name in names if not name.endswith(".lock") and _content(one / name) != _content(two / name))


def _content(path: Path) -> object:
    if not path.exists():
        return None
    data = path.read_bytes()
    if path.suffix != ".json":
        return data
    value = json.loads(data)
    value.pop("seconds", None)
    return json.dumps(value)


def _time(seconds: float) -> str:
    return f"{int(seconds // 60)} min {seconds % 60:04.1f} s"


if __name__ == "__main__":
    main()
