"""A results folder as reports read it.

`RESULTS/` holds `run.json` (`RunSettings`), `summary.json` (`Summary`), `tasks/<slug>.json` (`TaskResult`),
`instances.jsonl` (the `InstanceRow` of each judged task, in order) and `diffs.jsonl` (`MutantDiff` of each mutant).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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

    @property
    def label(self) -> str:
        """What tells this run from others: its model, else its folder."""
        return self.summary.model_name_or_path or self.folder.name

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


def load_results(folder: Path) -> LoadedResults:
    """Open a results folder; raises `UserError` when it holds no finished evaluation."""
    place = folder / "summary.json"
    try:
        return LoadedResults(folder, Summary.from_json(place.read_bytes()))
    except FileNotFoundError as error:
        raise UserError(
            f"{folder}: holds no summary.json; make it with `req2test evaluate`, or go on with one that was stopped"
        ) from error
    except (OSError, ValidationError) as error:
        raise UserError(f"{place}: cannot be read; run the same `evaluate` again") from error


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8") as handle:
            yield from (line for line in handle if line.strip())
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); run the same `evaluate` again") from error
