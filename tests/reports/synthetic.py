"""Results folders made up for tests, hostile texts among them."""

from __future__ import annotations

import random
from pathlib import Path

from testmark.records.base import FileText
from testmark.records.dataset import FeaturePart, InstanceRow, ScenarioPart, TargetInterface
from testmark.records.kit import BenchManifest
from testmark.records.results import (
    AuditSummary,
    MutantDiff,
    MutantResult,
    PickleResult,
    RunSettings,
    StepResult,
    TaskMetrics,
    TaskResult,
)
from testmark.records.slugs import slug
from testmark.reports.summary import summarise

HOSTILE = (
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\x00\x1b[31m&amp;"
)
VERDICTS = ("passed", "passed", "passed", "failed", "rejected", "empty", "undefined", "timeout")
MANIFEST = BenchManifest(
    benchmark="req2test",
    schema_version=1,
    testmark_version="0",
    bench_id="b" * 64,
    projects=("shop",),
    seed=0,
    counts={},
    hashes={},
    interpreter="3.11.7",
    runtime_lock=(),
)


def row(number: int, project: str) -> InstanceRow:
    return InstanceRow(
        instance_id=f"{project}/features/f{number // 10}.feature:{number}",
        project=project,
        language="python",
        framework="behave",
        repo_url="r",
        base_commit="0" * 40,
        feature_repo_url="r",
        feature_commit="0" * 40,
        feature=FeaturePart(
            file_path=f"features/f{number // 10}.feature", title="Cart", narrative=None, background=None
        ),
        scenario=ScenarioPart(
            title=f"Scenario {number} {HOSTILE}",
            line=number,
            kind="scenario",
            tags=(),
            gherkin=f"Scenario: {number}\n  Given x\n  {HOSTILE}",
        ),
        requirement_richness="title_only",
        target_interfaces=(TargetInterface(declaration="def f(): ...", key=("m", "f")),),
        target_interfaces_empty_reason=None,
        test_level="component",
        test_level_class="S",
        in_eval_split=True,
        gt_test_files=("features/steps/a.py",),
    )


def task(made: InstanceRow, chance: random.Random, model: str, verdict: str) -> TaskResult:
    passed = verdict == "passed"
    mutants = tuple(
        MutantResult(
            mutant_id=f"m{number:03}",
            verdict=chance.choice(["killed", "killed_error", "survived"]) if passed else "unreached",
            in_kill_set=number % 4 != 0,
            detail=f"AssertionError: {HOSTILE}",
            how="warm" if passed else "not-run",
        )
        for number in range(1, 9)
    )
    members = [mutant for mutant in mutants if mutant.in_kill_set]
    killed = sum(mutant.verdict.startswith("killed") for mutant in members)
    return TaskResult(
        instance_id=made.instance_id,
        project=made.project,
        model_name_or_path=model,
        verdict=verdict,
        reason="" if passed else f"reason {HOSTILE}",
        pickles=(
            PickleResult(line=3, name="p", steps=(StepResult(line=4, keyword="Given", text="x", status="passed"),)),
        ),
        mutants=mutants,
        metrics=TaskMetrics(
            pass_at_1=float(passed),
            kill_complete_at_1=float(passed and killed == len(members)),
            mutant_kill_recall=killed / len(members) if passed else 0.0,
            api_f1=float(passed),
            coverage_jaccard=float(passed),
        ),
        controls_run=0,
        prediction_hash="h",
        files=(FileText(path="features/steps/a.py", content=f"# {HOSTILE}\n"),),
        how="warm" if passed else "not-run",
        seconds=0.1,
    )


def write_results(
    folder: Path, *, model: str = "model-a", count: int = 40, seed: int = 0, verdict: str | None = None
) -> Path:
    """A whole results folder of `count` instances of two projects."""
    chance = random.Random(seed)
    rows = [row(number, "shop" if number % 3 else "bank") for number in range(1, count + 1)]
    tasks = [task(made, chance, model, verdict or chance.choice(VERDICTS)) for made in rows]
    (folder / "tasks").mkdir(parents=True)
    for made in tasks:
        (folder / "tasks" / f"{slug(made.instance_id)}.json").write_text(made.to_json(), encoding="utf-8")
    settings = RunSettings(
        benchmark="req2test",
        bench="b",
        bench_id=MANIFEST.bench_id,
        predictions="p",
        only=(),
        limit=None,
        seed=0,
        sandbox="s",
        testmark_version="0",
    )
    summary = summarise(
        tasks,
        manifest=MANIFEST,
        settings=settings,
        expected=[made.instance_id for made in rows],
        audit=AuditSummary(sampled=0, disagreements=0),
        model=model,
    )
    diff = f"--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-a < b\n+a <= b  # {HOSTILE}\n"
    (folder / "run.json").write_text(settings.to_json(), encoding="utf-8")
    (folder / "summary.json").write_text(summary.to_json(), encoding="utf-8")
    (folder / "instances.jsonl").write_text("".join(made.to_json() + "\n" for made in rows), encoding="utf-8")
    (folder / "diffs.jsonl").write_text(
        "".join(MutantDiff(mutant_id=f"m{number:03}", diff=diff).to_json() + "\n" for number in range(1, 9)),
        encoding="utf-8",
    )
    return folder
