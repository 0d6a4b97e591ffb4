"""A results folder as reports read it.

`RESULTS/` holds `run.json` (`RunSettings`), `summary.json` (`Summary`), `tasks/<slug>.json` (`TaskResult`),
`instances.jsonl` (the `InstanceRow` of each judged task, in order) and `diffs.jsonl` (`MutantDiff` of each mutant).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from testmark.agents.predictions import holds_agent_run
from testmark.errors import UserError
from testmark.records.base import Record
from testmark.records.dataset import InstanceRow
from testmark.records.results import METRICS, AuditSummary, MutantDiff, RunSettings, Summary, TaskResult
from testmark.records.slugs import slug
from testmark.reports.summary import summarise

RecordType = TypeVar("RecordType", bound=Record)


@dataclass(frozen=True)
class LoadedResults:
    """One evaluation; tasks are read when asked for."""

    folder: Path
    summary: Summary
    label: str
    """What a reader calls this run; no two runs of one report share it."""
    stopped: bool = False
    """The evaluation was stopped; the summary is that of the tasks judged until then."""

    @property
    def incomplete(self) -> str:
        """What the run lacks and the remedy, in one sentence; empty for a complete one."""
        if self.summary.complete:
            return ""
        tasks, verdicts = self.summary.tasks, self.summary.verdicts
        missing = tasks - sum(verdicts.values())
        lacks = [
            f"{verdicts['infra']} of {tasks} could not be judged (infra)" if verdicts["infra"] else "",
            f"{missing} of {tasks} are not judged yet" if missing else "",
        ]
        what = " and ".join(filter(None, lacks)) or "it was stopped before its end"
        return f"{self.label}: INCOMPLETE, {what}; run the same `evaluate` again"

    @property
    def by_project(self) -> list[tuple[str, int, list[float]]]:
        """Name, instances and metrics of each project, then of their mean (`macro`); empty for one project alone."""
        summary = self.summary
        if len(summary.by_project) < 2:  # noqa: PLR2004 - one project is the whole
            return []
        rows = [
            (name, found[METRICS[0]].n, [found[metric].value for metric in METRICS])
            for name, found in summary.by_project.items()
        ]
        return [*rows, ("macro", summary.metrics[METRICS[0]].n, [summary.macro[metric] for metric in METRICS])]

    @cached_property
    def rows(self) -> list[InstanceRow]:
        """The judged instances, in the data set's order."""
        return _records(self.folder / "instances.jsonl", InstanceRow)

    @cached_property
    def diffs(self) -> dict[str, str]:
        """Each mutant's unified diff."""
        return {mutant.mutant_id: mutant.diff for mutant in _records(self.folder / "diffs.jsonl", MutantDiff)}

    def missing(self) -> list[str]:
        """The instances that are not judged yet, in the data set's order."""
        names = (row.instance_id for row in self.rows)
        return [name for name in names if self.stopped and not _task_place(self.folder, name).exists()]

    def task(self, instance_id: str) -> TaskResult:
        """One result; raises `UserError` when its file is missing or damaged."""
        place = _task_place(self.folder, instance_id)
        try:
            return TaskResult.from_json(place.read_bytes())
        except (OSError, ValidationError) as error:
            raise UserError(f"{place}: is missing or damaged; run the same `evaluate` again") from error

    def tasks(self) -> Iterator[TaskResult]:
        """All results, in the data set's order."""
        missing = set(self.missing())
        return (self.task(row.instance_id) for row in self.rows if row.instance_id not in missing)

    @cached_property
    def values(self) -> dict[str, dict[str, float]]:
        """By metric, each instance's value; instances whose verdict is `infra` have none."""
        found: dict[str, dict[str, float]] = {metric: {} for metric in METRICS}
        for task in self.tasks():
            if task.verdict != "infra":
                for metric in METRICS:
                    found[metric][task.instance_id] = getattr(task.metrics, metric)
        return found


def load_runs(folders: Sequence[Path]) -> list[LoadedResults]:
    """Open several results folders, each under a label of its own; raises `UserError` as `load_results` does.

    A label is the model's name. Where models repeat it ends in the shortest end of the folder's path that tells these
    runs apart, and in a number where one folder was given twice.
    """
    runs = [load_results(folder) for folder in folders]
    parts = [run.folder.resolve().parts for run in runs]
    longest = max(map(len, parts), default=0)
    for size in range(1, longest + 1):
        labels = _labels(runs, [part[-size:] for part in parts])
        if len(set(labels)) == len(labels):
            break
    else:
        labels = [f"{label} #{number}" for number, label in enumerate(_labels(runs, [p[-1:] for p in parts]), 1)]
    return [replace(run, label=label) for run, label in zip(runs, labels, strict=True)]


def _labels(runs: Sequence[LoadedResults], ends: Sequence[tuple[str, ...]]) -> list[str]:
    models = Counter(run.label for run in runs)
    return [
        f"{run.label} ({'/'.join(end)})" if models[run.label] > 1 else run.label
        for run, end in zip(runs, ends, strict=True)
    ]


def load_results(folder: Path) -> LoadedResults:
    """Open a results folder; raises `UserError` when it holds no evaluation.

    An evaluation that was stopped, or is still under way, has the summary of what it has judged, which is not complete.
    """
    place = folder / "summary.json"
    try:
        summary = Summary.from_json(place.read_bytes())
    except FileNotFoundError:
        return _load_stopped(folder)
    except (OSError, ValidationError) as error:
        raise UserError(f"{place}: cannot be read; run the same `evaluate` again") from error
    return LoadedResults(folder, summary, _label(folder, summary))


def _load_stopped(folder: Path) -> LoadedResults:
    place = folder / "run.json"
    try:
        settings = RunSettings.from_json(place.read_bytes())
    except FileNotFoundError as error:
        raise UserError(f"{folder}: holds no evaluation; make one with `req2test evaluate`") from error
    except (OSError, ValidationError) as error:
        if holds_agent_run(folder):
            raise UserError(f"{folder}: holds the run of an agent; judge it with `req2test evaluate`") from error
        raise UserError(f"{place}: cannot be read; run the same `evaluate` again") from error
    empty = summarise((), settings=settings, expected=(), audit=AuditSummary(sampled=0, disagreements=0), model="")
    loaded = LoadedResults(folder, empty, "", stopped=True)
    tasks = list(loaded.tasks())
    summary = summarise(
        tasks,
        settings=settings,
        expected=[row.instance_id for row in loaded.rows],
        audit=AuditSummary(
            sampled=sum(task.audited for task in tasks), disagreements=sum(task.disagreements for task in tasks)
        ),
        model=tasks[0].model_name_or_path if tasks else "",
    ).model_copy(update={"complete": False})
    return replace(loaded, summary=summary, label=_label(folder, summary))


def _label(folder: Path, summary: Summary) -> str:
    return summary.model_name_or_path or folder.resolve().name


def _task_place(folder: Path, instance_id: str) -> Path:
    return folder / "tasks" / f"{slug(instance_id)}.json"


def _records(path: Path, kind: type[RecordType]) -> list[RecordType]:
    """The records of a file, one a line."""
    found: list[RecordType] = []
    number = 0
    try:
        with path.open("rb") as handle:
            for line in handle:
                number += 1
                found += [kind.from_json(line)] if line.strip() else []
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); run the same `evaluate` again") from error
    except ValidationError as error:
        raise UserError(f"{path}:{number}: is damaged; run the same `evaluate` again") from error
    return found
