"""All measurements, printed as tables; ratios are measured side by side in one run.

Usage: python bench/run.py [--bench BENCH] [--pairs 40]

Without --bench a part of the shipped example is built first.
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
    parser.add_argument("--bench", type=Path, default=Path("build/bench/example"))
    parser.add_argument("--pairs", type=int, default=40)
    options = parser.parse_args()
    if not (options.bench / "bench.json").exists():
        only = ["--only", "*/isbn.feature:*", "--only", "*/suche.feature:*"]
        definition = str(TOP.parent / "examples" / "behave-library")
        _run(["-m", "testmark", "build", definition, "--out", str(options.bench), "--quiet", *only])
    for title, arguments in (
        ("The scheduler alone", [str(TOP / "scheduler.py")]),
        (
            "Warm runs against one `python -m behave` a mutant",
            [str(TOP / "warm_and_processes.py"), str(options.bench), "--pairs", str(options.pairs)],
        ),
    ):
        print(f"\n## {title}\n", flush=True)
        _run(arguments)


def _run(arguments: list[str]) -> None:
    subprocess.run([sys.executable, *arguments], check=True)


if __name__ == "__main__":
    main()
