"""All measurements, printed as tables; ratios are measured side by side in one run.

Usage: python bench/run.py [--bench BENCH] [--pairs 40] [--java BENCH] [--kills 1]

A part of the shipped example is built first; without --bench it is what all are measured on. So is a history of four
commits for Java, without --java, where a JDK and a Maven are at hand.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import top  # noqa: F401

from testmark.engine.cache import default_cache
from testmark.errors import ToolMissingError
from testmark.sandbox import choose
from testmark.testevo.workshop import MavenWorkshop
from tests.testevo.small_history import write_history

TESTEVO = "from testmark.cli.start import testevo; testevo()"
TOP = Path(__file__).resolve().parent


def main() -> None:
    """Run each measurement in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=None)
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--java", type=Path, default=None, help="a mined benchmark of testevo")
    parser.add_argument("--kills", type=int, default=1, help="of each command; 0 leaves them out")
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
        _measure(title, arguments)
    if options.kills:
        _measure("SIGKILL at random moments", [str(TOP / "kills.py"), "--kills", str(options.kills)])
    try:
        MavenWorkshop(choose(), default_cache()).toolchains()
    except ToolMissingError as error:
        print(f"\nTestEvo is left out: {error}")
        return
    java = options.java or _mined(Path("build/bench"))
    _measure("The JVM worker: time and memory", [str(TOP / "java_worker.py"), "2000"])
    _measure("A mutant by our JVM, by Maven and by PIT", [str(TOP / "java_speed.py"), str(java)])
    if options.kills:
        _measure("SIGKILL at random moments of testevo", [str(TOP / "java_kills.py"), "--kills", str(options.kills)])


def _mined(folder: Path) -> Path:
    """A benchmark of the small history that the tests have."""
    repository, bench = folder / "fees", folder / "fees-bench"
    if not repository.is_dir():
        write_history(repository)
    _run(["-c", TESTEVO, "mine", str(repository), "--out", str(bench), "--url", "https://host/fees", "--quiet"])
    return bench


def _measure(title: str, arguments: list[str]) -> None:
    print(f"\n## {title}\n", flush=True)
    _run(arguments)


def _run(arguments: list[str]) -> None:
    subprocess.run([sys.executable, *arguments], check=True)


if __name__ == "__main__":
    main()
