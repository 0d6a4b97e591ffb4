"""Every example in the help of `testevo` works as it stands, and prints one object with `--json`."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from testmark.cli import testevo

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.xdist_group("testevo")]
ORDER = ("doctor", "projects", "mine", "check-leaks", "prepare", "run", "evaluate", "audit", "report", "show")
"""Each verb after those whose files it takes; `toolchain` makes a Debian root, which other tests do."""


def examples(command: click.Command) -> Iterator[str]:
    for line in (command.help or "").splitlines():
        if line.strip().startswith("testevo "):
            yield line.strip()


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    words = shlex.split(line.replace("~", str(folder)))
    command = [sys.executable, "-c", "from testmark.cli.testevo import main; main()", *words[1:]]
    return subprocess.run(
        command, cwd=folder, env={**os.environ, "NO_COLOR": "1"}, capture_output=True, text=True, check=False
    )


def test_every_example_works(place: Path, bench: Path, tmp_path: Path) -> None:
    assert bench.is_dir()
    (tmp_path / "code").mkdir()
    (tmp_path / "code/shop").symlink_to(place / "repository")
    verbs = testevo.main.commands
    assert set(verbs) == {*ORDER, "toolchain"}
    for verb in ORDER:
        for line in examples(verbs[verb]):
            # The shipped sub-command of an agent is whatever a reader has; here it leaves the task as it is.
            done = run(line.replace("my-agent --task TASK.md", "cat TASK.md"), tmp_path)
            assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
            assert done.stdout.strip(), line
            if verb in {"doctor", "evaluate", "report"}:
                again = run(f"{line} --json", tmp_path)
                assert isinstance(json.loads(again.stdout), dict), line
