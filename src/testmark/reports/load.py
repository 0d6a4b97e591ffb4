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

from pydantic import ValidationError

from testmark.errors import UserError
from testmark.records.dataset import InstanceRow
from testmark.records.results import METRICS, MutantDiff, Summary, TaskResult
from testmark.records.slugs import slug


@dataclass(frozen=True)
class LoadedResults:
    """One evaluation; tasks are read when asked for."""

    folder: Path
    summary: Summary
    label: str
    """What a reader calls this run; no two runs of one report share it."""

    @cached_property
    def rows(self) -> list[InstanceRow]:
        """The judged instances, in the data set's order."""
        return [InstanceRow.from_json(line) for line in _lines(self.folder / "instances.jsonl")]

    @cached_property
    def diffs(self) -> dict[str, str]:
        """Each mutant's unified diff."""
        found = (MutantDiff.from_json(line) for line in _lines(self.folder / "diffs.jsonl"))
        return {mutant.mutant_id: mutant.diff for mutant in found}

    def task(self, instance_id: str) -> TaskResult:
        """One result; raises `UserError` when its file is missing or damaged."""
        place = self.folder / "tasks" / f"{slug(instance_id)}.json"
        try:
            return TaskResult.from_json(place.read_bytes())
        except (OSError, ValidationError) as error:
            raise UserError(f"{place}: is missing or damaged; run the same `evaluate` again") from error

    def tasks(self) -> Iterator[TaskResult]:
        """All results, in the data set's order."""
        return (self.task(row.instance_id) for row in self.rows)

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
    """Open a results folder; raises `UserError` when it holds no finished evaluation."""
    place = folder / "summary.json"
    try:
        summary = Summary.from_json(place.read_bytes())
    except FileNotFoundError as error:
        raise UserError(
            f"{folder}: holds no summary.json; make it with `req2test evaluate`, or go on with one that was stopped"
        ) from error
    except (OSError, ValidationError) as error:
        raise UserError(f"{place}: cannot be read; run the same `evaluate` again") from error
    return LoadedResults(folder, summary, summary.model_name_or_path or folder.resolve().name)


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8") as handle:
            yield from (line for line in handle if line.strip())
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); run the same `evaluate` again") from error
