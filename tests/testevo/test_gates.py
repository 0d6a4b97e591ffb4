"""Gates: an evaluation of a shipped agent that scores what it must not."""

from __future__ import annotations

from pathlib import Path

import pytest

from testmark.agents.gates import failed_gates
from testmark.cli.common import gated
from testmark.records.results import AgentRun, AuditSummary, Estimate, Summary
from testmark.testevo.gates import GATES


def summary(success: float, n: int = 3) -> Summary:
    return Summary(
        benchmark="testevo", bench_id="b", model_name_or_path="m", tasks=3, complete=n == 3, verdicts={},
        metrics={"success": Estimate(value=success, low=success, high=success, n=n)}, macro={}, by_project={},
        mutants={}, audit=AuditSummary(sampled=0, disagreements=0), seconds=0.0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("agent", "success", "n", "failing"),
    [
        ("reference", 1.0, 3, 0),
        ("reference", 2 / 3, 3, 1),
        ("reference", 0.0, 0, 0),
        ("unrefined", 0.0, 3, 0),
        ("unrefined", 1 / 3, 3, 1),
        ("empty", 1.0, 3, 1),
        ("always-fail", 1 / 3, 3, 1),
        ("always-pass", 1 / 3, 3, 0),
        ("command", 0.5, 3, 0),
    ],
)
def test_what_each_agent_must_score(
    agent: str, success: float, n: int, failing: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = AgentRun(agent=agent, command=None, bench_id="b", seed=0)
    (tmp_path / "run.json").write_text(run.to_json(), encoding="utf-8")
    found = failed_gates(tmp_path, summary(success, n), GATES)
    assert len(found) == failing
    assert all(f"success of `{agent}` is {success:.6g} and must be" in one for one in found)
    assert gated(tmp_path, summary(success, n), GATES) == int(bool(failing) or n < 3)
    assert capsys.readouterr().err.splitlines() == found


def test_a_file_of_predictions_is_of_no_agent(tmp_path: Path) -> None:
    assert failed_gates(tmp_path / "predictions.jsonl", summary(0.0), GATES) == []
