"""A results folder as reports read it.

`RESULTS/` holds `run.json` (`RunSettings`), `summary.json` (`Summary`), `tasks/<slug>.json` (`TaskResult`; TestEvo:
`EvoTaskResult`), `instances.jsonl` (the `InstanceRow` or `TaskRow` of each judged task, in order) and `diffs.jsonl`
(`MutantDiff` of each mutant).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from testmark.agents.predictions import holds_agent_run
from testmark.errors import UserError
from testmark.records.base import Record
from testmark.records.results import AuditSummary, MutantDiff, RunSettings, Summary
from testmark.records.slugs import slug
from testmark.reports.benchmarks import benchmark_of
from testmark.reports.figures import Breakdown, TaskFigures, breakdown, figures_of
from testmark.reports.shown import Benchmark, ShownInstance, ShownTask
from testmark.reports.summary import summarise

RecordType = TypeVar("RecordType", bound=Record)


@dataclass(frozen=True)
class LoadedResults:
    """One evaluation; tasks are read when asked for."""

    folder: Path
    summary: Summary
    label: str
    """What a reader calls this run; no two runs of one report share it."""
    benchmark: Benchmark[Any, Any]
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
    def metrics(self) -> list[str]:
        """The metrics of the summary; all tasks take part in the first one."""
        return list(self.summary.metrics)

    @property
    def by_project(self) -> list[tuple[str, int, list[float | None]]]:
        """Name, instances and metrics of each project, then of their mean (`macro`); empty for one project alone."""
        summary, metrics, figure = self.summary, self.metrics, self.benchmark.figure
        if len(summary.by_project) < 2:  # noqa: PLR2004 - one project is the whole
            return []
        rows = [
            (name, found[metrics[0]].n, [figure(metric, found[metric].value, found[metric].n) for metric in metrics])
            for name, found in summary.by_project.items()
        ]
        macro = [figure(metric, summary.macro[metric], summary.metrics[metric].n) for metric in metrics]
        return [*rows, ("macro", summary.metrics[metrics[0]].n, macro)]

    @cached_property
    def rows(self) -> list[Any]:
        """The judged instances, in the data set's order: `InstanceRow`, or TestEvo's `TaskRow`."""
        return _records(self.folder / "instances.jsonl", self.benchmark.row)

    @cached_property
    def named_rows(self) -> dict[str, Any]:
        """The same by identifier."""
        return {self.benchmark.name_of(row): row for row in self.rows}

    @cached_property
    def instances(self) -> dict[str, ShownInstance]:
        """The same as reports show them."""
        return {name: self.benchmark.show_row(row) for name, row in self.named_rows.items()}

    @cached_property
    def diffs(self) -> dict[str, str]:
        """Each mutant's unified diff."""
        return {mutant.mutant_id: mutant.diff for mutant in _records(self.folder / "diffs.jsonl", MutantDiff)}

    def missing(self) -> list[str]:
        """The instances that are not judged yet, in the data set's order."""
        return [name for name in self.named_rows if self.stopped and not _task_place(self.folder, name).exists()]

    def task(self, instance_id: str) -> Any:  # noqa: ANN401 - each benchmark has a record of its own
        """One result, a `TaskResult` or `EvoTaskResult`; raises `UserError` when its file is missing or damaged."""
        place = _task_place(self.folder, instance_id)
        try:
            return self.benchmark.task.from_json(place.read_bytes())
        except (OSError, ValidationError) as error:
            raise UserError(f"{place}: is missing or damaged; run the same `evaluate` again") from error

    def tasks(self) -> Iterator[Any]:
        """All results, in the data set's order."""
        missing = set(self.missing())
        return (self.task(name) for name in self.named_rows if name not in missing)

    def shown(self, instance_id: str) -> ShownTask:
        """One result as reports show it; raises `UserError` as `task` does."""
        return self.benchmark.show_task(self.named_rows[instance_id], self.task(instance_id))

    def shown_tasks(self) -> Iterator[ShownTask]:
        """All results as reports show them, in the data set's order."""
        missing = set(self.missing())
        return (self.shown(name) for name in self.named_rows if name not in missing)

    @cached_property
    def figures(self) -> list[TaskFigures]:
        """The figures of each instance; those whose verdict is `infra` have none."""
        return figures_of(self.shown_tasks())

    @cached_property
    def values(self) -> dict[str, dict[str, float]]:
        """By metric, the value of each instance that has one."""
        return {
            metric: {found.name: value for found in self.figures if (value := found.metrics[metric]) is not None}
            for metric in self.metrics
        }

    @cached_property
    def breakdown(self) -> Breakdown | None:
        """Shares and means by kind of task; None for a benchmark that has neither."""
        if not self.benchmark.kinds:
            return None
        return breakdown(self.figures, self.benchmark, _settings(self.folder).seed)

    @property
    def share_rows(self) -> list[tuple[int, list[float | None]]]:
        """Tasks and mean shares, in one row at most."""
        found = list(self.breakdown.shares.values()) if self.breakdown else []
        return [(found[0].n, [share.value if share.n else None for share in found])] if found else []

    @property
    def kind_rows(self) -> list[tuple[str, int, list[float | None]]]:
        """Name, tasks and metrics of each kind of task."""
        by_kind = self.breakdown.by_kind if self.breakdown else {}
        return [
            (kind, found[self.metrics[0]].n, [found[m].value if found[m].n else None for m in self.metrics])
            for kind, found in by_kind.items()
        ]


