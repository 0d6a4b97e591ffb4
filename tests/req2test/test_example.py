"""The whole way on the shipped example: build, run, evaluate, report, audit."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from testmark.engine.files import tree_hashes
from testmark.errors import UserError
from testmark.projects.load import load_definition
from testmark.records.results import METRICS, Summary, TaskResult
from testmark.req2test.agent_runs import RunOptions, run_agent
from testmark.req2test.audit import AuditOptions, audit
from testmark.req2test.bench import open_bench
from testmark.req2test.build import BuildOptions, build
from testmark.req2test.evaluate import EvaluateOptions, evaluate
from testmark.req2test.leakcheck import check_leaks, hidden_bodies
from testmark.req2test.workspace import prepare
from tests.req2test.conftest import EXAMPLE

pytestmark = pytest.mark.xdist_group("example")


def judge(bench: Path, predictions: Path, out: Path, sandbox, **more) -> Summary:
    options = EvaluateOptions(sandbox=sandbox, quiet=True, use_cache=False, **more)
    return evaluate(bench, predictions, out, options)


def without_times(folder: Path) -> dict[str, object]:
    """Every file of a results folder with the timings taken out."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != ".lock":
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".json":
                value = json.loads(text)
                value.pop("seconds", None)
                text = json.dumps(value)
            found[path.relative_to(folder).as_posix()] = text
    return found


def test_the_gates_hold(bench: Path, runs: dict[str, Path], tmp_path: Path, sandbox) -> None:
    values = {}
    for agent, run in runs.items():
        summary = judge(bench, run, tmp_path / agent, sandbox)
        assert summary.complete
        assert sum(summary.verdicts.values()) == summary.tasks
        values[agent] = {metric: summary.metrics[metric].value for metric in METRICS}
    assert set(values["reference"].values()) == {1.0}
    assert set(values["empty"].values()) == {0.0}
    assert set(values["always-fail"].values()) == {0.0}
    assert values["always-pass"]["pass_at_1"] == 1.0
    assert {values["always-pass"][m] for m in ("kill_complete_at_1", "mutant_kill_recall", "api_f1")} == {0.0}


