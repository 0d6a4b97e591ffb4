"""TestEvo's records as reports show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

from testmark.records.evoresults import EVO_METRICS, EVO_VERDICTS, SHARES, EvoTargetResult, EvoTaskResult
from testmark.records.tasks import TRACKS, TaskRow, Track
from testmark.reports.shown import (
    Benchmark,
    ShownFile,
    ShownGroup,
    ShownInstance,
    ShownMutant,
    ShownStep,
    ShownTask,
)

_CRITERIA: dict[Track, str] = {
    "update": "passes on the new revision and fails on the old one",
    "generation": "passes on the new revision and fails on the old one",
    "refinement": "passes and covers more than the unrefined test",
}
_REVISION = 10
"""Digits of a revision that a line of the result shows; the task itself shows all."""


def _row(row: TaskRow) -> ShownInstance:
    targets = tuple(f"{change.class_}#{change.method}" for change in row.test_changes)
    text = "\n".join(
        (
            f"Repository: {row.git_clone_url}",
            f"Test file: {row.test_file}",
            *(f"Target method: {target}" for target in targets),
            f"Old revision (rev1): {row.rev1}",
            f"New revision (rev2): {row.rev2}, {row.date}",
            f"Java: {row.java_version}",
        )
    )
    methods = ", ".join(change.method for change in row.test_changes)
    return ShownInstance(
        name=row.task_id,
        project=row.project_name,
        title=f"{PurePosixPath(row.test_file).stem}: {methods}",
        text=text,
        lead="",
        body=text,
        targets=targets,
        case=(row.project_name, row.task_id),
    )


def _task(row: TaskRow, task: EvoTaskResult) -> ShownTask:
    return ShownTask(
        name=task.task_id,
        project=task.project,
        verdict=task.verdict,
        reason=task.reason,
        how=task.how,
        metrics={metric: getattr(task.metrics, metric) for metric in EVO_METRICS},
        files=(ShownFile(row.test_file, task.content, "java"),) if task.content else (),
        groups=tuple(_group(row, task.track, target) for target in task.targets),
        mutants=tuple(_mutants(task)),
        facts=tuple(_facts(task)),
        kind=task.track,
        shares=task.shares,
    )


def _facts(task: EvoTaskResult) -> Iterator[str]:
    yield task.track
    if task.controls_run:
        yield f"{task.controls_run} control edits run"
    if task.disagreements:
        yield f"{task.disagreements} of {task.audited} audited warm runs differed from cold ones"
    if task.ignored:
        yield f"ignored: {', '.join(task.ignored)}"


def _group(row: TaskRow, track: Track, target: EvoTargetResult) -> ShownGroup:
    steps = [ShownStep(None, "new revision", row.rev2[:_REVISION], target.new or "not run")]
    if track != "refinement":
        steps.append(ShownStep(None, "old revision", row.rev1[:_REVISION], target.old or "not run"))
    status = "met" if target.success else "missed"
    criterion = f"{_CRITERIA[track]} (graded progress {target.progress:.3f})"
    steps.append(ShownStep(None, "criterion", criterion, status, target.reason))
    gain = "" if target.gain is None else f", gain {target.gain:+.3f}"
    covered = f"{target.covered} of {target.scope} lines of the dependency methods{gain}"
    steps.append(ShownStep(None, "coverage", covered, ""))
    if target.mutants:
        killed = sum(mutant.verdict.startswith("killed") for mutant in target.mutants)
        steps.append(ShownStep(None, "mutants", f"{killed} of {len(target.mutants)} killed", ""))
    return ShownGroup(None, f"{target.test_class}#{target.method}", tuple(steps))


def _mutants(task: EvoTaskResult) -> Iterator[ShownMutant]:
    """The findings by target; a mutant that several targets have is told apart by the target's number, from 1."""
    times = Counter(mutant.mutant_id for mutant in task.mutant_results())
    width = max((len(target.method) for target in task.targets), default=0)
    for number, target in enumerate(task.targets):
        for mutant in target.mutants:
            yield ShownMutant(
                name=mutant.mutant_id if times[mutant.mutant_id] == 1 else f"{mutant.mutant_id}@{number + 1}",
                mutant_id=mutant.mutant_id,
                verdict=mutant.verdict,
                counts=True,
                label=target.method.ljust(width),
                detail=mutant.detail,
                how=mutant.how,
                group=number,
            )


def _name(row: TaskRow) -> str:
    return row.task_id


TESTEVO = Benchmark(
    name="testevo",
    title="TestEvo",
    metrics={"success": "Success", "cov_on_pass": "CovOnPass", "mut_on_pass": "MutOnPass", "overall": "Overall"},
    verdicts=EVO_VERDICTS,
    passed="success",
    groups="Targets",
    row=TaskRow,
    task=EvoTaskResult,
    name_of=_name,
    show_row=_row,
    show_task=_task,
    partial=frozenset({"cov_on_pass", "mut_on_pass"}),
    kind="track",
    kinds=TRACKS,
    shares=SHARES,
    shares_title="Target methods on the new revision, mean shares of the tasks",
    scripts=("testevo.js",),
    styles=("testevo.css",),
)
