"""The four-way matrix: a developer's old and new test on the old and the new code, each cell run N times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from testmark.errors import InfraError
from testmark.records.base import FileText
from testmark.records.builds import BuiltModule
from testmark.records.tasks import CellResult
from testmark.runtimes.maven.protocol import WORK, JavaWorker, MethodLines, MethodsRequest, MethodsRun
from testmark.runtimes.protocol import TimeLimits
from testmark.source.java import JavaMethod
from testmark.testevo.placing import NotPlaced, Placed, place

TIME = TimeLimits(cpu_seconds=60, idle_seconds=30.0, wall_seconds=300.0)
"""For the developers' tests, whose own needs are not known yet."""


@dataclass(frozen=True)
class Side:
    """One built revision as its tests see it."""

    revision: str
    tree: Path
    module: BuiltModule
    siblings: tuple[BuiltModule, ...]
    """Every module of the revision: their production code is measured too."""
    worker: JavaWorker


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
        placed = place(side.worker, side.tree, side.module, version.file, [version.method], built_path)
    except InfraError as error:
        return Cell(None, str(error), "infra")
    if isinstance(placed, NotPlaced):
        return Cell("CmplFail", placed.error)
    runs: list[MethodsRun] = []
    for number in range(times):
        last = number == times - 1
        runs.append(side.worker.run(request(side, placed, version.method, measure=measure and last)))
        if runs[-1].status == "infra":
            break
    return _cell(runs)


def request(
    side: Side, placed: Placed, method: JavaMethod, *, measure: bool, time: TimeLimits = TIME
) -> MethodsRequest:
    """The run of one method of a placed test file."""
    module = side.module
    code = [module.test_classes, module.classes]
    inside = tuple(f"{WORK}/{folder}" for folder in code)
    siblings = tuple(entry for entry in module.classpath if entry.startswith(f"{WORK}/"))
    return MethodsRequest(
        dependencies=tuple(entry for entry in module.classpath if entry not in siblings),
        code=(*inside, *siblings),
        overlay=placed.classes,
        removed=placed.removed,
        test_class=method.owner.binary_name,
        methods=(method.name,),
        frameworks=module.frameworks,
        directory=f"{WORK}/{module.surefire.working_directory}".rstrip("/"),
        properties=module.surefire.system_properties,
        environment=module.surefire.environment,
        arg_line=module.surefire.arg_line,
        time=time,
        measure=(*inside, *siblings) if measure else (),
    )


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
