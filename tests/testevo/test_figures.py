"""Coverage gain, the figures of a task and the Lite rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from testmark.records.evoresults import EvoTargetResult
from testmark.records.results import MutantResult
from testmark.source.java import read_java
from testmark.testevo.archives import is_of_store, pack, unpacked
from testmark.testevo.executed import Executed
from testmark.testevo.gain import coverage, executable, gain
from testmark.testevo.metrics import shares, task_metrics

METHODS = read_java("class A {\n void a() {\n }\n void b() {\n }\n}").methods


def executed(number: int, lines: set[int], covered: set[int]) -> Executed:
    return Executed("A.java", METHODS[number], f"A#{number}", frozenset(lines), frozenset(covered))


def test_gain_counts_lines_of_the_new_tests_dependencies_alone() -> None:
    new = [executed(0, {1, 2, 3, 4}, {1, 2, 3}), executed(1, {7, 8}, {7})]
    old = [executed(0, {1, 2, 3, 4}, {1, 4}), Executed("B.java", METHODS[0], "B#0", frozenset({1}), frozenset({1}))]
    scope = executable(new)
    found = gain(old, new, scope)
    assert (found.denominator, found.baseline_covered, found.developer_covered) == (6, 2, 4)
    assert (found.gained, found.lost, found.net, found.status) == (3, 1, 2, "gain")
    assert found.gain == pytest.approx(2 / 6)
    assert coverage(new, scope) == pytest.approx(4 / 6)


def target(
    *, success: bool, progress: float = 1.0, kills: str = "", covered: int = 0, scope: int = 0
) -> EvoTargetResult:
    verdicts = {"k": "killed", "e": "killed_error", "t": "killed_timeout", "s": "survived", "u": "unreached"}
    return EvoTargetResult(
        test_class="a.T", method="m", new="Pass" if progress > 0.5 else "ExecFail", old="ExecFail", reason="",
        success=success, progress=progress, covered=covered, scope=scope, gain=None,
        mutants=tuple(MutantResult(mutant_id=str(n), verdict=verdicts[c], in_kill_set=True) for n, c in enumerate(kills)),
    )  # fmt: skip


def test_a_solved_task_is_scored_by_coverage_and_mutants() -> None:
    found = task_metrics(
        [target(success=True, kills="kets", covered=3, scope=4), target(success=True, kills="ku", scope=2)]
    )
    assert found.success == 1.0
    assert found.cov_on_pass == pytest.approx((0.75 + 0.0) / 2)
    assert found.mut_on_pass == pytest.approx((0.75 + 0.5) / 2)
    assert found.overall == pytest.approx((1 + found.cov_on_pass + found.mut_on_pass) / 3)


def test_a_target_without_mutants_takes_no_part_in_their_mean() -> None:
    found = task_metrics(
        [target(success=True, covered=1, scope=1), target(success=True, kills="kk", covered=1, scope=1)]
    )
    assert found.mut_on_pass == 1.0
    alone = task_metrics([target(success=True, covered=1, scope=2)])
    assert (alone.mut_on_pass, alone.overall) == (None, pytest.approx(0.75))


def test_an_unsolved_task_has_its_graded_progress() -> None:
    found = task_metrics([target(success=True), target(success=False, progress=1 / 3)])
    assert (found.success, found.cov_on_pass, found.mut_on_pass) == (0.0, None, None)
    assert found.overall == pytest.approx(2 / 3)
    assert task_metrics([]).overall == 0.0
    assert shares([target(success=True), target(success=False, progress=0.0)])["Pass"] == 0.5


def test_an_archive_depends_on_files_alone_and_comes_back(tmp_path: Path) -> None:
    for name in ("one", "two"):
        top = tmp_path / name
        (top / "empty").mkdir(parents=True)
        (top / "a.jar").write_text("jar")
        (top / "run.sh").write_text("#!")
        (top / "run.sh").chmod(0o755)
        (top / "link").symlink_to("a.jar")
        (top / "_remote.repositories").write_text(f"#{name}")
        (top / "x.lastUpdated").write_text(name)
        pack(top, tmp_path / f"{name}.tar", compress=name == "two", keep=is_of_store)
        pack(top, tmp_path / f"{name}-again.tar", compress=name == "two", keep=is_of_store)
        assert (tmp_path / f"{name}.tar").read_bytes() == (tmp_path / f"{name}-again.tar").read_bytes()
    places = [unpacked(tmp_path / f"{name}.tar", tmp_path / "cache") for name in ("one", "two", "two")]
    assert places[1] == places[2]
    for place in places:
        assert sorted(path.name for path in place.iterdir()) == ["a.jar", "empty", "link", "run.sh"]
        assert (place / "run.sh").stat().st_mode & 0o111
        assert (place / "link").readlink() == Path("a.jar")
