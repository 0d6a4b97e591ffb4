"""The summary of an evaluation, derived from its task files."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

from testmark.intervals import bootstrap_mean
from testmark.records.base import Record
from testmark.records.results import METRICS, VERDICTS, AuditSummary, Estimate, MutantResult, RunSettings, Summary

_MUTANT_VERDICTS = ("killed", "killed_error", "killed_timeout", "survived", "unreached", "invalid", "infra")


class Judged(Protocol):
    """A task's result, of either benchmark."""

    @property
    def project(self) -> str:
        """Whose task it is."""
        ...

    @property
    def verdict(self) -> str:
        """One of the benchmark's verdicts."""
        ...

    @property
    def metrics(self) -> Record:
        """The task's figures by name; one that is None takes no part in its mean."""
        ...

    def mutant_results(self) -> Iterable[MutantResult]:
        """The findings on mutants."""
        ...


def summarise(
    results: Iterable[Judged],
    *,
    settings: RunSettings,
    expected: Sequence[str],
    audit: AuditSummary,
    model: str,
    metrics: Sequence[str] = METRICS,
    known: Sequence[str] = VERDICTS,
) -> Summary:
    """Counts, metrics with intervals, per project and over all.

    `metrics` and `known` are the names of the benchmark's figures and verdicts. An `infra` result is no zero: it is
    left out of the metrics' `n`, and the summary is not `complete`. Results are read once and not kept.
    """
    verdicts: Counter[str] = Counter()
    mutants: Counter[str] = Counter()
    values: dict[str, dict[str, list[float]]] = {metric: {} for metric in metrics}
    seen = 0
    for result in results:
        seen += 1
        verdicts[result.verdict] += 1
        if result.verdict == "infra":
            continue
        mutants.update(mutant.verdict for mutant in result.mutant_results())
        for metric in metrics:
            value = getattr(result.metrics, metric)
            if value is not None:
                values[metric].setdefault(result.project, []).append(value)
    projects = sorted({project for found in values.values() for project in found})
    by_project = {
        project: {metric: estimate({project: values[metric].get(project, [])}, settings.seed) for metric in metrics}
        for project in projects
    }
    return Summary(
        benchmark=settings.benchmark,
        bench_id=settings.bench_id,
        model_name_or_path=model,
        tasks=len(expected),
        complete=seen == len(expected) and not verdicts["infra"],
        verdicts={verdict: verdicts[verdict] for verdict in known},
        metrics={metric: estimate(values[metric], settings.seed) for metric in metrics},
        macro={metric: _macro([by_project[project][metric] for project in projects]) for metric in metrics},
        by_project=by_project,
        mutants={verdict: mutants[verdict] for verdict in _MUTANT_VERDICTS},
        audit=audit,
        seconds=0.0,
    )


def estimate(clusters: dict[str, list[float]], seed: int) -> Estimate:
    """The mean of each project's values with its interval, rounded as files hold it."""
    found = bootstrap_mean(clusters, seed=seed)
    return Estimate(value=round(found.value, 6), low=round(found.low, 6), high=round(found.high, 6), n=found.n)


def _macro(found: Sequence[Estimate]) -> float:
    """The mean of the projects' means; a project in which no task has the figure takes no part."""
    means = [project.value for project in found if project.n]
    return round(math.fsum(means) / len(means), 6) if means else 0.0
