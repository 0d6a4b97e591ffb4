"""TestEvo's results folders by hand: three tasks, one a track, in two projects; the update has two targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from testmark.records.evoresults import EVO_METRICS, EVO_VERDICTS, EvoTargetResult, EvoTaskMetrics, EvoTaskResult
from testmark.records.results import AuditSummary, MutantDiff, MutantResult, RunSettings
from testmark.records.slugs import slug
from testmark.records.tasks import CellResult, CoverageGain, TaskRow, TestChange, Track, VariantResult
from testmark.reports.summary import summarise
from tests.reports.synthetic import HOSTILE

PROJECTS: dict[Track, str] = {"update": "a_shop-main", "generation": "b_bank-main", "refinement": "a_shop-main"}
METHODS: dict[Track, tuple[str, ...]] = {
    "update": ("testTotal", "testRebate"),
    "generation": ("testPay",),
    "refinement": ("testMore",),
}
GAIN = CoverageGain(
    denominator=10, baseline_covered=5, developer_covered=7, gained=2, lost=0, net=2, gain=0.2, status="gain",
    version="rev2",
)  # fmt: skip
SHARED = "5" * 12
"""A mutant of both targets of the update."""
DASH, MINUS = "\u2013", "\u2212"
"""As reports write a figure that there is not, and the page a negative one."""
REASONS = {
    "failed": "it passes on the old code too",
    "rejected": "control-mutant: testTotal fails on an edit that changes no behaviour",
    "empty": "no test file for this task",
    "timeout": "testTotal: ran longer than 10.0 s of CPU time",
    "flaky": "testTotal: one run on the new code passed, another: expected 3",
    "infra": "the worker could not be started",
}


def row(track: Track) -> TaskRow:
    project = PROJECTS[track]
    name = f"{project}__1111111_2222222__CartTest_{slug(track)[-8:]}"
    refined = track == "refinement"
    return TaskRow(
        task_id=name,
        project_name=project,
        git_clone_url="u",
        rev1="1" * 40,
        rev2="2" * 40,
        date="2026-01-02T03:04:05Z",
        test_file="src/test/java/shop/CartTest.java",
        test_changes=tuple(
            TestChange(
                change_id=f"{name}__{number}_{method}",
                test_sign=f"shop.CartTest#{method}()V",
                class_="shop.CartTest",
                method=method,
                module=".",
                junit_selector=f"shop.CartTest#{method}",
                old_test_code=None if track == "generation" else "old",
                new_test_code="new",
                old_test_lnum=(),
                new_test_lnum=("3-5",),
                old_test_file_path=(),
                all_deps_new=("shop.Cart#total()I",),
                variant_result=VariantResult(
                    old_on_old=None, old_on_new=None, new_on_old="ExecFail", new_on_new="Pass"
                ),
                coverage_gold=0.7,
                coverage_delta_gold=0.2 if refined else None,
                coverage_gain=GAIN if refined else None,
            )
            for number, method in enumerate(METHODS[track])
        ),
        java_version=17,
    )


def target(
    track: Track, method: str, *, success: bool, new: CellResult | None = "Pass", kills: str = "ks"
) -> EvoTargetResult:
    """A target whose mutants are killed or survive as `kills` says; both targets of the update have `SHARED`."""
    names = [f"{method.lower()[4:]}{number:08}"[:12] for number in range(len(kills))]
    if track == "update":
        names[0] = SHARED
    old: CellResult = "ExecFail" if success else "Pass"
    return EvoTargetResult(
        test_class="shop.CartTest",
        method=method,
        new=new,
        old=None if track == "refinement" or new != "Pass" else old,
        reason="" if success else REASONS["failed"] if new == "Pass" else f"expected 3 but was 2 {HOSTILE}",
        success=success,
        progress=1.0 if success else 2 / 3 if new == "Pass" else 1 / 3,
        covered=7 if new == "Pass" else 0,
        scope=10,
        gain=0.2 if track == "refinement" else None,
        mutants=tuple(
            MutantResult(
                mutant_id=name,
                verdict="killed" if kind == "k" else "survived",
                in_kill_set=True,
                detail="expected: 3 but was: 2" if kind == "k" else "",
                how="warm",
            )
            for name, kind in zip(names, kills, strict=True)
        )
        if success
        else (),
    )


def task(track: Track, verdict: str, model: str = "model-a") -> EvoTaskResult:
    """Solved: coverage 0.7 and half of the mutants. Failed: the first target passes on the old code as well, which
    leaves it at 2/3, and any other fails on the new code, at 1/3.
    """
    made = row(track)
    solved = verdict == "success"
    methods = METHODS[track] if verdict in {"success", "failed"} else ()
    cells: list[CellResult] = ["Pass" if solved or not number else "ExecFail" for number in range(len(methods))]
    targets = tuple(
        target(track, method, success=solved, new=cell) for method, cell in zip(methods, cells, strict=True)
    )
    progress = [one.progress for one in targets]
    return EvoTaskResult(
        task_id=made.task_id,
        project=made.project_name,
        track=track,
        date=made.date,
        model_name_or_path=model,
        verdict=verdict,
        reason=REASONS.get(verdict, ""),
        targets=targets,
        metrics=EvoTaskMetrics(
            success=float(solved),
            cov_on_pass=0.7 if solved else None,
            mut_on_pass=0.5 if solved else None,
            overall=(1 + 0.7 + 0.5) / 3 if solved else sum(progress) / len(progress) if progress else 0.0,
        ),
        shares={
            name: cells.count(name) / len(cells) if cells else 0.0
            for name in ("Pass", "ExecFail", "CmplFail", "HrnsFail")
        },
        controls_run=4 if solved else 0,
        ignored=("src/test/java/shop/Notes.java",) if solved else (),
        prediction_hash="h",
        content="" if verdict in {"empty", "rejected"} else f"package shop;\n\nclass CartTest {{ // {HOSTILE}\n}}\n",
        how="not-run" if verdict in {"empty", "rejected"} else "warm",
        seconds=0.1,
    )


def diff(mutant_id: str) -> str:
    return (
        "--- a/src/main/java/shop/Cart.java\n+++ b/src/main/java/shop/Cart.java\n@@ -7,3 +7,3 @@\n"
        f"     int total = 0; // {mutant_id}\n-    total += price;\n+    total -= price;\n     return total;\n"
    )


def write_evo(folder: Path, verdicts: Mapping[Track, str], *, model: str = "model-a") -> Path:
    """A results folder with one task a track that has a verdict."""
    return write_evo_tasks(folder, [task(track, verdict, model) for track, verdict in verdicts.items()], model=model)


def write_evo_tasks(folder: Path, tasks: Sequence[EvoTaskResult], *, model: str = "model-a") -> Path:
    rows = [row(made.track) for made in tasks]
    settings = RunSettings(
        benchmark="testevo",
        bench="b",
        bench_id="e" * 64,
        predictions="p",
        only=(),
        limit=None,
        seed=0,
        sandbox="s",
        testmark_version="0",
    )
    summary = summarise(
        tasks,
        settings=settings,
        expected=[made.task_id for made in rows],
        audit=AuditSummary(sampled=3, disagreements=0),
        model=model,
        metrics=EVO_METRICS,
        known=EVO_VERDICTS,
    )
    (folder / "tasks").mkdir(parents=True)
    for made in tasks:
        (folder / "tasks" / f"{slug(made.task_id)}.json").write_text(made.to_json(), encoding="utf-8")
    (folder / "run.json").write_text(settings.to_json(), encoding="utf-8")
    (folder / "summary.json").write_text(summary.to_json(), encoding="utf-8")
    (folder / "instances.jsonl").write_text("".join(made.to_json() + "\n" for made in rows), encoding="utf-8")
    names = sorted({mutant.mutant_id for made in tasks for mutant in made.mutant_results()})
    lines = "".join(MutantDiff(mutant_id=name, diff=diff(name)).to_json() + "\n" for name in names)
    (folder / "diffs.jsonl").write_text(lines, encoding="utf-8")
    return folder
