"""What a run on a mutant says: no status becomes a verdict that it is not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import get_args

import pytest

from testmark.records.kit import MutantVerdict
from testmark.runtimes.maven.protocol import CaseResult, MethodsRun, RunStatus
from testmark.runtimes.protocol import TimeLimits
from testmark.testevo.judged import JudgedRun, agrees, mutant_verdict

VERDICTS: dict[RunStatus, MutantVerdict] = {
    "passed": "survived",
    "failed": "killed_error",
    "skipped": "survived",
    "not-found": "survived",
    "timeout": "killed_timeout",
    "not-compiled": "infra",
    "infra": "infra",
}


@pytest.mark.parametrize("status", get_args(RunStatus))
def test_each_status_has_its_verdict(status: RunStatus) -> None:
    assert mutant_verdict(MethodsRun(status, "")) == VERDICTS[status]


def test_an_assertion_kills_as_such() -> None:
    case = CaseResult("a.T", "m", "m", "failed", assertion=True)
    assert mutant_verdict(MethodsRun("failed", "", (case,))) == "killed"


@pytest.mark.parametrize(
    ("warm", "cold", "seconds", "same"),
    [
        ("timeout", "timeout", 0.0, True),
        ("timeout", "failed", 9.0, True),
        ("timeout", "passed", 5.5, True),
        ("timeout", "failed", 1.0, False),
        ("timeout", "not-found", 9.0, False),
        ("passed", "timeout", 0.0, False),
        ("passed", "failed", 9.0, False),
        ("killed_error", "failed", 0.1, True),
        ("killed", "failed", 0.1, False),
    ],
)
def test_a_run_that_was_stopped_agrees_with_one_that_stood_near_the_limit(
    warm: str, cold: RunStatus, seconds: float, same: bool
) -> None:
    time = TimeLimits(cpu_seconds=10, idle_seconds=30.0, wall_seconds=300.0)
    asked = SimpleNamespace(warm=SimpleNamespace(time=time))
    one = JudgedRun("m", "1", None, asked, warm)  # type: ignore[arg-type]
    case = CaseResult("a.T", "m", "m", "failed" if cold == "failed" else "passed", seconds=seconds)
    assert agrees(one, MethodsRun(cold, "", (case,))) is same
