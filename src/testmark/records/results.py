"""Predictions, verdicts and their sums."""

from __future__ import annotations

from typing import Literal

from testmark.records.base import FileText, Record
from testmark.records.kit import MutantVerdict

Verdict = Literal["passed", "failed", "undefined", "invalid", "rejected", "empty", "timeout", "flaky", "infra"]
VERDICTS: tuple[Verdict, ...] = (
    "passed",
    "failed",
    "undefined",
    "invalid",
    "rejected",
    "empty",
    "timeout",
    "flaky",
    "infra",
)
METRICS: tuple[str, ...] = ("pass_at_1", "kill_complete_at_1", "mutant_kill_recall", "api_f1", "coverage_jaccard")


class Prediction(Record):
    """One line of `predictions.jsonl`; exactly one of `files` and `model_patch` is given."""

    instance_id: str
    model_name_or_path: str
    files: tuple[FileText, ...] | None = None
    model_patch: str | None = None


class StepResult(Record):
    """One step that ran: what it was and how it ended."""

    line: int
    keyword: str
    text: str
    status: str
    message: str = ""


class PickleResult(Record):
    """One pickle that ran."""

    line: int
    name: str
    steps: tuple[StepResult, ...]


class MutantResult(Record):
    """The judge's finding on one prediction and one mutant."""

    mutant_id: str
    verdict: MutantVerdict
    in_kill_set: bool
    detail: str = ""
    """One line: the first failing step and its message, or why it was not run."""
    how: Literal["warm", "cold", "not-run"] = "not-run"


class MutantDiff(Record):
    """One line of `RESULTS/diffs.jsonl`: a mutant as a unified diff with context."""

    mutant_id: str
    diff: str


class TaskMetrics(Record):
    """The five metrics of one instance, each between 0 and 1."""

    pass_at_1: float
    kill_complete_at_1: float
    mutant_kill_recall: float
    api_f1: float
    coverage_jaccard: float


class TaskResult(Record):
    """`RESULTS/tasks/<slug>.json`: everything the judge found on one prediction."""

    instance_id: str
    project: str
    model_name_or_path: str
    verdict: Verdict
    reason: str
    """Empty for `passed`; else the rule, the failing step or the limit, in one line."""
    pickles: tuple[PickleResult, ...]
    mutants: tuple[MutantResult, ...]
    metrics: TaskMetrics
    controls_run: int
    prediction_hash: str
    files: tuple[FileText, ...]
    how: Literal["warm", "cold", "not-run"]
    audited: int = 0
    """Warm verdicts on mutants that were compared with a cold run."""
    disagreements: int = 0
    """Of these, how many differed; more than none means that this result was judged cold."""
    seconds: float
    """Wall time of judging this prediction: the only field that may differ between two runs."""

    def mutant_results(self) -> tuple[MutantResult, ...]:
        """The findings on mutants."""
        return self.mutants


class Estimate(Record):
    """A mean over `n` instances with its 95 % interval."""

    value: float
    low: float
    high: float
    n: int


class AuditSummary(Record):
    """How many warm verdicts were compared with cold ones, and how many differed."""

    sampled: int
    disagreements: int


class Summary(Record):
    """`RESULTS/summary.json`, derived from the task files."""

    benchmark: str
    bench_id: str
    model_name_or_path: str
    tasks: int
    complete: bool
    verdicts: dict[str, int]
    metrics: dict[str, Estimate]
    """Micro: over all instances."""
    macro: dict[str, float]
    """Mean of the projects' means."""
    by_project: dict[str, dict[str, Estimate]]
    mutants: dict[str, int]
    audit: AuditSummary
    seconds: float


class RunSettings(Record):
    """`RESULTS/run.json`: what this evaluation was asked to do; a folder holds one evaluation."""

    benchmark: str
    bench: str
    """Where the benchmark was; it may have moved since."""
    bench_id: str
    predictions: str
    """SHA-256 of the predictions as they were read."""
    only: tuple[str, ...]
    limit: int | None
    seed: int
    mutation_scope: Literal["all", "changed"] = "all"
    """Of TestEvo: mutants of all methods that the developer's tests execute, or of those that the pair changed."""
    sandbox: str
    testmark_version: str


class AgentRun(Record):
    """`RUN/run.json`: one agent on a set of tasks."""

    agent: str
    command: str | None
    bench_id: str
    seed: int


class AgentTask(Record):
    """`RUN/tasks/<slug>.json`: how the agent did on one task."""

    instance_id: str
    outcome: Literal["done", "timeout", "agent_error", "infra"]
    detail: str
    seconds: float
    exit_code: int | None
    prediction: Prediction | None
