"""Killed at any moment, the same command goes on to the same files, and no process is left."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.faults.conftest import Shared
from tests.faults.place import TOP

pytestmark = [pytest.mark.xdist_group("interrupts"), pytest.mark.slow]


def test_kills_at_random_moments_lose_nothing(shared: Shared) -> None:
    script = [sys.executable, str(TOP / "bench/kills.py"), "--kills", "3", "--definition", str(shared() / "tiny")]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split("|") for line in done.stdout.splitlines() if line.startswith("| `")]
    assert [row[1].strip() for row in rows] == ["`build`", "`evaluate`"]
    assert all(int(row[2]) == 3 and int(row[7]) >= 5 for row in rows)
