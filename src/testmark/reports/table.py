"""The terminal table."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from testmark.records.results import Estimate
from testmark.reports.compare import compare, p_text
from testmark.reports.figures import figure_text
from testmark.reports.load import LoadedResults


def render(runs: Sequence[LoadedResults]) -> str:
    """All runs, a row each; projects where there are several; shares and kinds of task where the benchmark has them;
    verdicts; the paired tests against the first run.
    """
    buffer = io.StringIO()
    terminal = sys.stdout.isatty()
    console = Console(file=buffer, force_terminal=terminal, width=None if terminal else 160, highlight=False)
    console.print(_metrics(runs))
    if any(run.by_project for run in runs):
        console.print(_projects(runs))
    if runs[0].benchmark.kinds:
        console.print(_shares(runs))
        console.print(_kinds(runs))
    console.print(_verdicts(runs))
    comparisons = compare(runs)
    if comparisons:
        console.print(_comparison_table(runs))
    for run in runs:
        for line in _notes(run):
            console.print(Text(line))
    return buffer.getvalue()


def _table(title: str) -> Table:
    # A title is wrapped to the width of its table, which may be that of two narrow columns.
    return Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False, min_width=len(title))


def _metrics(runs: Sequence[LoadedResults]) -> Table:
    table = _table("Metrics, with 95 % intervals")
    table.add_column("run")
    table.add_column("n", justify="right")
    metrics, names = runs[0].metrics, runs[0].benchmark.metrics
    for metric in metrics:
        table.add_column(names[metric], justify="right")
    for run in runs:
        found = run.summary.metrics
        cells = [_estimate(run, metric, found[metric]) for metric in metrics]
        table.add_row(Text(run.label), str(found[metrics[0]].n), *cells)
    return table


def _estimate(run: LoadedResults, metric: str, found: Estimate) -> str:
    if run.benchmark.figure(metric, found.value, found.n) is None:
        return figure_text(None)
    # The mean of a figure that some tasks alone have says of how many.
    among = f" n {found.n}" if metric in run.benchmark.partial else ""
    return f"{found.value:.3f} [{found.low:.2f}, {found.high:.2f}]{among}".replace("[", "\\[")


def _names(runs: Sequence[LoadedResults]) -> list[str]:
    return [runs[0].benchmark.metrics[metric] for metric in runs[0].metrics]


def _projects(runs: Sequence[LoadedResults]) -> Table:
    table = _table("Projects, and the mean of theirs (macro)")
    for name in ("run", "project", "n", *_names(runs)):
        table.add_column(name, justify="left" if name in {"run", "project"} else "right")
    for run in runs:
        for name, n, values in run.by_project:
            table.add_row(Text(run.label), Text(name), str(n), *map(figure_text, values))
    return table


def _shares(runs: Sequence[LoadedResults]) -> Table:
    table = _table(runs[0].benchmark.shares_title)
    for name in ("run", "n", *runs[0].benchmark.shares):
        table.add_column(name, justify="left" if name == "run" else "right")
    for run in runs:
        for n, values in run.share_rows:
            table.add_row(Text(run.label), str(n), *map(figure_text, values))
    return table


def _kinds(runs: Sequence[LoadedResults]) -> Table:
    kind = runs[0].benchmark.kind
    table = _table(f"By {kind}")
    for name in ("run", kind, "n", *_names(runs)):
        table.add_column(name, justify="left" if name in {"run", kind} else "right")
    for run in runs:
        for name, n, values in run.kind_rows:
            table.add_row(Text(run.label), name, str(n), *map(figure_text, values))
    return table


def _verdicts(runs: Sequence[LoadedResults]) -> Table:
    table = _table("Verdicts: predictions, then mutants")
    table.add_column("run")
    shown = [v for v in runs[0].summary.verdicts if any(run.summary.verdicts[v] for run in runs)]
    kills = [v for v in runs[0].summary.mutants if any(run.summary.mutants[v] for run in runs)]
    for name in [*shown, *kills]:
        table.add_column(name, justify="right")
    for run in runs:
        counts = [run.summary.verdicts[name] for name in shown] + [run.summary.mutants[name] for name in kills]
        table.add_row(Text(run.label), *(str(count) for count in counts))
    return table


def _comparison_table(runs: Sequence[LoadedResults]) -> Table:
    first = runs[0]
    table = _table(f"Difference to {first.label}, paired over shared instances")
    for name in ("run", "metric", "n", "difference", "95 % interval", "p"):
        table.add_column(name, justify="left" if name in {"run", "metric"} else "right")
    for found in compare(runs):
        paired, metric = found.paired, found.metric
        cells = [figure_text(None)] * 3
        if first.benchmark.figure(metric, paired.difference, paired.n) is not None:
            interval = f"{paired.low:+.3f} … {paired.high:+.3f}"
            cells = [f"{paired.difference:+.3f}", interval, p_text(paired.p_value)]
        table.add_row(Text(found.other), first.benchmark.metrics[metric], str(paired.n), *cells)
    return table


def _notes(run: LoadedResults) -> list[str]:
    notes = []
    if run.incomplete:
        notes.append(run.incomplete)
    if run.summary.audit.disagreements:
        notes.append(
            f"{run.label}: {run.summary.audit.disagreements} warm verdicts differed from cold ones and were judged cold"
        )
    return notes