def load_runs(folders: Sequence[Path]) -> list[LoadedResults]:
    """Open several results folders, each under a label of its own.

    Raises `UserError` as `load_results` does, and for runs of different benchmarks.
    A label is the model's name. Where models repeat it ends in the shortest end of the folder's path that tells these
    runs apart, and in a number where one folder was given twice.
    """
    runs = [load_results(folder) for folder in folders]
    other = next((run for run in runs if run.benchmark is not runs[0].benchmark), None)
    if other is not None:
        raise UserError(
            f"{runs[0].folder} is a run of {runs[0].benchmark.title}, {other.folder} one of {other.benchmark.title}; "
            "report the runs of each benchmark by themselves"
        )
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
    benchmark = benchmark_of(summary.benchmark, place)
    if summary.metrics.keys() != benchmark.metrics.keys():
        raise UserError(f"{place}: has other metrics than {benchmark.title}; run the same `evaluate` again")
    return LoadedResults(folder, summary, _label(folder, summary), benchmark)


def _settings(folder: Path) -> RunSettings:
    place = folder / "run.json"
    try:
        return RunSettings.from_json(place.read_bytes())
    except FileNotFoundError as error:
        raise UserError(f"{folder}: holds no evaluation; make one with `evaluate`") from error
    except (OSError, ValidationError) as error:
        if holds_agent_run(folder):
            raise UserError(f"{folder}: holds the run of an agent; judge it with `evaluate`") from error
        raise UserError(f"{place}: cannot be read; run the same `evaluate` again") from error


def _load_stopped(folder: Path) -> LoadedResults:
    settings = _settings(folder)
    benchmark = benchmark_of(settings.benchmark, folder / "run.json")

    def summed(tasks: Sequence[Any], expected: Sequence[str]) -> Summary:
        audited, disagreements = sum(task.audited for task in tasks), sum(task.disagreements for task in tasks)
        return summarise(
            tasks,
            settings=settings,
            expected=expected,
            audit=AuditSummary(sampled=audited, disagreements=disagreements),
            model=tasks[0].model_name_or_path if tasks else "",
            metrics=tuple(benchmark.metrics),
            known=benchmark.verdicts,
        )

    loaded = LoadedResults(folder, summed((), ()), "", benchmark, stopped=True)
    summary = summed(list(loaded.tasks()), list(loaded.named_rows)).model_copy(update={"complete": False})
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
