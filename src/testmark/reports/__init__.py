"""One evaluation or several, as a table, JSON, Markdown, JUnit XML, one HTML page, or one result in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from testmark.errors import UserError
from testmark.reports.load import LoadedResults, load_results, load_runs

__all__ = ["Report", "find_shown", "load_results", "render", "render_show", "report"]

_RENDERERS = {
    "table": "testmark.reports.table",
    "json": "testmark.reports.json_report",
    "md": "testmark.reports.markdown",
    "html": "testmark.reports.html",
    "junit": "testmark.reports.junit",
}


@dataclass(frozen=True)
class Report:
    """A report, and what is missing from it."""

    text: str
    incomplete: tuple[str, ...]
    """One sentence for each run that is incomplete."""


def report(folders: Sequence[Path], kind: str = "table") -> Report:
    """The report of one or several results folders in the form `table`, `json`, `md`, `html` or `junit`.

    Raises `UserError` for another form, and for a folder that holds no evaluation.
    """
    if kind not in _RENDERERS:
        raise UserError(f"there is no report `{kind}`; choose one of {', '.join(_RENDERERS)}")
    renderer: Callable[[Sequence[LoadedResults]], str] = import_module(_RENDERERS[kind]).render
    runs = load_runs(folders)
    return Report(renderer(runs), tuple(run.incomplete for run in runs if run.incomplete))


def render(kind: str, folders: Sequence[Path]) -> str:
    """The text of the report."""
    return report(folders, kind).text


def render_show(folder: Path, instance_id: str, mutant_id: str | None = None) -> str:
    """One result, or one mutant of it, for the terminal; raises `UserError` for an unknown one."""
    from testmark.reports.show import render

    return render(load_results(folder), instance_id, mutant_id)


def find_shown(folder: Path, instance_id: str, mutant_id: str | None = None) -> dict[str, Any]:
    """The same as plain values: `{"instance", "result"}`, or `{"instance_id", "mutant", "diff"}`."""
    from testmark.reports.show import as_dict

    return as_dict(load_results(folder), instance_id, mutant_id)
