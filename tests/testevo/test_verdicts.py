"""What a run on a mutant says: no status becomes a verdict that it is not."""

from __future__ import annotations

from typing import get_args

import pytest

from testmark.records.kit import MutantVerdict
from testmark.runtimes.maven.protocol import CaseResult, MethodsRun, RunStatus
from testmark.testevo.judged import mutant_verdict

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
