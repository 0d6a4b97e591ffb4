"""Several runs side by side: each against the first, by a paired test over the instances that both have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from testmark.intervals import Paired, paired_test
from testmark.reports.load import LoadedResults


@dataclass(frozen=True)
class Comparison:
    """One metric of one run against the first run's."""

    first: str
    other: str
    metric: str
    paired: Paired


def compare(runs: Sequence[LoadedResults]) -> list[Comparison]:
    """Every metric of every run after the first; empty for one run.

    A metric that some tasks alone have is compared on those that have it in both runs.
    """
    if len(runs) < 2:  # noqa: PLR2004 - a comparison takes two
        return []
    first = runs[0]
    project = {instance.name: instance.project for run in runs for instance in run.instances.values()}
    return [
        Comparison(
            first=first.label,
            other=run.label,
            metric=metric,
            paired=paired_test(run.values[metric], first.values[metric], project=project),
        )
        for run in runs[1:]
        for metric in first.metrics
    ]


def p_text(p_value: float) -> str:
    """A probability as tables show it."""
    return "<0.001" if p_value < 0.001 else f"{p_value:.3f}"  # noqa: PLR2004 - three digits are shown
