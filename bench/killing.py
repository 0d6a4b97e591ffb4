"""SIGKILL at random moments of a command, then the same command to its end: what measurements of that share.

Each kill hits the command's whole process group and begins with an empty folder. Every file of the folder in the end is
compared with that of an undisturbed run. What the killed command had started must be gone two seconds later, and its
temporary folders soon after.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from testmark.sandbox import tree

TIMES = {"seconds", "cpu_seconds", "wall_seconds", "cold_cpu_seconds", "cold_wall_seconds"}
GRACE_SECONDS = 2.0
FOLDERS_GRACE_SECONDS = 15.0
"""Removing a copy of a work tree takes as long as the disk needs."""
HEADER = (
    "| command | kills | moments | after its end | processes left | folders left | files compared | differing |"
    "\n|---|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True)
class Subject:
    """A command that writes a folder."""

    name: str
    start: Sequence[str]
    """What is run, without `--out` and `--quiet`."""
    contents: Callable[[Path], Mapping[str, object]]
    """What must be the same of a folder that the command has written, by path."""
    environment: Mapping[str, str] = field(default_factory=dict)
    prepare: Callable[[], None] = lambda: None
    """Called before each run that begins from nothing: removes what the command keeps elsewhere."""

    def command(self, out: Path) -> list[str]:
        return [*self.start, "--out", str(out), "--quiet"]

    def variables(self) -> dict[str, str]:
        return {**os.environ, **self.environment}


@dataclass
class Tally:
    """What the kills of one command came to."""

    command: str
    seconds: float
    """The shortest that a whole run took."""
    moments: list[float] = field(default_factory=list)
    files: int = 0
    too_late: int = 0
    """Kills that came after the command had ended: they count for nothing, others are made."""
    processes_left: list[str] = field(default_factory=list)
    folders_left: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        return not (self.processes_left or self.folders_left or self.differing)

    def row(self) -> str:
        """A line of the table."""
        span = f"{min(self.moments):.1f} to {max(self.moments):.1f} s of {self.seconds:.1f} s"
        left = (len(self.processes_left), len(self.folders_left))
        cells = (len(self.moments), span, self.too_late, *left, self.files, len(self.differing))
        return f"| `{self.command}` | {' | '.join(map(str, cells))} |"


def kill_often(subject: Subject, top: Path, kills: int, chance: random.Random) -> Tally:
    """Run it undisturbed into `top/whole`, then kill it so often, and print the row."""
    whole, broken = top / "whole", top / "broken"
    subject.prepare()
    started = time.monotonic()
    run(subject.command(whole), subject.variables())
    tally = Tally(subject.name, time.monotonic() - started)
    expected = subject.contents(whole)
    tally.files = len(expected)
    while len(tally.moments) < kills:
        shutil.rmtree(broken, ignore_errors=True)
        subject.prepare()
        moment = chance.uniform(0, tally.seconds)
        if not _kill(subject, broken, top / f"tmp{len(tally.moments) + tally.too_late}", moment, tally):
            continue
        run(subject.command(broken), subject.variables())
        found = subject.contents(broken)
        tally.differing += [
            f"killed after {moment:.2f} s, differs: {path}"
            for path in sorted({*expected, *found})
            if expected.get(path) != found.get(path)
        ]
    print(tally.row(), flush=True)
    for complaint in (*tally.processes_left, *tally.folders_left, *tally.differing):
        print(f"{subject.name}: {complaint}", file=sys.stderr)
    return tally


def run(command: Sequence[str], variables: Mapping[str, str] | None = None) -> None:
    """Run to the end; ends this program when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


def _kill(subject: Subject, out: Path, temporary: Path, moment: float, tally: Tally) -> bool:
    """Whether it came in time; a machine that has become quicker ends the command sooner."""
    mark = f"TESTMARK_KILLS={random.randbytes(8).hex()}"
    name, _, value = mark.partition("=")
    temporary.mkdir()
    process = subprocess.Popen(
        subject.command(out),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**subject.variables(), name: value, "TMPDIR": str(temporary)},
        start_new_session=True,
    )
    started = time.monotonic()
    with contextlib.suppress(subprocess.TimeoutExpired):
        if process.wait(moment):
            sys.exit(f"{' '.join(process.args)}: exit code {process.returncode}, and nobody has killed it")
        tally.too_late += 1
        tally.seconds = min(tally.seconds, time.monotonic() - started)
        return False
    tally.moments.append(moment)
    below = {pid: _born(pid) for pid in tree.descendants([process.pid])[1:]}
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    killed = time.monotonic()
    while (left := _left(below, mark)) and time.monotonic() < killed + GRACE_SECONDS:
        time.sleep(0.05)
    tally.processes_left += [f"killed after {moment:.2f} s, still there: {found}" for found in left]
    while (folders := sorted(temporary.iterdir())) and time.monotonic() < killed + FOLDERS_GRACE_SECONDS:
        time.sleep(0.05)
    tally.folders_left += [f"killed after {moment:.2f} s, temporary folder still there: {one.name}" for one in folders]
    return True


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


def timeless_json(place: Path, replaced: Mapping[str, str] | None = None) -> object:
    """The values of a JSON or JSONL file without times; some words of its text replaced first."""
    text = place.read_text(encoding="utf-8")
    for word, other in (replaced or {}).items():
        text = text.replace(word, other)
    if place.suffix == ".jsonl":
        return [without_times(json.loads(line)) for line in text.splitlines()]
    return without_times(json.loads(text))


def without_times(value: object) -> object:
    """A JSON value without the fields that hold times."""
    if isinstance(value, dict):
        return {key: without_times(found) for key, found in value.items() if key not in TIMES}
    return [without_times(found) for found in value] if isinstance(value, list) else value
