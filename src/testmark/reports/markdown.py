"""Markdown tables, for issues and papers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from testmark.records.results import METRICS
from testmark.reports.compare import METRIC_NAMES, compare, p_text
from testmark.reports.load import LoadedResults


def render(runs: Sequence[LoadedResults]) -> str:
    """Metrics, verdicts, projects where there are several, and comparisons."""
    parts = ["## Metrics", "", *_table(["run", "n", *METRIC_NAMES.values()], _metric_rows(runs))]
    projects = [
        [run.label, name, str(n), *(f"{value:.3f}" for value in values)]
        for run in runs
        for name, n, values in run.by_project
    ]
    if projects:
        parts += ["", "## Projects", "", *_table(["run", "project", "n", *METRIC_NAMES.values()], projects)]
    verdicts = list(runs[0].summary.verdicts)
    rows = [[run.label, *(str(run.summary.verdicts[name]) for name in verdicts)] for run in runs]
    parts += ["", "## Verdicts", "", *_table(["run", *verdicts], rows)]
    mutants = list(runs[0].summary.mutants)
    rows = [[run.label, *(str(run.summary.mutants[name]) for name in mutants)] for run in runs]
    parts += ["", "## Mutants", "", *_table(["run", *mutants], rows)]
    comparisons = compare(runs)
    if comparisons:
        rows = [
            [
                found.other,
                METRIC_NAMES[found.metric],
                str(found.paired.n),
                f"{found.paired.difference:+.3f} [{found.paired.low:+.3f}, {found.paired.high:+.3f}]",
                p_text(found.paired.p_value),
            ]
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
        found = [run.summary.metrics[metric] for metric in METRICS]
        yield [run.label, str(found[0].n), *(f"{m.value:.3f} [{m.low:.3f}, {m.high:.3f}]" for m in found)]


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
