"""Results folders made up for tests: several projects, all verdicts, and hostile texts wherever others wrote a text."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable
from pathlib import Path

from testmark.records.base import FileText, Record
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
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "<!--\x00\x1b[31m\u202e&amp;]]>"
)
PROJECTS = ("bank", "library", "shop")
VERDICTS = ("passed", "failed", "undefined", "invalid", "rejected", "empty", "timeout", "flaky")
WEIGHTS = (60, 14, 8, 5, 4, 4, 3, 2)
REASONS = {
    "failed": "AssertionError: expected 3 but was 2 at line {line}: Then the total is 3",
    "undefined": "no step definition at line {line}: When the cart is paid",
    "invalid": "features/steps/cart.py: SyntaxError: '(' was never closed (line 12)",
    "rejected": "control-mutant: fails on an edit that changes no behaviour",
    "empty": "the prediction holds no file",
    "timeout": "ran longer than 10.0 s of CPU time",
    "flaky": "passed 2 of 3 runs",
    "infra": "the sandbox could not be started",
}
STEPS = (("Given", "a cart with {count} items"), ("When", "the cart is paid"), ("Then", "the total is {count}"))
OPERATORS = (("<", "<="), ("+", "-"), ("and", "or"), ("return total", "return None"))
MANIFEST = BenchManifest(
    benchmark="req2test",
    schema_version=1,
    testmark_version="0",
    bench_id="b" * 64,
    projects=PROJECTS,
    seed=0,
    counts={},
    hashes={},
    interpreter="3.11.7",
    runtime_lock=(),
)


def row(number: int) -> InstanceRow:
    """The instance of this number; every seventh has a hostile title and Scenario."""
    project = PROJECTS[number % len(PROJECTS)]
    line = 3 + 6 * (number % 20)
    path = f"features/cart_{number // 20:03}.feature"
    steps = "\n".join(f"    {keyword} {text.format(count=number)}" for keyword, text in STEPS)
    title = f"Pay {number} items"
    if number % 7 == 0:
        title += f" {HOSTILE}"
        steps += f"\n    # {HOSTILE}"
    return InstanceRow(
        instance_id=f"{project}/{path}:{line}",
        project=project,
        language="python",
        framework="behave",
        repo_url="r",
        base_commit="0" * 40,
        feature_repo_url="r",
        feature_commit="0" * 40,
        feature=FeaturePart(
            file_path=path,
            title="Cart",
            narrative="  In order to buy\n  As a customer\n  I want to pay what is in my cart",
            background="  Background:\n    Given a shop that is open",
        ),
        scenario=ScenarioPart(
            title=title, line=line, kind="scenario", tags=("@cart",), gherkin=f"  Scenario: {title}\n{steps}"
        ),
        requirement_richness="user_story",
        target_interfaces=(
            TargetInterface(declaration="def total(self) -> int: ...", key=("shop.cart", "Cart.total")),
        ),
        target_interfaces_empty_reason=None,
        test_level="component",
        test_level_class="S",
        in_eval_split=True,
        gt_test_files=("features/steps/cart.py",),
    )


def mutant_ids(made: InstanceRow, count: int) -> list[str]:
    return [hashlib.sha256(f"{made.instance_id} {n}".encode()).hexdigest()[:12] for n in range(count)]


def diff(mutant_id: str) -> str:
    """A realistic diff, told from others by its line and the name in it."""
    number = int(mutant_id, 16)
    old, new = OPERATORS[number % len(OPERATORS)]
    line = 10 + number % 200
    return (
        f"--- a/src/shop/cart.py\n+++ b/src/shop/cart.py\n@@ -{line},3 +{line},3 @@\n"
        f"     total = 0  # {mutant_id}\n-    item = price {old} rebate\n+    item = price {new} rebate\n     return total\n"
    )


def task(made: InstanceRow, chance: random.Random, model: str, verdict: str, mutants: int = 8) -> TaskResult:
    passed = verdict == "passed"
    hostile = made.scenario.title.endswith(HOSTILE)
    line = made.scenario.line
    found = tuple(_mutant(name, chance, passed=passed, number=n) for n, name in enumerate(mutant_ids(made, mutants)))
    members = [mutant for mutant in found if mutant.in_kill_set]
    killed = sum(mutant.verdict.startswith("killed") for mutant in members)
    reason = REASONS.get(verdict, "").format(line=line + 3)
    steps = tuple(
        StepResult(
            line=line + 1 + n,
            keyword=keyword,
            text=text.format(count=3),
            status="passed" if passed or n < 2 else "failed",
            message="" if passed or n < 2 else f"AssertionError: {HOSTILE if hostile else 'expected 3 but was 2'}",
        )
        for n, (keyword, text) in enumerate(STEPS)
    )
    ran = verdict in {"passed", "failed", "flaky"}
    content = (
        f'"""Steps of {model}."""\n\nfrom behave import given, then, when\n\n\n@given("a cart")\ndef cart(context):\n'
    )
    content += f"    context.cart = Cart()  # {HOSTILE}\n" if hostile else "    context.cart = Cart()\n"
    return TaskResult(
        instance_id=made.instance_id,
        project=made.project,
        model_name_or_path=model,
        verdict=verdict,
        reason=f"{reason} {HOSTILE}" if hostile and not passed else reason,
        pickles=(PickleResult(line=line, name=made.scenario.title, steps=steps),) if ran else (),
        mutants=found,
        metrics=TaskMetrics(
            pass_at_1=float(passed),
            kill_complete_at_1=float(passed and killed == len(members)),
            mutant_kill_recall=killed / len(members) if passed and members else 0.0,
            api_f1=chance.choice([0.5, 0.8, 1.0]) if passed else 0.0,
            coverage_jaccard=round(chance.uniform(0.4, 1.0), 6) if passed else 0.0,
        ),
        controls_run=5 if passed else 0,
        prediction_hash="h",
        files=() if verdict == "empty" else (FileText(path="features/steps/cart.py", content=content),),
        how="warm" if ran else "not-run",
        seconds=0.1,
    )


def _mutant(name: str, chance: random.Random, *, passed: bool, number: int) -> MutantResult:
    verdict = chance.choices(["killed", "killed_error", "survived", "unreached"], [50, 25, 20, 5])[0]
    details = {"killed": "AssertionError: expected 3 but was 2", "killed_error": "TypeError: 'NoneType' object"}
    return MutantResult(
        mutant_id=name,
        verdict=verdict if passed else "unreached",
        in_kill_set=number % 4 != 0,
        detail=f"{details[verdict]} at line 7: Then the total is 3" if passed and verdict in details else "",
        how="warm" if passed else "not-run",
    )


def write_results(
    folder: Path,
    *,
    model: str = "model-a",
    count: int = 40,
    seed: int = 0,
    mutants: int = 8,
    verdict: str | None = None,
) -> Path:
    """A whole results folder of `count` instances with `mutants` each; all of one `verdict` where it is given."""
    chance = random.Random(seed)
    rows = [row(number) for number in range(count)]
    tasks = [
        task(made, chance, model, verdict or chance.choices(VERDICTS, WEIGHTS)[0], mutants=mutants) for made in rows
    ]
    return write_tasks(folder, rows, tasks, model=model)


def write_tasks(folder: Path, rows: list[InstanceRow], tasks: list[TaskResult], *, model: str = "model-a") -> Path:
    """The folder of these instances and results."""
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
        settings=settings,
        expected=[made.instance_id for made in rows],
        audit=AuditSummary(sampled=3, disagreements=0),
        model=model,
    )
    (folder / "tasks").mkdir(parents=True)
    for made in tasks:
        (folder / "tasks" / f"{slug(made.instance_id)}.json").write_text(made.to_json(), encoding="utf-8")
    (folder / "run.json").write_text(settings.to_json(), encoding="utf-8")
    (folder / "summary.json").write_text(summary.to_json(), encoding="utf-8")
    _write_lines(folder / "instances.jsonl", rows)
    names = (mutant.mutant_id for made in tasks for mutant in made.mutants)
    _write_lines(folder / "diffs.jsonl", (MutantDiff(mutant_id=name, diff=diff(name)) for name in names))
    return folder


def _write_lines(path: Path, records: Iterable[Record]) -> None:
    path.write_text("".join(record.to_json() + "\n" for record in records), encoding="utf-8")
