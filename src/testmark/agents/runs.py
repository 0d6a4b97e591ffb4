"""Runs: one agent on the tasks of a benchmark, one small file a task, the predictions derived from them."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from testmark.agents.base import Agent, AgentTaskView
from testmark.agents.predictions import FILE_NAME, predictions_text
from testmark.engine.files import owned, sweep_parts, write_text
from testmark.engine.pool import NoSlot, Pool
from testmark.engine.progress import Progress
from testmark.errors import UserError
from testmark.records.results import AgentRun, AgentTask, Prediction
from testmark.records.slugs import slug
from testmark.sandbox.confinement import Sandbox

_DETAILS = 10


@dataclass(frozen=True)
class RunOptions:
    """Which agent, on what, and how."""

    agent: str
    sandbox: Sandbox
    command: str | None = None
    timeout: float = 3600.0
    network: bool = False
    variables: tuple[str, ...] = ()
    """Environment variables that the agent gets, by name."""
    retry_failed: bool = False
    only: tuple[str, ...] = ()
    limit: int | None = None
    jobs: int | None = None
    seed: int = 0
    quiet: bool = False
    cache: Path | None = None


@dataclass(frozen=True)
class RunReport:
    """How the tasks ended."""

    out: Path
    outcomes: dict[str, int]
    details: dict[str, str]
    """What there is to say of a task, by instance."""

    @property
    def infra(self) -> int:
        """Tasks that our side could not carry out; the same command tries them again."""
        return self.outcomes.get("infra", 0)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for `--json`."""
        return {
            "run": str(self.out),
            "predictions": str(self.out / FILE_NAME),
            "outcomes": self.outcomes,
            "details": self.details,
        }

    def text(self) -> str:
        """One line, and one for each of the first tasks of which there is something to say."""
        counts = ", ".join(f"{count} {name}" for name, count in self.outcomes.items())
        lines = [f"{self.out / FILE_NAME}: {counts or 'no tasks'}"]
        lines += [f"  {name}: {detail}" for name, detail in list(self.details.items())[:_DETAILS]]
        if len(self.details) > _DETAILS:
            lines.append(f"  and {len(self.details) - _DETAILS} more; `tasks` in {self.out} holds a file for each")
        return "\n".join(lines)


def run_tasks(
    out: Path,
    names: Sequence[str],
    agent: Callable[[str], Agent],
    view: Callable[[str, Path], AgentTaskView],
    options: RunOptions,
    bench_id: str,
) -> RunReport:
    """Let the agent work on every named task; run again it goes on where it was.

    `agent` gives the agent for a task, `view` what it is given of that task, with the place of its log. Raises
    `UserError` for a folder of another run.
    """
    with owned(out, "run"):
        sweep_parts(out)
        _claim(out, AgentRun(agent=options.agent, command=options.command, bench_id=bench_id, seed=options.seed))
        done = {name: found for name in names if (found := _stored(out, name, options)) is not None}
        _run_all(out, agent, [name for name in names if name not in done], view, done, options)
        predictions = [found.prediction for name in names if (found := done[name]).prediction is not None]
        write_text(out / FILE_NAME, predictions_text(p for p in predictions if p is not None))
        details = {name: f"{done[name].outcome}: {done[name].detail}" for name in names if done[name].detail}
    return RunReport(out, dict(sorted(Counter(found.outcome for found in done.values()).items())), details)


def variables_of(options: RunOptions) -> dict[str, str]:
    """The environment variables that the agent gets; raises `UserError` for one that is not set."""
    missing = [name for name in options.variables if name not in os.environ]
    if missing:
        raise UserError(f"--env {missing[0]}: this variable is not set; export it first")
    return {name: os.environ[name] for name in options.variables}


def has_command(options: RunOptions) -> bool:
    """Whether a command line is to be run; raises `UserError` for one that belongs to another agent."""
    if options.agent != "command" and options.command:
        raise UserError("--command is the line of another agent; add --agent command or leave it out")
    return bool(options.command)


def _claim(out: Path, run: AgentRun) -> None:
    place = out / "run.json"
    if place.exists():
        try:
            found = AgentRun.from_json(place.read_bytes())
        except (OSError, ValidationError) as error:
            raise UserError(f"{place}: cannot be read; choose another --out") from error
        if found != run:
            raise UserError(f"{out}: holds a run of another agent, command, seed or benchmark; choose another --out")
    else:
        write_text(place, run.to_json(indent=1) + "\n")


def _stored(out: Path, name: str, options: RunOptions) -> AgentTask | None:
    try:
        found = AgentTask.from_json((out / "tasks" / f"{slug(name)}.json").read_bytes())
    except (OSError, ValidationError):
        return None
    again = {"infra", "timeout", "agent_error"} if options.retry_failed else {"infra"}
    return None if found.outcome in again else found


def _run_all(
    out: Path,
    agent: Callable[[str], Agent],
    todo: Sequence[str],
    view: Callable[[str, Path], AgentTaskView],
    done: dict[str, AgentTask],
    options: RunOptions,
) -> None:
    def work(name: str, _slot: NoSlot) -> AgentTask:
        started = time.monotonic()
        own = agent(name)
        found = own.predict(view(name, out / "logs" / f"{slug(name)}.log"))
        prediction = Prediction(instance_id=name, model_name_or_path=own.name, files=found.files)
        return AgentTask(
            instance_id=name,
            outcome=found.outcome,
            detail=found.detail,
            seconds=round(time.monotonic() - started, 3),
            exit_code=found.exit_code,
            prediction=prediction if found.files else None,
        )

    with Progress(f"agent {options.agent}", len(todo), quiet=options.quiet) as progress:

        def keep(name: str, task: AgentTask) -> None:
            done[name] = task
            write_text(out / "tasks" / f"{slug(name)}.json", task.to_json() + "\n")
            progress.step(name)

        pool: Pool[str, AgentTask, NoSlot] = Pool(options.jobs or os.cpu_count() or 1, NoSlot)
        pool.run(todo, work, keep)
