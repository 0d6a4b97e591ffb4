"""Req2Test's records as reports show them."""

from __future__ import annotations

from testmark.records.dataset import InstanceRow
from testmark.records.results import METRICS, VERDICTS, TaskResult
from testmark.reports.shown import (
    Benchmark,
    ShownFile,
    ShownGroup,
    ShownInstance,
    ShownMutant,
    ShownStep,
    ShownTask,
)


def _row(row: InstanceRow) -> ShownInstance:
    feature = row.feature
    head = "\n".join(part for part in (f"Feature: {feature.title}", feature.narrative) if part)
    folder, _, name = row.instance_id.rpartition("/")
    return ShownInstance(
        name=row.instance_id,
        project=row.project,
        title=row.scenario.title,
        text="\n\n".join(part for part in (head, feature.background, row.scenario.gherkin) if part),
        lead=f"Feature: {feature.title}\n{feature.narrative or ''}",
        body="\n\n".join(part for part in (feature.background, row.scenario.gherkin) if part),
        targets=tuple(".".join(target.key) for target in row.target_interfaces),
        case=(folder.replace("/", "."), name),
    )


def _task(row: InstanceRow, task: TaskResult) -> ShownTask:
    return ShownTask(
        name=task.instance_id,
        project=task.project,
        verdict=task.verdict,
        reason=task.reason,
        how=task.how,
        metrics={metric: getattr(task.metrics, metric) for metric in METRICS},
        files=tuple(ShownFile(file.path, file.content, row.language) for file in task.files),
        groups=tuple(
            ShownGroup(
                pickle.line,
                pickle.name,
                tuple(ShownStep(s.line, s.keyword, s.text, s.status, s.message) for s in pickle.steps),
            )
            for pickle in task.pickles
        ),
        mutants=tuple(
            ShownMutant(
                name=mutant.mutant_id,
                mutant_id=mutant.mutant_id,
                verdict=mutant.verdict,
                counts=mutant.in_kill_set,
                label="kill set" if mutant.in_kill_set else "        ",
                detail=mutant.detail,
                how=mutant.how,
            )
            for mutant in task.mutants
        ),
    )


def _name(row: InstanceRow) -> str:
    return row.instance_id


REQ2TEST = Benchmark(
    name="req2test",
    title="Req2Test",
    metrics={
        "pass_at_1": "Pass@1",
        "kill_complete_at_1": "KillComplete@1",
        "mutant_kill_recall": "recall",
        "api_f1": "API F1",
        "coverage_jaccard": "Jaccard",
    },
    verdicts=VERDICTS,
    passed="passed",
    groups="Steps",
    row=InstanceRow,
    task=TaskResult,
    name_of=_name,
    show_row=_row,
    show_task=_task,
)
