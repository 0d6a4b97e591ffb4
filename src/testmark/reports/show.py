"""One result in the terminal: what was asked, prediction, steps or targets, and mutants, down to one mutant's diff."""

from __future__ import annotations

import difflib
import io
import sys
from typing import Any

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from testmark.errors import UserError
from testmark.reports.figures import figure_text
from testmark.reports.load import LoadedResults
from testmark.reports.shown import ShownInstance, ShownMutant, ShownTask


def render(run: LoadedResults, instance_id: str, mutant_id: str | None) -> str:
    """Text of one result or one of its mutants; raises `UserError` with near matches for an unknown one."""
    instance, task = _find(run, instance_id)
    buffer = io.StringIO()
    terminal = sys.stdout.isatty()
    console = Console(file=buffer, force_terminal=terminal, width=None if terminal else 120, highlight=False)
    if mutant_id is None:
        _show_task(console, run, instance, task)
    else:
        _show_mutant(console, run, _find_mutant(task, mutant_id))
    return buffer.getvalue()


def as_dict(run: LoadedResults, instance_id: str, mutant_id: str | None) -> dict[str, Any]:
    """The records themselves as plain values; raises as `render` does."""
    _, shown = _find(run, instance_id)
    task = run.task(instance_id)
    if mutant_id is None:
        row = run.named_rows[instance_id]
        return {
            "instance": row.model_dump(mode="json", by_alias=True),
            "result": task.model_dump(mode="json", by_alias=True),
        }
    mutant = _find_mutant(shown, mutant_id)
    record = list(task.mutant_results())[shown.mutants.index(mutant)]
    return {
        "instance_id": instance_id,
        "mutant": record.model_dump(mode="json"),
        "diff": run.diffs.get(mutant.mutant_id, ""),
    }


def _find(run: LoadedResults, instance_id: str) -> tuple[ShownInstance, ShownTask]:
    instance = run.instances.get(instance_id)
    if instance is None:
        raise UserError(f"{run.folder}: no instance `{instance_id}`{_near(instance_id, list(run.instances))}")
    return instance, run.shown(instance_id)


def _find_mutant(task: ShownTask, mutant_id: str) -> ShownMutant:
    exact = next((found for found in task.mutants if found.name == mutant_id), None)
    if exact is not None:
        return exact
    shared = [found.name for found in task.mutants if found.mutant_id == mutant_id]
    if shared:
        names = " or ".join(f"`{name}`" for name in shared)
        raise UserError(f"{task.name}: mutant `{mutant_id}` was judged for several targets; choose {names}")
    known = [found.name for found in task.mutants]
    raise UserError(f"{task.name}: no mutant `{mutant_id}`{_near(mutant_id, known)}")


def _near(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    return f"; did you mean {' or '.join(f'`{found}`' for found in close)}?" if close else ""


def _show_task(console: Console, run: LoadedResults, instance: ShownInstance, task: ShownTask) -> None:
    console.print(Text(f"{task.name}: {task.verdict}", style="bold"))
    if task.reason:
        console.print(Text(f"  {task.reason}"))
    if task.facts:
        console.print(Text(f"  {', '.join(task.facts)}"))
    console.print(Text("  " + ", ".join(f"{name} {figure_text(value)}" for name, value in task.metrics.items())))
    if instance.lead:
        console.print(Text(f"\n{instance.lead}", style="dim"))
    console.print(Text(instance.body if instance.lead else f"\n{instance.body}"))
    for file in task.files:
        console.print(Text(f"\n{file.path}", style="bold"))
        console.print(Syntax(file.content, file.language) if console.is_terminal else Text(file.content))
    console.print(Text(f"\n{run.benchmark.groups}", style="bold"))
    for group in task.groups:
        console.print(Text(f"  {group.name}" if group.line is None else f"  line {group.line}: {group.name}"))
        for step in group.steps:
            message = f"  {step.message}" if step.message else ""
            console.print(Text(f"    {step.status:10} {step.keyword} {step.text}{message}"))
    console.print(Text("\nMutants", style="bold"))
    for mutant in task.mutants:
        console.print(Text(f"  {_mutant_line(mutant)}"))


def _mutant_line(mutant: ShownMutant) -> str:
    return f"{mutant.name}  {mutant.verdict:14} {mutant.label}  {mutant.detail}"


def _show_mutant(console: Console, run: LoadedResults, mutant: ShownMutant) -> None:
    console.print(Text(_mutant_line(mutant), style="bold"))
    diff = run.diffs.get(mutant.mutant_id, "")
    console.print(Syntax(diff, "diff") if console.is_terminal else Text(diff))
