"""SIGKILL at random moments of `testevo mine` and of `testevo evaluate`, then the same command: prints a table.

Usage: python bench/java_kills.py [--kills 20] [--seed 0] [--repository FOLDER] [--mutator ast]

Each kill begins with an empty folder and with nothing unpacked, and hits the command's whole process group; a killed
mining has fetched none of the repository's dependencies yet. The same command then runs to its end. The mined folder
must have the bytes of an undisturbed mining, results those of an undisturbed evaluation but for times. Exits 1 when a
file differs, or when something that the killed command had started or made is left. Without --repository a history of
four commits is mined.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import top  # noqa: F401
from killing import HEADER, Subject, kill_often, run, timeless_json

from testmark.engine.cache import default_cache
from testmark.engine.files import sha256_file
from testmark.testevo.archives import is_of_store
from testmark.testevo.mining import WORK
from tests.testevo.small_history import write_history

TESTEVO = (sys.executable, "-c", "from testmark.cli.start import testevo; testevo()")
UNPACKED = ("trees", "stores")
"""Folders of the user's cache that evaluations fill."""


def main() -> None:
    """Kill, go on, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repository", type=Path, default=None)
    parser.add_argument("--mutator", choices=("universal", "ast"), default="ast")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    print(f"load {os.getloadavg()[0]:.1f}\n\n{HEADER}", flush=True)
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        top = Path(folder)
        repository = options.repository or top / "repository"
        if options.repository is None:
            write_history(repository)
        environment, forget = _own_cache(top / "cache")
        line = (*TESTEVO, "mine", str(repository.resolve()), "--mutator", options.mutator)
        mine = Subject("testevo mine", line, mined, environment, forget)
        tallies = [kill_often(mine, _made(top / "mine"), options.kills, chance)]
        bench = str(top / "mine" / "whole")
        run([*TESTEVO, "run", bench, "--agent", "reference", "--out", str(top / "run"), "--quiet"], mine.variables())
        line = (*TESTEVO, "evaluate", bench, str(top / "run"), "--no-cache")
        evaluate = Subject("testevo evaluate", line, judged, environment, forget)
        tallies.append(kill_often(evaluate, _made(top / "evaluate"), options.kills, chance))
    print(f"\nload {os.getloadavg()[0]:.1f}", flush=True)
    sys.exit(int(not all(tally.good for tally in tallies)))


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _own_cache(folder: Path) -> tuple[dict[str, str], Callable[[], None]]:
    """A cache of testmark that shares all with the user's but what is unpacked; and what empties that."""
    theirs = default_cache()
    folder.mkdir()
    theirs.mkdir(parents=True, exist_ok=True)
    for place in theirs.iterdir():
        if place.name not in UNPACKED:
            (folder / place.name).symlink_to(place.resolve())

    def forget() -> None:
        for name in UNPACKED:
            shutil.rmtree(folder / name, ignore_errors=True)

    return {"TESTMARK_CACHE": str(folder)}, forget


def mined(folder: Path) -> dict[str, object]:
    """The bytes of every file that is published, and what mining keeps for itself but for times, logs and dates."""
    found: dict[str, object] = {}
    work = folder / WORK
    for place in sorted(folder.rglob("*")):
        path = place.relative_to(folder).as_posix()
        if place.is_symlink() or not place.is_file() or place.name.endswith(".lock"):
            continue
        if place.is_relative_to(work / "pairs"):
            found[path] = timeless_json(place)
        elif not place.is_relative_to(work / "store") or is_of_store(place.relative_to(work / "store").as_posix()):
            found[path] = sha256_file(place) if place.suffix != ".log" else "a log"
    return found


def judged(folder: Path) -> dict[str, object]:
    """Every file of an evaluation but for times."""
    return {
        place.relative_to(folder).as_posix(): timeless_json(place)
        if place.suffix in {".json", ".jsonl"}
        else sha256_file(place)
        for place in sorted(folder.rglob("*"))
        if place.is_file() and place.name != ".lock"
    }


if __name__ == "__main__":
    main()
