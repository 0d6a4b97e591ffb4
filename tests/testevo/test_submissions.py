"""Patches as predictions, and what a results folder and its audit know of the scope: on a real benchmark."""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path

import pytest

from testmark.errors import UserError
from testmark.records.evokit import EvoKit
from testmark.records.evoresults import EvoTaskResult
from testmark.records.results import Prediction
from testmark.records.tasks import TRACKS
from testmark.sandbox import choose
from testmark.testevo import audit as auditing
from testmark.testevo.audit import EvoAuditOptions, audit
from testmark.testevo.bench import EvoBench, Selection, open_bench
from testmark.testevo.evaluate import Courts, EvoOptions, evaluate
from testmark.testevo.judge import judge

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.xdist_group("testevo")]

BESIDE = (
    "diff --git a/target/A.class b/target/A.class\nnew file mode 100644\nindex 0..1\n"
    "Binary files /dev/null and b/target/A.class differ\n"
    "diff --git a/pom.xml b/pom.xml\n--- a/pom.xml\n+++ b/pom.xml\n@@ -1 +1 @@\n-no such line\n+<project/>\n"
)
"""What an agent leaves beside its test, and what applies to nothing."""


def patch_of(kit: EvoKit) -> str:
    """What git says of a workspace in which the developer's test was written."""
    path = kit.test_file
    before = (kit.old_text or "").splitlines(keepends=True)
    source = f"a/{path}" if kit.old_text is not None else "/dev/null"
    lines = unified_diff(before, kit.new_text.splitlines(keepends=True), source, f"b/{path}")
    return f"diff --git a/{path} b/{path}\n{''.join(lines)}"


def options(*, changed_only: bool = False, selection: Selection | None = None) -> EvoOptions:
    return EvoOptions(
        sandbox=choose(), selection=selection or Selection(), changed_only=changed_only, use_cache=False,
        audit_share=0.0, quiet=True,
    )  # fmt: skip


def written(bench: EvoBench, place: Path) -> Path:
    """The developers' tests of all tasks, as patches."""
    names = [bench.rows(track)[0].task_id for track in TRACKS]
    lines = [
        Prediction(instance_id=name, model_name_or_path="m", model_patch=BESIDE + patch_of(bench.kit(name))).to_json()
        for name in names
    ]
    place.write_text("\n".join(lines), encoding="utf-8")
    return place


def test_patches_are_judged_as_the_files_that_they_make(bench: Path, tmp_path: Path) -> None:
    opened = open_bench(bench)
    predictions, out = written(opened, tmp_path / "predictions.jsonl"), tmp_path / "out"
    summary = evaluate(bench, predictions, out, options())
    assert summary.metrics["success"].value == 1.0
    found = [EvoTaskResult.from_json(path.read_bytes()) for path in (out / "tasks").iterdir()]
    assert {one.task_id: one.content for one in found} == {
        one.task_id: opened.kit(one.task_id).new_text for one in found
    }
    assert {one.ignored for one in found} == {("target/A.class", "pom.xml")}
    with pytest.raises(UserError, match="mutation_scope"):
        evaluate(bench, predictions, out, options(changed_only=True))


@pytest.mark.parametrize("changed_only", [False, True])
def test_an_audit_judges_in_the_scope_of_the_results(
    bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed_only: bool
) -> None:
    predictions = written(open_bench(bench), tmp_path / "predictions.jsonl")
    selection = Selection(tracks=("update",))
    evaluate(bench, predictions, tmp_path / "out", options(changed_only=changed_only, selection=selection))
    asked: list[EvoOptions] = []

    def courts(opened: EvoBench, given: EvoOptions) -> Courts:
        asked.append(given)
        return Courts(opened, given)

    monkeypatch.setattr(auditing, "Courts", courts)
    audit(tmp_path / "out", EvoAuditOptions(sandbox=choose(), share=0.0, quiet=True))
    assert [one.changed_only for one in asked] == [changed_only]


def test_no_scope_of_mutants_changes_who_succeeds(bench: Path) -> None:
    opened = open_bench(bench)
    kit = opened.kit(opened.rows("refinement")[0].task_id)
    unchanged = kit.model_copy(
        update={
            "targets": tuple(
                target.model_copy(
                    update={
                        "dependencies": tuple(one.model_copy(update={"changed": False}) for one in target.dependencies)
                    }
                )
                for target in kit.targets
            )
        }
    )
    with Courts(opened, options(changed_only=True)).context(unchanged, "2024-01-01") as context:
        found = judge(kit.new_text, "m", (), context)
    assert [(one.success, one.gain, one.covered, one.scope, one.mutants) for one in found.targets] == [
        (True, 0.25, 0, 0, ())
    ]
    assert (found.metrics.cov_on_pass, found.metrics.mut_on_pass, found.metrics.overall) == (None, None, 1.0)
