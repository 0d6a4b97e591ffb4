"""The measurements that documents quote run, and their tables hold what they claim."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from testmark.req2test.bench import open_bench

TOP = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.xdist_group("example")


def script(name: str, *arguments: str) -> str:
    command = [sys.executable, str(TOP / "bench" / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_weak_predictions_are_audited_whole(bench: Path, tmp_path: Path) -> None:
    table = script("audit.py", str(bench), "--pairs", "20", "--out", str(tmp_path))
    rows = {row[0]: row for row in re.findall(r"^\| ([\w-]+) \|.*\| (\d+) \| (\d+) \| (\d+) \|$", table, re.MULTILINE)}
    assert set(rows) == {"no-assertions", "half-assertions", "wrong-values", "partial"}
    assert {row[2:] for row in rows.values()} == {("0", "0")}
    assert sum(int(row[1]) for row in rows.values()) > 10
    assert "0 disagreements" in table
    summary = json.loads((tmp_path / "no-assertions-results/summary.json").read_text())
    assert summary["metrics"]["mutant_kill_recall"]["value"] < 1


def test_the_limit_is_measured_on_every_pair(bench: Path) -> None:
    printed = script("limit.py", str(bench), "--limit", "2", "--pairs", "10")
    pairs = sum(len(open_bench(bench).kit(row.instance_id).mutants) for row in open_bench(bench).rows()[:2])
    assert f"evaluate: 2 references, {pairs} pairs" in printed
    assert re.search(r"limit: [\d.]+ s; evaluate reaches \d+ % of it", printed)


def test_a_process_for_each_mutant_agrees_with_the_worker(bench: Path) -> None:
    assert "pairs 5, both ways agree on 5" in script("warm_and_processes.py", str(bench), "--pairs", "5")


def test_the_scheduler_alone_is_measured() -> None:
    assert "share" in script("scheduler.py", "--tasks", "50", "--mutants", "3")
