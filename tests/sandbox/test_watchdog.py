"""What a killed process of ours leaves is ended and removed, also where bubblewrap's own arrangement does not reach."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.sandbox.conftest import processes_with

PROGRAM = """
import subprocess, sys, time
from testmark.sandbox import watched
from testmark.sandbox.scratch import scratch_folder

with scratch_folder("testmark-") as folder:
    (folder / "file").touch()
    # As bubblewrap is in its first moments: started by us, and not yet tied to us.
    subprocess.Popen(["sleep", sys.argv[1]], env=watched.marked({}), start_new_session=True)
    print("ready", flush=True)
    time.sleep(60)
"""


def started(tmp_path: Path, seconds: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, seconds],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    # A program that begins has no command line for a moment.
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not processes_with(f"sleep\0{seconds}"):
        time.sleep(0.02)
    return process


def until_gone(tmp_path: Path, seconds: str) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and (processes_with(f"sleep\0{seconds}") or list(tmp_path.iterdir())):
        time.sleep(0.02)


def test_killed_with_its_whole_group_nothing_of_it_is_left(tmp_path: Path) -> None:
    seconds = f"4{os.getpid()}"
    process = started(tmp_path, seconds)
    assert processes_with(f"sleep\0{seconds}")
    assert len(list(tmp_path.iterdir())) == 1
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    until_gone(tmp_path, seconds)
    assert not processes_with(f"sleep\0{seconds}")
    assert list(tmp_path.iterdir()) == []


def test_what_others_started_stays(tmp_path: Path) -> None:
    ours, theirs = f"5{os.getpid()}", f"6{os.getpid()}"
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one, two = started(tmp_path / "one", ours), started(tmp_path / "two", theirs)
    os.killpg(one.pid, signal.SIGKILL)
    one.wait()
    until_gone(tmp_path / "one", ours)
    assert not processes_with(f"sleep\0{ours}")
    assert processes_with(f"sleep\0{theirs}")
    os.killpg(two.pid, signal.SIGKILL)
    two.wait()
    until_gone(tmp_path / "two", theirs)
    assert not processes_with(f"sleep\0{theirs}")
