"""The four-way matrix: a developer's old and new test on the old and the new code, each cell run N times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from testmark.errors import InfraError
from testmark.records.base import FileText
from testmark.records.tasks import CellResult
from testmark.runtimes.maven.protocol import MethodLines, MethodsRun
from testmark.runtimes.protocol import TimeLimits
from testmark.source.java import JavaMethod
from testmark.testevo.placing import NotPlaced
from testmark.testevo.sides import Asked, Side, ask

TIME = TimeLimits(cpu_seconds=60, idle_seconds=30.0, wall_seconds=300.0)
"""For the developers' tests, whose own needs are not known yet."""


@dataclass(frozen=True)
class Version:
    """One version of a test: a file and one of its methods."""

    file: FileText
    method: JavaMethod


@dataclass(frozen=True)
class Cell:
    """What one version of a test did on one revision."""

    result: CellResult | None
    """None when it was no verdict: `problem` says why."""
    detail: str
    problem: str = ""
    """`flaky`, `skipped` or `infra`."""
    coverage: tuple[MethodLines, ...] = ()
    cpu_seconds: float = 0.0
    """The longest of its runs."""


def run_cell(side: Side, version: Version, *, times: int, measure: bool = False, built_path: str | None = None) -> Cell:
    """Lay the version over the revision and run its method `times` times; the last run is the measured one.

    `built_path` is where the revision itself has the file, when it is not where the version has it.
    """
    try:
        placed = side.lay(version.file, [version.method], built_path)
        if isinstance(placed, NotPlaced):
            return Cell("CmplFail", placed.error)
        asked = ask(side, placed, version.method, built_path=built_path, measure=measure, time=TIME)
    except InfraError as error:
        return Cell(None, str(error), "infra")
    runs: list[MethodsRun] = []
    for number in range(times):
        last = number == times - 1
        runs.append(_measured(side, asked) if measure and last else side.run(asked.unmeasured()))
        if runs[-1].status == "infra":
            break
    return _cell(runs)


def _measured(side: Side, asked: Asked) -> MethodsRun:
    """A measured run. Who called what only a worker can tell, so that of Maven is joined by one of its own."""
    run = side.run(asked)
    if run.status == "passed" and asked.only_maven and asked.warm.overlay:
        told = side.worker.run(asked.warm)
        if told.status == "passed":
            return replace(run, coverage=told.coverage)
    return run


def _cell(runs: Sequence[MethodsRun]) -> Cell:
    """Every run must say the same."""
    last = runs[-1]
    cpu = max(run.cpu_seconds for run in runs)
    if last.status == "infra":
        return Cell(None, last.reason, "infra")
    kinds = {run.status for run in runs}
    if len(kinds) > 1:
        differing = next(run for run in runs if run.status != "passed")
        return Cell(None, f"{sum(run.status == 'passed' for run in runs)} of {len(runs)} runs passed: "
                    f"{differing.reason}", "flaky", cpu_seconds=cpu)  # fmt: skip
    match last.status:
        case "passed":
            return Cell("Pass", "", coverage=last.coverage, cpu_seconds=cpu)
        case "skipped":
            return Cell(None, last.reason, "skipped", cpu_seconds=cpu)
        case "not-found":
            return Cell("HrnsFail", last.reason, cpu_seconds=cpu)
        case "not-compiled":
            return Cell("CmplFail", last.reason, cpu_seconds=cpu)
        case _:
            return Cell("ExecFail", last.reason, cpu_seconds=cpu)
