"""SIGKILL at random moments of `build` and of `evaluate`, then the same command: prints a table.

Usage: python bench/kills.py [--kills 30] [--seed 0] [--definition examples/behave-library] [--only GLOB]...

Each kill begins with an empty folder and hits the command's whole process group. The same command then runs to its end,
and every file is compared with that of an undisturbed run, but for times. Exits 1 when one differs, or when a process
that the killed command had started is still there two seconds later.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from testmark.engine.files import sha256_file
from testmark.sandbox import tree

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "behave-library"
ONLY = ("*/isbn.feature:*", "*/again.feature:*", "*/suche.feature:*")
TIMES = {"seconds", "cpu_seconds", "wall_seconds", "cold_cpu_seconds", "cold_wall_seconds"}
GRACE_SECONDS = 2.0


@dataclass
class Tally:
    """What the kills of one command came to."""

    command: str
    seconds: float
    """How long the undisturbed run took."""
    moments: list[float] = field(default_factory=list)
    files: int = 0
    too_late: int = 0
    """Kills that came after the command had ended."""
    processes_left: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)

    def row(self) -> str:
        """A line of the table."""
        span = f"{min(self.moments):.1f} to {max(self.moments):.1f} s of {self.seconds:.1f} s"
        cells = (len(self.moments), span, self.too_late, len(self.processes_left), self.files, len(self.differing))
        return f"| `{self.command}` | {' | '.join(map(str, cells))} |"


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
    print("| command | kills | moments | after its end | processes left | files compared | differing |")
    print("|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        top = Path(folder)
        build = ["build", str(options.definition.resolve()), *only]
        tallies = [_kill_often("build", build, top / "build", options.kills, chance)]
        bench = str(top / "build" / "whole")
        _run(["run", bench, "--agent", "reference", "--out", str(top / "run"), "--quiet"])
        evaluate = ["evaluate", bench, str(top / "run"), "--no-cache"]
        tallies.append(_kill_often("evaluate", evaluate, top / "evaluate", options.kills, chance))
    sys.exit(int(any(tally.processes_left or tally.differing for tally in tallies)))


def _kill_often(name: str, words: Sequence[str], top: Path, kills: int, chance: random.Random) -> Tally:
    whole, broken = top / "whole", top / "broken"
    started = time.monotonic()
    _run([*words, "--out", str(whole), "--quiet"])
    tally = Tally(name, time.monotonic() - started)
    expected = _contents(whole)
    tally.files = len(expected)
    for _ in range(kills):
        shutil.rmtree(broken, ignore_errors=True)
        command = [*words, "--out", str(broken), "--quiet"]
        _kill(command, chance.uniform(0, tally.seconds), tally)
        _run(command)
        found = _contents(broken)
        tally.differing += [path for path in sorted({*expected, *found}) if expected.get(path) != found.get(path)]
    print(tally.row(), flush=True)
    for complaint in (*tally.processes_left, *tally.differing):
        print(f"{name}: {complaint}", file=sys.stderr)
    return tally


def _command(words: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "testmark", *words]


def _run(words: Sequence[str]) -> None:
    done = subprocess.run(_command(words), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


def _kill(words: Sequence[str], moment: float, tally: Tally) -> None:
    mark = f"TESTMARK_KILLS={random.randbytes(8).hex()}"
    name, _, value = mark.partition("=")
    process = subprocess.Popen(
        _command(words),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, name: value},
        start_new_session=True,
    )
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(moment)
    tally.moments.append(moment)
    tally.too_late += process.poll() is not None
    below = {pid: _born(pid) for pid in tree.descendants([process.pid])[1:]}
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    deadline = time.monotonic() + GRACE_SECONDS
    while (left := _left(below, mark)) and time.monotonic() < deadline:
        time.sleep(0.05)
    tally.processes_left += [f"killed after {moment:.2f} s, still there: {found}" for found in left]


def _left(below: dict[int, str], mark: str) -> list[str]:
    """Command lines of processes that were below the command, or that bear its mark in their environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        pid = int(place.name)
        with contextlib.suppress(OSError):
            ours = (pid in below and _born(pid) == below[pid]) or mark.encode() in (place / "environ").read_bytes()
            if ours:
                found.append((place / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")[:200])
    return found


def _born(pid: int) -> str:
    """When a process was started: numbers are used again. Empty when it is gone or dead."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


def _contents(folder: Path) -> dict[str, object]:
    """Every file below a folder without times, and without the hashes that differ because times do."""
    found: dict[str, object] = {}
    manifest = folder / "bench.json"
    bench_id = json.loads(manifest.read_bytes())["bench_id"] if manifest.exists() else "none"
    for place in sorted(folder.rglob("*")):
        path = place.relative_to(folder).as_posix()
        if not place.is_file() or place.name == ".lock":
            continue
        if place.suffix in {".json", ".jsonl", ".md"}:
            text = place.read_text(encoding="utf-8").replace(bench_id, "BENCH_ID")
            found[path] = _timeless(place, text, path)
        else:
            found[path] = sha256_file(place)
    return found


def _timeless(place: Path, text: str, path: str) -> object:
    if place.suffix == ".md":
        return text
    values = [json.loads(line) for line in text.splitlines()] if place.suffix == ".jsonl" else json.loads(text)
    if path == "bench.json":
        hashes = values["hashes"]
        wrong = [name for name, value in hashes.items() if sha256_file(place.parent / name) != value]
        # Kits hold the reference's times, and the card names the hash over all kits.
        kept = {name: value for name, value in hashes.items() if not name.startswith(("kit/instances/", "README"))}
        return _without_times({**values, "hashes": kept}), sorted(hashes), wrong
    return _without_times(values)


def _without_times(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_times(found) for key, found in value.items() if key not in TIMES}
    return [_without_times(found) for found in value] if isinstance(value, list) else value


if __name__ == "__main__":
    main()
