"""One self-contained page: summary, comparison, a list of instances, each down to one mutant's diff.

Everything from predictions and results travels as JSON in a script element that the page's own code reads, with `<`
escaped, and is put into the page as text only: what a prediction holds is inert. The content security policy allows
the page's own style and script, named by their hashes, and no load from anywhere.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from testmark.records.base import dump_json
from testmark.records.dataset import InstanceRow
from testmark.records.results import METRICS, TaskResult
from testmark.reports.compare import METRIC_NAMES, compare
from testmark.reports.load import LoadedResults

_SCRIPTS = ("core.js", "summary.js", "list.js", "detail.js", "main.js")
"""In the order in which they are put together."""
_LONGEST_FILE = 200_000
"""Characters of one file that the page shows; longer ones are cut and say so."""
_LONGEST_DIFF = 20_000
_LONGEST_LABEL = 200
_LONGEST_LINE = 2_000
"""Characters of a title, reason or message."""


def render(runs: Sequence[LoadedResults]) -> str:
    """The page as text; its size is about that of the results, with equal texts held once."""
    from jinja2 import Environment

    folder = files("testmark.reports") / "page"
    pool = _Pool()
    data = _data(runs, pool)
    style = (folder / "page.css").read_text(encoding="utf-8")
    script = "".join((folder / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    template = Environment(autoescape=True).from_string((folder / "page.html").read_text(encoding="utf-8"))
    return template.render(
        title=", ".join(_label(run) for run in runs),
        style=style,
        style_hash=_csp_hash(style),
        script=script,
        script_hash=_csp_hash(script),
        data=_inert(data),
        texts=_inert(pool.texts),
    )


class _Pool:
    """Texts that many instances share (step files, diffs, narratives) stand in the page once."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._places: dict[str, int] = {}

    def place(self, text: str, longest: int) -> int:
        """The index of a text, cut where it is longer than `longest` characters."""
        cut = _cut(text, longest)
        found = self._places.get(cut)
        if found is None:
            found = self._places[cut] = len(self.texts)
            self.texts.append(cut)
        return found


def _data(runs: Sequence[LoadedResults], pool: _Pool) -> dict[str, Any]:
    return {
        "metrics": [{"key": metric, "name": METRIC_NAMES[metric]} for metric in METRICS],
        "runs": [_run(run, pool) for run in runs],
        "comparisons": [
            # One block of all metrics for each run after the first.
            {"run": 1 + number // len(METRICS), "metric": found.metric, **asdict(found.paired)}
            for number, found in enumerate(compare(runs))
        ],
        "instances": {row.instance_id: _instance(row, pool) for run in runs for row in run.rows},
    }


def _label(run: LoadedResults) -> str:
    return _cut(run.label, _LONGEST_LABEL)


def _run(run: LoadedResults, pool: _Pool) -> dict[str, Any]:
    return {
        "label": _label(run),
        "incomplete": _cut(run.incomplete, _LONGEST_LINE),
        "summary": run.summary.model_dump(mode="json"),
        "tasks": [_task(task, run.diffs, pool) for task in run.tasks()],
    }


def _instance(row: InstanceRow, pool: _Pool) -> dict[str, Any]:
    feature = row.feature
    head = "\n".join(part for part in (f"Feature: {feature.title}", feature.narrative) if part)
    requirement = "\n\n".join(part for part in (head, feature.background, row.scenario.gherkin) if part)
    return {
        "project": row.project,
        "title": _cut(row.scenario.title, _LONGEST_LINE),
        "requirement": pool.place(requirement, _LONGEST_FILE),
        "targets": [_cut(".".join(target.key), _LONGEST_LINE) for target in row.target_interfaces],
    }


def _task(task: TaskResult, diffs: Mapping[str, str], pool: _Pool) -> dict[str, Any]:
    return {
        "id": task.instance_id,
        "verdict": task.verdict,
        "reason": _cut(task.reason, _LONGEST_LINE),
        "how": task.how,
        "metrics": [getattr(task.metrics, metric) for metric in METRICS],
        "files": [[file.path, pool.place(file.content, _LONGEST_FILE)] for file in task.files],
        "pickles": [
            [
                pickle.line,
                _cut(pickle.name, _LONGEST_LINE),
                [
                    [
                        step.line,
                        step.keyword,
                        _cut(step.text, _LONGEST_LINE),
                        step.status,
                        _cut(step.message, _LONGEST_LINE),
                    ]
                    for step in pickle.steps
                ],
            ]
            for pickle in task.pickles
        ],
        "mutants": [
            [
                mutant.mutant_id,
                mutant.verdict,
                mutant.in_kill_set,
                _cut(mutant.detail, _LONGEST_LINE),
                mutant.how,
                pool.place(diffs[mutant.mutant_id], _LONGEST_DIFF) if mutant.mutant_id in diffs else None,
            ]
            for mutant in task.mutants
        ],
    }


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return f"{text[:longest]}\n… {len(text) - longest:,} more characters stand in the results folder"


def _inert(value: dict[str, Any] | list[str]) -> str:
    """JSON that no HTML parser can leave."""
    return dump_json(value).replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _csp_hash(text: str) -> str:
    """How a content security policy names an inline script or style (W3C CSP Level 3, section 8.4)."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
