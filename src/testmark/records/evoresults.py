"""What the judge of TestEvo found on one prediction."""

from __future__ import annotations

from typing import Literal

from testmark.records.base import Record
from testmark.records.results import MutantResult
from testmark.records.tasks import CellResult, Track

EvoVerdict = Literal["success", "failed", "rejected", "empty", "timeout", "flaky", "infra"]
EVO_VERDICTS: tuple[EvoVerdict, ...] = ("success", "failed", "rejected", "empty", "timeout", "flaky", "infra")
EVO_METRICS: tuple[str, ...] = ("success", "cov_on_pass", "mut_on_pass", "overall")
SHARES: tuple[CellResult, ...] = ("Pass", "ExecFail", "CmplFail", "HrnsFail")


class EvoTargetResult(Record):
    """One target method of one prediction."""

    test_class: str
    method: str
    new: CellResult | None
    """On the new revision; None when it was not run, or gave no verdict."""
    old: CellResult | None
    """On the old revision; None where the track does not ask, or it was not run."""
    reason: str
    """Why it misses the criterion; empty when it meets it."""
    success: bool
    progress: float
    """0 does not compile, 1/3 compiles and fails, 2/3 passes and misses the criterion, 1 meets it."""
    covered: int
    scope: int
    """Executable lines of the developer's dependency methods, and how many of them this test covers."""
    gain: float | None
    """For refinement: (covered - covered by the unrefined test) / scope."""
    mutants: tuple[MutantResult, ...]


class EvoTaskMetrics(Record):
    """One task's figures; `cov_on_pass` and `mut_on_pass` are None unless it is a success."""

    success: float
    cov_on_pass: float | None
    mut_on_pass: float | None
    overall: float


class EvoTaskResult(Record):
    """`RESULTS/tasks/<slug>.json`."""

    task_id: str
    project: str
    track: Track
    date: str
    model_name_or_path: str
    verdict: EvoVerdict
    reason: str
    targets: tuple[EvoTargetResult, ...]
    metrics: EvoTaskMetrics
    shares: dict[str, float]
    """Of its target methods on the new revision: Pass, ExecFail, CmplFail, HrnsFail."""
    controls_run: int
    ignored: tuple[str, ...]
    """Files of the prediction beside the target test file: they count for nothing."""
    prediction_hash: str
    content: str
    """The target test file as it was judged."""
    how: Literal["warm", "cold", "not-run"]
    audited: int = 0
    disagreements: int = 0
    seconds: float
    """Wall time of judging this prediction: the only field that may differ between two runs."""

    def mutant_results(self) -> tuple[MutantResult, ...]:
        """The findings on mutants, of one target after the other."""
        return tuple(mutant for target in self.targets for mutant in target.mutants)
