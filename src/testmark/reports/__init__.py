"""One evaluation or several, as a table, JSON, Markdown, JUnit XML, one HTML page, or one result in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from testmark.reports.load import LoadedResults, load_results, load_runs

_RENDERERS = {
    "table": "testmark.reports.table",
    "json": "testmark.reports.json_report",
    "md": "testmark.reports.markdown",
    "html": "testmark.reports.html",
    "junit": "testmark.reports.junit",
}


def render(kind: str, folders: Sequence[Path]) -> str:
    """The report of one or several results folders; raises `UserError` for a folder that holds no evaluation."""
    renderer: Callable[[Sequence[LoadedResults]], str] = import_module(_RENDERERS[kind]).render
    return renderer(load_runs(folders))


def render_show(folder: Path, instance_id: str, mutant_id: str | None = None) -> str:
    """One result, or one mutant of it, for the terminal; raises `UserError` for an unknown one."""
    from testmark.reports.show import render

    return render(load_results(folder), instance_id, mutant_id)
