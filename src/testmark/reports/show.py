"""One result in the terminal: its Requirement, prediction, steps and mutants, down to one mutant's diff."""

from __future__ import annotations

import difflib
import io
import sys
from typing import Any

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from testmark.errors import UserError
from testmark.records.dataset import InstanceRow
from testmark.records.results import MutantResult, TaskResult
from testmark.reports.load import LoadedResults


def render(run: LoadedResults, instance_id: str, mutant_id: str | None) -> str:
    """Text of one result or one of its mutants; raises `UserError` with near matches for an unknown one."""
    row, task = _find(run, instance_id)
    buffer = io.StringIO()
    terminal = sys.stdout.isatty()
    console = Console(file=buffer, force_terminal=terminal, width=None if terminal else 120, highlight=False)
    if mutant_id is None:
        _show_task(console, row, task)
    else:
        _show_mutant(console, run, _find_mutant(task, mutant_id))
    return buffer.getvalue()


def as_dict(run: LoadedResults, instance_id: str, mutant_id: str | None) -> dict[str, Any]:
    """The same as plain values; raises as `render` does."""
    row, task = _find(run, instance_id)
    if mutant_id is None:
        return {"instance": row.model_dump(mode="json"), "result": task.model_dump(mode="json")}
    mutant = _find_mutant(task, mutant_id)
    return {
        "instance_id": instance_id,
        "mutant": mutant.model_dump(mode="json"),
        "diff": run.diffs.get(mutant_id, ""),
    }


def _find(run: LoadedResults, instance_id: str) -> tuple[InstanceRow, TaskResult]:
    row = next((row for row in run.rows if row.instance_id == instance_id), None)
    if row is None:
        raise UserError(
            f"{run.folder}: no instance `{instance_id}`{_near(instance_id, [r.instance_id for r in run.rows])}"
        )
    return row, run.task(instance_id)


def _find_mutant(task: TaskResult, mutant_id: str) -> MutantResult:
    mutant = next((found for found in task.mutants if found.mutant_id == mutant_id), None)
    if mutant is None:
        known = [found.mutant_id for found in task.mutants]
        raise UserError(f"{task.instance_id}: no mutant `{mutant_id}`{_near(mutant_id, known)}")
    return mutant


def _near(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    return f"; did you mean {' or '.join(f'`{found}`' for found in close)}?" if close else ""


def _show_task(console: Console, row: InstanceRow, task: TaskResult) -> None:
    console.print(Text(f"{row.instance_id}: {task.verdict}", style="bold"))
    if task.reason:
        console.print(Text(f"  {task.reason}"))
    values = task.metrics.model_dump()
    console.print(Text("  " + ", ".join(f"{name} {value:.3f}" for name, value in values.items())))
    console.print(Text(f"\nFeature: {row.feature.title}\n{row.feature.narrative or ''}", style="dim"))
    if row.feature.background:
        console.print(Text(f"{row.feature.background}\n"))
    console.print(Text(row.scenario.gherkin))
    for file in task.files:
        console.print(Text(f"\n{file.path}", style="bold"))
        console.print(Syntax(file.content, "python") if console.is_terminal else Text(file.content))
    console.print(Text("\nSteps", style="bold"))
    for pickle in task.pickles:
        console.print(Text(f"  line {pickle.line}: {pickle.name}"))
        for step in pickle.steps:
            message = f"  {step.message}" if step.message else ""
            console.print(Text(f"    {step.status:10} {step.keyword} {step.text}{message}"))
    console.print(Text("\nMutants", style="bold"))
    for mutant in task.mutants:
        console.print(Text(f"  {_mutant_line(mutant)}"))


def _mutant_line(mutant: MutantResult) -> str:
    member = "kill set" if mutant.in_kill_set else "        "
    return f"{mutant.mutant_id}  {mutant.verdict:14} {member}  {mutant.detail}"


def _show_mutant(console: Console, run: LoadedResults, mutant: MutantResult) -> None:
    console.print(Text(_mutant_line(mutant), style="bold"))
    diff = run.diffs.get(mutant.mutant_id, "")
    console.print(Syntax(diff, "diff") if console.is_terminal else Text(diff))
