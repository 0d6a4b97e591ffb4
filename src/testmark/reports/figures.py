"""Figures of a run that its summary does not hold: those of each task, shares, and means by kind of task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from testmark.records.results import Estimate
from testmark.reports.shown import Benchmark, ShownTask
from testmark.reports.summary import estimate


@dataclass(frozen=True)
class TaskFigures:
    """The figures of one task that was judged."""

    name: str
    project: str
    kind: str
    metrics: Mapping[str, float | None]
    shares: Mapping[str, float]


@dataclass(frozen=True)
class Breakdown:
    """Means over the tasks of a run that were judged."""

    kind: str
    """What kinds of task are called."""
    shares: dict[str, Estimate]
    """Over all tasks; one without targets that ran has shares of 0, so that they may add up to less than 1."""
    by_kind: dict[str, dict[str, Estimate]]
    """By kind of task and metric; a kind without tasks is left out."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values: `{"shares": …, "by_<kind>": …}`."""
        return {
            "shares": {name: found.model_dump(mode="json") for name, found in self.shares.items()},
            f"by_{self.kind}": {
                kind: {metric: found.model_dump(mode="json") for metric, found in metrics.items()}
                for kind, metrics in self.by_kind.items()
            },
        }


def figures_of(tasks: Iterable[ShownTask]) -> list[TaskFigures]:
    """One entry a task; a task whose verdict is `infra` has none, as it is no zero."""
    return [
        TaskFigures(task.name, task.project, task.kind, task.metrics, task.shares)
        for task in tasks
        if task.verdict != "infra"
    ]


def breakdown(figures: Sequence[TaskFigures], benchmark: Benchmark[Any, Any], seed: int) -> Breakdown:
    """Shares and means by kind, with intervals clustered by project as the summary's are."""
    kinds = [kind for kind in benchmark.kinds if any(found.kind == kind for found in figures)]
    return Breakdown(
        kind=benchmark.kind,
        shares={
            name: _mean([(found.project, found.shares.get(name)) for found in figures], seed)
            for name in benchmark.shares
        },
        by_kind={
            kind: {
                metric: _mean([(found.project, found.metrics[metric]) for found in figures if found.kind == kind], seed)
                for metric in benchmark.metrics
            }
            for kind in kinds
        },
    )


def figure_text(value: float | None) -> str:
    """A figure as tables show it."""
    return "–" if value is None else f"{value:.3f}"  # noqa: RUF001 - the page has the same dash


def _mean(values: Iterable[tuple[str, float | None]], seed: int) -> Estimate:
    clusters: dict[str, list[float]] = {}
    for project, value in values:
        if value is not None:
            clusters.setdefault(project, []).append(value)
    return estimate(clusters, seed)
