"""Killed at any moment, `testevo mine` and `testevo evaluate` go on to the same bytes, and nothing is left."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.xdist_group("interrupts")]


@pytest.mark.usefixtures("place")  # skips without a JDK
def test_kills_at_random_moments_lose_nothing() -> None:
    script = [sys.executable, str(TOP / "bench/java_kills.py"), "--kills", "3"]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [[cell.strip() for cell in line.split("|")] for line in done.stdout.splitlines() if line.startswith("| `")]
    assert [row[1] for row in rows] == ["`testevo mine`", "`testevo evaluate`"]
    assert all(row[2] == "3" and row[-2] == "0" for row in rows)
    assert int(rows[0][-3]) > 100  # the store's jars among them
    assert int(rows[1][-3]) >= 6
