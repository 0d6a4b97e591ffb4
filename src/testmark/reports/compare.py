"""Several runs side by side: each against the first, by a paired test over the instances that both have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from testmark.intervals import Paired, paired_test
from testmark.records.results import METRICS
from testmark.reports.load import LoadedResults

METRIC_NAMES = {
    "pass_at_1": "Pass@1",
    "kill_complete_at_1": "KillComplete@1",
    "mutant_kill_recall": "recall",
    "api_f1": "API F1",
    "coverage_jaccard": "Jaccard",
}


@dataclass(frozen=True)
class Comparison:
    """One metric of one run against the first run's."""

    first: str
    other: str
    metric: str
    paired: Paired


def compare(runs: Sequence[LoadedResults]) -> list[Comparison]:
    """Every metric of every run after the first; empty for one run."""
    if len(runs) < 2:  # noqa: PLR2004 - a comparison takes two
        return []
    first = runs[0]
    project = {row.instance_id: row.project for run in runs for row in run.rows}
    return [
        Comparison(
            first=first.label,
            other=run.label,
            metric=metric,
            paired=paired_test(run.values[metric], first.values[metric], project=project),
        )
        for run in runs[1:]
        for metric in METRICS
    ]


def p_text(p_value: float) -> str:
    """A probability as tables show it."""
    return "<0.001" if p_value < 0.001 else f"{p_value:.3f}"  # noqa: PLR2004 - three digits are shown
