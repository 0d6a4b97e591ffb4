"""All measurements, printed as tables; ratios are measured side by side in one run.

Usage: python bench/run.py [--bench BENCH] [--pairs 40]

A part of the shipped example is built first; without --bench it is what all are measured on.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent


def main() -> None:
    """Run each measurement in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=None)
    parser.add_argument("--pairs", type=int, default=40)
    options = parser.parse_args()
    example = Path("build/bench/example")
    only = ["--only", "*/items.feature:*", "--only", "*/isbn.feature:*", "--only", "*/suche.feature:*"]
    definition = str(TOP.parent / "examples" / "behave-library")
    _run(["-m", "testmark", "build", definition, "--out", str(example), "--quiet", *only])
    options.bench = options.bench or example
    for title, arguments in (
        ("The scheduler alone", [str(TOP / "scheduler.py")]),
        (
            "Warm runs against one `python -m behave` a mutant",
            [str(TOP / "warm_and_processes.py"), str(options.bench), "--pairs", str(options.pairs)],
        ),
        ("An evaluation against its limit", [str(TOP / "limit.py"), str(options.bench)]),
        ("One Scenario of the example against mutmut", [str(TOP / "mutmut_beside.py"), str(example)]),
    ):
        print(f"\n## {title}\n", flush=True)
        _run(arguments)


def _run(arguments: list[str]) -> None:
    subprocess.run([sys.executable, *arguments], check=True)


if __name__ == "__main__":
    main()
