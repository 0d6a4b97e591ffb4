"""Markdown tables, for issues and papers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from testmark.records.results import Estimate
from testmark.reports.compare import Comparison, compare, p_text
from testmark.reports.figures import figure_text
from testmark.reports.load import LoadedResults
from testmark.reports.shown import Benchmark


def render(runs: Sequence[LoadedResults]) -> str:
    """Metrics, projects where there are several, shares and kinds of task, verdicts, and comparisons."""
    benchmark = runs[0].benchmark
    names = [benchmark.metrics[metric] for metric in runs[0].metrics]
    parts = ["## Metrics", "", *_table(["run", "n", *names], _metric_rows(runs))]
    projects = [
        [run.label, name, str(n), *map(figure_text, values)] for run in runs for name, n, values in run.by_project
    ]
    if projects:
        parts += ["", "## Projects", "", *_table(["run", "project", "n", *names], projects)]
    if benchmark.kinds:
        rows = [[run.label, str(n), *map(figure_text, values)] for run in runs for n, values in run.share_rows]
        parts += ["", f"## {benchmark.shares_title}", "", *_table(["run", "n", *benchmark.shares], rows)]
        rows = [
            [run.label, name, str(n), *map(figure_text, values)] for run in runs for name, n, values in run.kind_rows
        ]
        parts += ["", f"## By {benchmark.kind}", "", *_table(["run", benchmark.kind, "n", *names], rows)]
    verdicts = list(runs[0].summary.verdicts)
    rows = [[run.label, *(str(run.summary.verdicts[name]) for name in verdicts)] for run in runs]
    parts += ["", "## Verdicts", "", *_table(["run", *verdicts], rows)]
    mutants = list(runs[0].summary.mutants)
    rows = [[run.label, *(str(run.summary.mutants[name]) for name in mutants)] for run in runs]
    parts += ["", "## Mutants", "", *_table(["run", *mutants], rows)]
    comparisons = compare(runs)
    if comparisons:
        rows = [
            [found.other, benchmark.metrics[found.metric], str(found.paired.n), *_difference(benchmark, found)]
            for found in comparisons
        ]
        parts += [
            "",
            f"## Difference to {_cell(runs[0].label)}",
            "",
            *_table(["run", "metric", "n", "difference", "p"], rows),
        ]
    parts += [line for run in runs if run.incomplete for line in ("", f"**Note:** {_cell(run.incomplete)}")]
    return "\n".join(parts).rstrip("\n") + "\n"


def _metric_rows(runs: Sequence[LoadedResults]) -> Iterable[list[str]]:
    for run in runs:
        found = run.summary.metrics
        yield [
            run.label,
            str(found[run.metrics[0]].n),
            *(_estimate(run, metric, found[metric]) for metric in run.metrics),
        ]


def _estimate(run: LoadedResults, metric: str, found: Estimate) -> str:
    if run.benchmark.figure(metric, found.value, found.n) is None:
        return figure_text(None)
    # The mean of a figure that some tasks alone have says of how many.
    among = f" n {found.n}" if metric in run.benchmark.partial else ""
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]{among}"


def _difference(benchmark: Benchmark[Any, Any], found: Comparison) -> list[str]:
    paired = found.paired
    if benchmark.figure(found.metric, paired.difference, paired.n) is None:
        return [figure_text(None)] * 2
    return [f"{paired.difference:+.3f} [{paired.low:+.3f}, {paired.high:+.3f}]", p_text(paired.p_value)]


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
