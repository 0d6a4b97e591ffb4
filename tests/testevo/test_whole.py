"""The whole way on real Maven builds: mined, judged, audited, and again with the same bytes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, NoReturn

import pytest

from testmark.errors import InfraError
from testmark.records.evoresults import EvoTaskResult
from testmark.records.tasks import TRACKS
from testmark.sandbox import choose
from testmark.testevo import audit as auditing
from testmark.testevo import judge as judging
from testmark.testevo.audit import EvoAuditOptions, audit
from testmark.testevo.bench import open_bench
from testmark.testevo.candidates import Pair
from testmark.testevo.changes import PairChanges
from testmark.testevo.history import History
from testmark.testevo.judge import JudgeContext, judge, run_again
from testmark.testevo.judged import JudgedRun
from testmark.testevo.mining import WORK
from testmark.testevo.pairs import Refactored
from testmark.testevo.workshop import MavenWorkshop
from tests.testevo.conftest import judged, mine, mined

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.xdist_group("testevo")]


def files_of(folder: Path) -> dict[str, bytes]:
    """All that is published: what mining keeps for itself is no part of it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock" and not path.is_relative_to(folder / WORK)
    }


def test_each_track_has_its_task(bench: Path, commits: list[str]) -> None:
    opened = open_bench(bench)
    opened.verify()
    rows = {track: opened.rows(track) for track in TRACKS}
    assert {track: [(r.rev1, r.rev2, [c.method for c in r.test_changes]) for r in rows[track]] for track in TRACKS} == {
        "update": [(commits[0], commits[1], ["late"])],
        "generation": [(commits[1], commits[2], ["lost"])],
        "refinement": [(commits[2], commits[3], ["lost"])],
    }
    (change,) = rows["refinement"][0].test_changes
    assert change.variant_result.model_dump() == {
        "old_on_old": "Pass", "old_on_new": "Pass", "new_on_old": "Pass", "new_on_new": "Pass"
    }  # fmt: skip
    gain = change.coverage_gain
    assert gain is not None
    assert (gain.denominator, gain.baseline_covered, gain.developer_covered, gain.net) == (4, 3, 4, 1)
    assert change.coverage_delta_gold == gain.gain == 0.25
    assert change.all_deps_new == ("org.example.Fees#lost(IZ)I",)
    assert rows["update"][0].test_changes[0].coverage_gain is None


def test_the_rows_load_as_data_sets(bench: Path) -> None:
    import pyarrow.parquet as pq

    for track in TRACKS:
        for part in ("full", "lite"):
            table = pq.read_table(bench / track / "data" / f"{part}.parquet")
            lines = (bench / track / "data" / f"{part}.jsonl").read_text().splitlines()
            assert table.to_pylist() == [json.loads(line) for line in lines]


def test_the_developers_tests_are_right_and_the_old_ones_are_not(bench: Path, place: Path) -> None:
    summary, results = judged(bench, "reference", place)
    assert summary.complete
    assert summary.metrics["success"].value == 1.0
    assert summary.metrics["cov_on_pass"].value == pytest.approx((1 + 0.75 + 1) / 3, abs=1e-6)
    assert summary.mutants["killed"] > 0
    for path in (results / "tasks").iterdir():
        found = EvoTaskResult.from_json(path.read_bytes())
        assert found.controls_run > 0
    for agent in ("unrefined", "empty", "always-fail"):
        other, _ = judged(bench, agent, place)
        assert other.metrics["success"].value == 0.0, agent
        assert other.complete
    assert judged(bench, "always-pass", place)[0].metrics["success"].value == 0.0


def test_maven_agrees_with_the_worker_on_every_run(bench: Path, place: Path) -> None:
    _, results = judged(bench, "reference", place / "audited")
    report = audit(results, EvoAuditOptions(sandbox=choose(), share=1.0, quiet=True))
    assert report.infra == 0, report.text()
    assert report.disagreements == (), report.text()
    assert report.sampled >= 10


def test_mining_again_gives_the_same_bytes(
    bench: Path, commits: list[str], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files_of(bench)
    assert sum(path.startswith("kit/trees/") for path in before) == len(commits)

    def not_again(*_: object) -> NoReturn:
        raise InfraError("all that it gave is kept")

    with monkeypatch.context() as patched:
        for name in ("worker", "build", "cold", "refactored"):
            patched.setattr(MavenWorkshop, name, not_again)
        mined(place / "repository", bench)
    assert files_of(bench) == before
    shutil.rmtree(place / "anew", ignore_errors=True)
    again = mined(place / "repository", place / "anew")
    assert files_of(again) == before


def test_a_pair_that_this_machine_cannot_mine_stops_no_other(
    place: Path, bench: Path, commits: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "lame").mkdir()
    shutil.copytree(bench / WORK, place / "lame" / WORK, symlinks=True)
    (place / "lame/.lock").touch()
    shutil.rmtree(place / "lame" / WORK / "pairs")
    refactored = MavenWorkshop.refactored

    def lost(self: MavenWorkshop, history: History, pair: Pair, changes: PairChanges) -> Refactored:
        if pair.rev2 == commits[2]:
            raise InfraError("the JVM was lost")
        return refactored(self, history, pair, changes)

    with monkeypatch.context() as patched:
        patched.setattr(MavenWorkshop, "refactored", lost)
        report = mine(place / "repository", place / "lame", "example/fees")
    (drop,) = [drop for drop in report.funnel.dropped if drop.reason == "infra"]
    assert (drop.subject, drop.detail) == (f"{commits[1]}_{commits[2]}", "the JVM was lost")
    assert {track: len(open_bench(place / "lame").rows(track)) for track in TRACKS} == {
        "update": 1, "generation": 0, "refinement": 1
    }  # fmt: skip
    mine(place / "repository", place / "lame", "example/fees")
    assert files_of(place / "lame") == files_of(bench)


def test_a_task_that_this_machine_cannot_judge_stops_no_other(
    bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (row,) = open_bench(bench).rows("generation")

    def lost(*arguments: Any) -> EvoTaskResult:
        if arguments[-1].kit.task_id == row.task_id:
            raise InfraError("the JVM was lost")
        return judge(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(judging, "judge", lost)
        summary, results = judged(bench, "reference", tmp_path)
    found = [EvoTaskResult.from_json(path.read_bytes()) for path in (results / "tasks").iterdir()]
    assert sorted((one.track, one.verdict, one.reason) for one in found) == [
        ("generation", "infra", "the JVM was lost"), ("refinement", "success", ""), ("update", "success", "")
    ]  # fmt: skip
    assert not summary.complete


def test_a_task_that_this_machine_cannot_audit_stops_no_other(
    bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (row,) = open_bench(bench).rows("generation")
    _, results = judged(bench, "reference", tmp_path)

    def lost(content: str, context: JudgeContext) -> list[JudgedRun]:
        if context.kit.task_id == row.task_id:
            raise InfraError("the JVM was lost")
        return run_again(content, context)

    with monkeypatch.context() as patched:
        patched.setattr(auditing, "run_again", lost)
        report = audit(results, EvoAuditOptions(sandbox=choose(), share=0.2, quiet=True))
    assert (report.infra, report.infra_detail) == (1, "the JVM was lost")
    assert report.sampled > 0
    assert report.disagreements == ()