@pytest.mark.parametrize(
    ("claimed", "predicted", "failing"),
    [
        ("reference", "reference", 0),
        ("reference", "always-pass", 4),
        ("always-pass", "reference", 4),
        (None, "empty", 0),
    ],
)
def test_a_shipped_agent_that_scores_otherwise_fails_its_gate(
    claimed: str | None, predicted: str, failing: int, bench: Path, runs: dict[str, Path], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    shutil.copy(runs[predicted] / "predictions.jsonl", run)
    if claimed:
        shutil.copy(runs[claimed] / "run.json", run)
    command = ["-m", "testmark", "evaluate", str(bench), str(run), "--out", str(tmp_path / "out")]
    done = subprocess.run([sys.executable, *command, "--only", "*suche*"], capture_output=True, text=True, check=False)
    assert done.returncode == int(failing > 0), done.stderr
    assert done.stderr.count("gate failed: ") == failing
    assert ("predicts nothing for" in done.stderr) is (predicted == "empty")


def test_two_evaluations_are_the_same_but_for_their_times(bench, runs, tmp_path, sandbox) -> None:
    for name in ("one", "two"):
        judge(bench, runs["reference"], tmp_path / name, sandbox, only=("*isbn*",))
    assert without_times(tmp_path / "one") == without_times(tmp_path / "two")


def test_every_mutant_and_scenario_is_accounted_for(bench: Path) -> None:
    opened = open_bench(bench)
    dropped = [json.loads(line) for line in (bench / "dropped.jsonl").read_text().splitlines()]
    kept = set(opened.mutants)
    gone = {drop["id"].rpartition("#")[2] for drop in dropped if drop["kind"] == "mutant"}
    generated = set()
    for path in (bench / ".build" / "mutants").glob("*.json"):
        value = json.loads(path.read_text())
        generated |= {mutant["mutant_id"] for mutant in value["kept"]}
        generated |= {drop["id"] for drop in value["dropped"]}
    assert generated == kept | gone
    # A hook of the desk calls the code too: what it notices alone is no test's kill.
    assert "killed-without-steps" in {drop["rule"] for drop in dropped}


def test_warm_verdicts_are_cold_verdicts(bench, runs, tmp_path, sandbox) -> None:
    judge(bench, runs["reference"], tmp_path / "out", sandbox, only=("*again*", "*suche*"), audit_share=0.0)
    report = audit(tmp_path / "out", AuditOptions(sandbox=sandbox, share=1.0, quiet=True))
    assert report.sampled > 20
    assert report.disagreements == ()
    assert report.infra == 0


def test_a_second_build_does_nothing_and_a_changed_step_file_only_what_depends_on_it(tmp_path, sandbox) -> None:
    source = tmp_path / "library"
    shutil.copytree(EXAMPLE, source)
    options = BuildOptions(sandbox=sandbox, only=("*/again.feature:*", "*/suche.feature:*"), quiet=True)
    out = tmp_path / "bench"
    first = build(load_definition(source), out, options)
    hashes = tree_hashes(out)
    second = build(load_definition(source), out, options)
    assert (first.built, second.built, second.reused) == (3, 0, 3)
    assert tree_hashes(out) == hashes
    steps = source / "features/steps/german_steps.py"
    steps.write_text(steps.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    third = build(load_definition(source), out, options)
    assert (third.built, third.reused) == (1, 2)


def test_views_and_environment_hold_no_answer(bench: Path) -> None:
    assert check_leaks(bench) == []


def test_a_workspace_is_runnable_and_hides_the_target(bench: Path, tmp_path: Path) -> None:
    assert prepare(bench, tmp_path / "work", only=("*/suche.feature:4",)) == 1
    (workspace,) = [path for path in (tmp_path / "work").iterdir() if path.is_dir()]
    assert not (workspace / "features/steps/german_steps.py").exists()
    assert "raise NotImplementedError" in (workspace / "src/library/catalogue.py").read_text()
    assert "Requirement" in (workspace / "TASK.md").read_text()
    listed = subprocess.run(
        [sys.executable, "-m", "behave", "--dry-run", "features/again.feature"],
        cwd=workspace,
        env={"PYTHONPATH": "src", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=False,
    )
    assert listed.returncode == 0, listed.stdout


def test_the_data_set_loads(bench: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    datasets = pytest.importorskip("datasets", reason="the package `datasets` is not installed")
    loaded = datasets.load_dataset(str(bench), cache_dir=str(tmp_path / "cache"))
    references = datasets.load_dataset(str(bench), "gt_tests", cache_dir=str(tmp_path / "cache"))
    assert set(loaded) == {"eval", "full"}
    assert len(references["full"]) == len(loaded["full"])
    row = loaded["full"][0]
    assert row["scenario"]["kind"] in {"scenario", "outline"}
    assert isinstance(row["scenario"]["line"], int)


def test_a_flipped_bit_in_the_kit_is_found(bench, runs, tmp_path, sandbox) -> None:
    copy = tmp_path / "bench"
    shutil.copytree(bench, copy)
    victim = next((copy / "kit" / "instances").glob("*.json"))
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 1
    victim.write_bytes(data)
    with pytest.raises(UserError, match=victim.name):
        judge(copy, runs["empty"], tmp_path / "out", sandbox)


def test_results_of_another_benchmark_or_run_are_kept(bench, runs, tmp_path, sandbox) -> None:
    judge(bench, runs["empty"], tmp_path / "out", sandbox)
    with pytest.raises(UserError, match="holds another evaluation"):
        judge(bench, runs["always-fail"], tmp_path / "out", sandbox)


def test_a_killed_evaluation_goes_on_to_the_same_report(bench, runs, tmp_path, sandbox) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    command = [sys.executable, "-m", "testmark", "evaluate", str(bench), str(runs["reference"]), "--no-cache"]
    command += ["--quiet", "--only", "*isbn*", "--only", "*again*"]
    subprocess.run([*command, "--out", str(whole)], check=True, capture_output=True)
    for seconds in (0.8, 1.5, 2.5, 4.0):
        process = subprocess.Popen(
            [*command, "--out", str(broken)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run([*command, "--out", str(broken)], check=True, capture_output=True)
    assert without_times(broken) == without_times(whole)
    assert all(TaskResult.from_json(path.read_bytes()) for path in (broken / "tasks").glob("*.json"))


def test_the_same_words_in_another_class_are_no_leak(bench: Path, tmp_path: Path) -> None:
    copy = tmp_path / "bench"
    shutil.copytree(bench, copy, symlinks=True)
    opened = open_bench(copy)
    bodies = hidden_bodies(opened, [opened.kit(row.instance_id) for row in opened.rows("full")])
    short = next(body for body in bodies if not body.recognisable_alone and "." in body.qualname)
    place = copy / "kit/project/features/support/doubles.py"
    place.write_text(f"class Other:\n{short.text}", encoding="utf-8")
    assert check_leaks(copy) == []
    place.write_text(f"class {short.qualname.rpartition('.')[0]}:\n{short.text}", encoding="utf-8")
    assert [(leak.kind, leak.path) for leak in check_leaks(copy)] == [
        ("hidden body", "project/features/support/doubles.py")
    ]


def test_a_run_that_cannot_begin_leaves_its_folder_free(bench: Path, tmp_path: Path, sandbox) -> None:
    for agent, command, says in (
        ("nobody", None, "there is no agent `nobody`"),
        ("command", None, "give it with --command"),
        ("reference", "my-agent", "--command is the line of another agent"),
    ):
        with pytest.raises(UserError, match=says):
            run_agent(bench, tmp_path / "run", RunOptions(agent=agent, command=command, sandbox=sandbox, quiet=True))
    assert not (tmp_path / "run").exists()
