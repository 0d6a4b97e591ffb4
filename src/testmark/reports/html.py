"""One self-contained page: summary, comparison, a list of instances, each down to one mutant's diff.

Everything from predictions and results travels as JSON in a script element that the page's own code reads, with `<`
escaped, and is put into the page as text only: what a prediction holds is inert. The content security policy forbids
any load from anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from testmark.records.base import dump_json
from testmark.records.dataset import InstanceRow
from testmark.records.results import METRICS, TaskResult
from testmark.reports.compare import METRIC_NAMES, compare
from testmark.reports.load import LoadedResults

_LONGEST_TEXT = 200_000
"""Characters of one text that the page shows; longer ones are cut and say so."""


def render(runs: Sequence[LoadedResults]) -> str:
    """The page as text."""
    from jinja2 import Environment

    folder = files("testmark.reports") / "page"
    template = Environment(autoescape=True).from_string((folder / "page.html").read_text(encoding="utf-8"))
    return template.render(
        title=", ".join(run.label for run in runs),
        style=(folder / "page.css").read_text(encoding="utf-8"),
        script=(folder / "page.js").read_text(encoding="utf-8"),
        data=_inert(_data(runs)),
    )


def _inert(value: dict[str, Any]) -> str:
    """JSON that no HTML parser can leave."""
    return dump_json(value).replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _data(runs: Sequence[LoadedResults]) -> dict[str, Any]:
    diffs: dict[str, str] = {}
    for run in runs:
        diffs.update(run.diffs)
    return {
        "metrics": [{"key": metric, "name": METRIC_NAMES[metric]} for metric in METRICS],
        "runs": [_run(run) for run in runs],
        "comparisons": [asdict(found) for found in compare(runs)],
        "diffs": diffs,
        "instances": {row.instance_id: _instance(row) for run in runs for row in run.rows},
    }


def _run(run: LoadedResults) -> dict[str, Any]:
    return {
        "label": run.label,
        "summary": run.summary.model_dump(mode="json"),
        "tasks": [_task(task) for task in run.tasks()],
    }


def _instance(row: InstanceRow) -> dict[str, Any]:
    return {
        "project": row.project,
        "feature": row.feature.title,
        "narrative": row.feature.narrative or "",
        "background": row.feature.background or "",
        "gherkin": row.scenario.gherkin,
        "title": row.scenario.title,
        "targets": [".".join(target.key) for target in row.target_interfaces],
    }


def _task(task: TaskResult) -> dict[str, Any]:
    return {
        "id": task.instance_id,
        "verdict": task.verdict,
        "reason": task.reason,
        "how": task.how,
        "metrics": task.metrics.model_dump(),
        "files": [{"path": file.path, "content": _cut(file.content)} for file in task.files],
        "pickles": [pickle.model_dump() for pickle in task.pickles],
        "mutants": [
            [mutant.mutant_id, mutant.verdict, mutant.in_kill_set, mutant.detail, mutant.how] for mutant in task.mutants
        ],
    }


def _cut(text: str) -> str:
    if len(text) <= _LONGEST_TEXT:
        return text
    return f"{text[:_LONGEST_TEXT]}\n… {len(text) - _LONGEST_TEXT} more characters are in the task's file"
