"""One self-contained page: summary, comparison, a list of instances, each down to one mutant's diff.

Everything from predictions and results travels as JSON in a script element that the page's own code reads, with `<`
escaped, and is put into the page as text only: what a prediction holds is inert. The content security policy allows
the page's own style and script, named by their hashes, and no load from anywhere.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from testmark.records.base import dump_json
from testmark.reports.compare import compare
from testmark.reports.load import LoadedResults
from testmark.reports.shown import ShownInstance, ShownMutant, ShownTask

_SCRIPTS = ("core.js", "summary.js", "list.js", "detail.js")
"""In the order in which they are put together; those of the benchmark follow, then the last one."""
_LAST_SCRIPT = "main.js"
_STYLES = ("page.css",)
_LONGEST_FILE = 200_000
"""Characters of one file that the page shows; longer ones are cut and say so."""
_LONGEST_DIFF = 20_000
_LONGEST_LABEL = 200
_LONGEST_LINE = 2_000
"""Characters of a title, reason or message."""


def render(runs: Sequence[LoadedResults]) -> str:
    """The page as text; its size is about that of the results, with equal texts held once."""
    from jinja2 import Environment

    benchmark = runs[0].benchmark
    pool = _Pool()
    data = _data(runs, pool)
    style = _page(*_STYLES, *benchmark.styles)
    script = _page(*_SCRIPTS, *benchmark.scripts, _LAST_SCRIPT)
    template = Environment(autoescape=True).from_string(_page("page.html"))
    return template.render(
        title=", ".join(_label(run) for run in runs),
        style=style,
        style_hash=_csp_hash(style),
        script=script,
        script_hash=_csp_hash(script),
        data=_inert(data),
        texts=_inert(pool.texts),
    )


def _page(*names: str) -> str:
    """Files of the page, one after the other."""
    folder = files("testmark.reports") / "page"
    return "".join((folder / name).read_text(encoding="utf-8") for name in names)


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
    metrics, names = runs[0].metrics, runs[0].benchmark.metrics
    return {
        "metrics": [{"key": metric, "name": names[metric]} for metric in metrics],
        "runs": [_run(run, pool) for run in runs],
        "comparisons": [
            # One block of all metrics for each run after the first.
            {"run": 1 + number // len(metrics), "metric": found.metric, **asdict(found.paired)}
            for number, found in enumerate(compare(runs))
        ],
        "instances": {name: _instance(found, pool) for run in runs for name, found in run.instances.items()},
    }


def _label(run: LoadedResults) -> str:
    return _cut(run.label, _LONGEST_LABEL)


def _run(run: LoadedResults, pool: _Pool) -> dict[str, Any]:
    return {
        "label": _label(run),
        "incomplete": _cut(run.incomplete, _LONGEST_LINE),
        "summary": run.summary.model_dump(mode="json"),
        "tasks": [_task(task, run.metrics, run.diffs, pool) for task in run.shown_tasks()],
        **(run.breakdown.as_dict() if run.breakdown else {}),
    }


def _instance(instance: ShownInstance, pool: _Pool) -> dict[str, Any]:
    return {
        "project": instance.project,
        "title": _cut(instance.title, _LONGEST_LINE),
        "requirement": pool.place(instance.text, _LONGEST_FILE),
        "targets": [_cut(target, _LONGEST_LINE) for target in instance.targets],
    }


def _task(task: ShownTask, metrics: Iterable[str], diffs: Mapping[str, str], pool: _Pool) -> dict[str, Any]:
    facts = {"facts": [_cut(fact, _LONGEST_LINE) for fact in task.facts]} if task.facts else {}
    return {
        "id": task.name,
        "verdict": task.verdict,
        "reason": _cut(task.reason, _LONGEST_LINE),
        "how": task.how,
        "metrics": [task.metrics[metric] for metric in metrics],
        "files": [[file.path, pool.place(file.content, _LONGEST_FILE)] for file in task.files],
        "pickles": [
            [
                group.line,
                _cut(group.name, _LONGEST_LINE),
                [
                    [
                        step.line,
                        step.keyword,
                        _cut(step.text, _LONGEST_LINE),
                        step.status,
                        _cut(step.message, _LONGEST_LINE),
                    ]
                    for step in group.steps
                ],
            ]
            for group in task.groups
        ],
        "mutants": [_mutant(mutant, diffs, pool) for mutant in task.mutants],
        **facts,
    }


def _mutant(mutant: ShownMutant, diffs: Mapping[str, str], pool: _Pool) -> list[Any]:
    diff = diffs.get(mutant.mutant_id)
    return [
        mutant.name,
        mutant.verdict,
        mutant.counts,
        _cut(mutant.detail, _LONGEST_LINE),
        mutant.how,
        None if diff is None else pool.place(diff, _LONGEST_DIFF),
        *([] if mutant.group is None else [mutant.group]),
    ]


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
