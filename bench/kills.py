"""SIGKILL at random moments of `build` and of `evaluate`, then the same command: prints a table.

Usage: python bench/kills.py [--kills 30] [--seed 0] [--definition examples/behave-library] [--only GLOB]...

Each kill begins with an empty folder and hits the command's whole process group. The same command then runs to its end,
and every file is compared with that of an undisturbed run, but for times. Exits 1 when one differs, or when something
that the killed command had started or made is left.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

from killing import HEADER, Subject, kill_often, run, timeless_json, without_times

from testmark.engine.files import sha256_file

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "behave-library"
ONLY = ("*/isbn.feature:*", "*/again.feature:*", "*/suche.feature:*")
TESTMARK = (sys.executable, "-m", "testmark")


def main() -> None:
    """Kill, go on, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--definition", type=Path, default=EXAMPLE)
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    chosen = options.only or (ONLY if options.definition == EXAMPLE else ())
    only = [word for glob in chosen for word in ("--only", glob)]
    chance = random.Random(options.seed)
    print(HEADER, flush=True)
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        top = Path(folder)
        build = Subject("build", (*TESTMARK, "build", str(options.definition.resolve()), *only), contents)
        tallies = [kill_often(build, _made(top / "build"), options.kills, chance)]
        bench = str(top / "build" / "whole")
        run([*TESTMARK, "run", bench, "--agent", "reference", "--out", str(top / "run"), "--quiet"])
        evaluate = Subject("evaluate", (*TESTMARK, "evaluate", bench, str(top / "run"), "--no-cache"), contents)
        tallies.append(kill_often(evaluate, _made(top / "evaluate"), options.kills, chance))
    sys.exit(int(not all(tally.good for tally in tallies)))


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def contents(folder: Path) -> dict[str, object]:
    """Every file below a folder without times, and without the hashes that differ because times do."""
    found: dict[str, object] = {}
    manifest = folder / "bench.json"
    bench_id = json.loads(manifest.read_bytes())["bench_id"] if manifest.exists() else "none"
    for place in sorted(folder.rglob("*")):
        path = place.relative_to(folder).as_posix()
        if not place.is_file() or place.name == ".lock":
            continue
        if path == "bench.json":
            found[path] = _manifest(place, bench_id)
        elif place.suffix == ".md":
            found[path] = place.read_text(encoding="utf-8").replace(bench_id, "BENCH_ID")
        elif place.suffix in {".json", ".jsonl"}:
            found[path] = timeless_json(place, {bench_id: "BENCH_ID"})
        else:
            found[path] = sha256_file(place)
    return found


def _manifest(place: Path, bench_id: str) -> object:
    values = json.loads(place.read_text(encoding="utf-8").replace(bench_id, "BENCH_ID"))
    hashes = values["hashes"]
    wrong = [name for name, value in hashes.items() if sha256_file(place.parent / name) != value]
    # Kits hold the reference's times, and the card names the hash over all kits.
    kept = {name: value for name, value in hashes.items() if not name.startswith(("kit/instances/", "README"))}
    return without_times({**values, "hashes": kept}), sorted(hashes), wrong


if __name__ == "__main__":
    main()
