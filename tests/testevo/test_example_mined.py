"""`examples/java-history` mined whole: what EXPECTED.toml says of every commit, pair, test and task is what is found."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from testmark.records.evoresults import EvoTaskResult
from testmark.records.results import Summary
from testmark.testevo.bench import Selection, open_bench
from testmark.testevo.mine import MineOptions
from tests.testevo.conftest import judged, mine
from tests.testevo.example import BEFORE_THE_MATRIX, script
from tests.testevo.mined_example import (
    Cut,
    MinedExample,
    assert_same,
    bare_name,
    certain,
    expected_cells,
    expected_commits,
    expected_lite,
    expected_outcome,
    expected_pairs,
    expected_tasks,
    expected_tests,
    found_calls,
    found_cells,
    found_commits,
    found_lite,
    found_pairs,
    found_tasks,
    found_tests,
    outcome,
    random_tests,
    renamed,
    told_by_mining,
    told_by_the_folder,
)

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.xdist_group("java-history")]

Results = dict[Cut, EvoTaskResult]
Judge = Callable[[str], tuple[Summary, Results]]
AUDIT_SHARES = {"reference": 0.02, "unrefined": 0.2, "always-pass": 0.2}
"""Of the worker's runs, how many Maven repeats. TESTMARK_AUDIT_SHARE=1 has it repeat all, some 1,500."""


# -- mining ---------------------------------------------------------------------------------------------------------


def test_the_commits_that_make_no_pair_leave_for_their_reasons(example: MinedExample) -> None:
    assert_same(expected_commits(), found_commits(example))


def test_the_pairs_are_of_their_kinds_or_leave_for_their_reasons(example: MinedExample) -> None:
    assert_same(expected_pairs(), found_pairs(example))


def test_every_changed_test_has_its_track_or_its_reason(example: MinedExample) -> None:
    wanted = {
        place: expected_outcome(test, refactorings=example.refactorings)
        for place, test in certain(expected_tests()).items()
    }
    found = {place: outcome(test) for place, test in certain(found_tests(example)).items()}
    assert_same(wanted, found)


def test_one_test_is_random_and_what_becomes_of_it_is_chance(example: MinedExample) -> None:
    (place,) = random_tests()
    assert place.method == "org.example.units.ClockTest#readsSeconds()"
    wanted, found = expected_tests()[place], found_tests(example)[place]
    # One time in a thousand it passes whenever it runs on the new code; then anything may follow.
    assert outcome(found) in {wanted["reason"], wanted["or"]} or found_cells(found).get("new_on_new") == "Pass"


def test_the_cells_of_the_four_way_matrix(example: MinedExample) -> None:
    found = certain(found_tests(example))
    wanted = certain(expected_tests())
    assert_same(
        {place: expected_cells(wanted[place], test) for place, test in found.items()},
        {place: found_cells(test) for place, test in found.items()},
    )


def test_which_tests_gain_lines(example: MinedExample) -> None:
    """Where both tests pass on the new code there is a gain, or none."""
    found = {
        place: test for place, test in certain(found_tests(example)).items() if test.reason not in BEFORE_THE_MATRIX
    }
    wanted = expected_tests()
    assert_same(
        {place: wanted[place].get("gains") for place in found},
        {place: None if test.gain is None else test.gain.net > 0 for place, test in found.items()},
    )


def test_which_changed_methods_each_test_calls_itself(example: MinedExample) -> None:
    """Of every test that passes on the new code."""
    found = {
        place: test
        for place, test in certain(found_tests(example)).items()
        if found_cells(test).get("new_on_new") == "Pass"
    }
    wanted = expected_tests()
    assert_same(
        {place: frozenset(wanted[place].get("changed_calls", ())) for place in found},
        {place: found_calls(place, test) for place, test in found.items()},
    )


def test_the_tasks_and_the_rules_of_lite_that_they_break(example: MinedExample) -> None:
    assert_same(expected_lite(), found_lite(example))


def test_a_task_has_all_the_targets_of_its_pair_file_and_track(example: MinedExample) -> None:
    wanted = {cut: sorted(map(bare_name, tests)) for cut, tests in expected_tasks().items()}
    found = {cut: sorted(one.method for one in row.test_changes) for cut, row in found_tasks(example).items()}
    assert_same(wanted, found)


def test_rows_and_dropped_tests_tell_what_was_found(example: MinedExample) -> None:
    assert_same(told_by_mining(example.funnel.pairs), told_by_the_folder(example))


LIMITS = {
    "pairs": (MineOptions(quiet=True, most_pairs=3), 3),
    "one task is enough": (MineOptions(quiet=True, enough=1), 8),
    "with another number of jobs as well": (MineOptions(quiet=True, enough=1, jobs=1), 8),
    "no time": (MineOptions(quiet=True, hours=0.0), 0),
}
"""What ends mining early, and how many of the candidate pairs are reached then."""


@pytest.mark.parametrize("name", LIMITS)
def test_mining_that_ends_early_has_the_first_pairs_and_their_tasks(
    example: MinedExample, name: str, tmp_path: Path
) -> None:
    what, reached = LIMITS[name]
    shutil.copytree(example.folder, tmp_path / "bench", symlinks=True)
    report = mine(example.repository, tmp_path / "bench", "history/units", what)
    whole = example.funnel
    assert report.funnel.candidates == whole.candidates
    assert report.funnel.unreached == whole.candidates - reached
    found = [(pair.rev1, pair.rev2) for pair in report.funnel.pairs]
    assert found == [(pair.rev1, pair.rev2) for pair in whole.pairs][: len(found)]
    cut = {(pair.rev1, pair.rev2) for pair in report.funnel.pairs}
    assert set(open_bench(tmp_path / "bench").names()) == {
        row.task_id for _, row in example.rows() if (row.rev1, row.rev2) in cut
    }


# -- judging --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def judge(example: MinedExample, tmp_path_factory: pytest.TempPathFactory) -> Judge:
    """The summary and the results of an agent on every task but a random one; each agent is judged once."""
    place = tmp_path_factory.mktemp("judged")
    tasks = {row.task_id: cut for cut, row in found_tasks(example).items()}
    done: dict[str, tuple[Summary, Results]] = {}

    def of(agent: str) -> tuple[Summary, Results]:
        if agent not in done:
            share = float(os.environ.get("TESTMARK_AUDIT_SHARE", AUDIT_SHARES.get(agent, 0.0)))
            summary, folder = judged(example.folder, agent, place, Selection(only=tuple(tasks)), audit_share=share)
            results = [EvoTaskResult.from_json(path.read_bytes()) for path in (folder / "tasks").iterdir()]
            done[agent] = summary, {tasks[one.task_id]: one for one in results}
        return done[agent]

    return of


def assert_judged(results: Results, wanted: dict[Cut, object], seen: Callable[[EvoTaskResult], object]) -> None:
    """What is seen of each task is what is wanted."""
    assert_same(wanted, {cut: seen(result) for cut, result in results.items()})


def test_the_developers_tests_succeed_on_every_task(judge: Judge) -> None:
    summary, results = judge("reference")
    assert_judged(results, dict.fromkeys(expected_tasks(), ("success", "")), lambda one: (one.verdict, one.reason))
    assert summary.complete
    assert summary.metrics["success"].value == 1.0
    assert summary.metrics["success"].n == len(expected_tasks())
    assert summary.mutants["killed"] > 0
    assert all(one.controls_run for one in results.values())


def test_the_old_tests_miss_on_every_task(judge: Judge) -> None:
    """They do on the new code what their cells say, fail or gain nothing; a new test is not in the old file, if any."""
    summary, results = judge("unrefined")
    wanted: dict[Cut, object] = {
        cut: old_file(cut, tests) if cut.track == "generation" else ("failed", old_on_new(tests))
        for cut, tests in expected_tasks().items()
    }
    assert_judged(results, wanted, lambda one: (one.verdict, sorted((t.method, t.new) for t in one.targets)))
    assert summary.complete
    assert summary.metrics["success"].value == 0.0


def old_file(cut: Cut, tests: list[dict[str, Any]]) -> tuple[str, list[tuple[str, str]]]:
    """The verdict of the old file where tests are new, and each of them: it lacks them, or does not compile at all."""
    if tests[0].get("old_path", cut.path) not in script().read_history()[cut.pair.old].tree:
        return "empty", []
    beside = [test for place, test in expected_tests().items() if (place.pair, place.path) == (cut.pair, cut.path)]
    broken = any(test.get("cells", {}).get("old_on_new") == "CmplFail" for test in beside)
    return "failed", sorted((bare_name(test), "CmplFail" if broken else "HrnsFail") for test in tests)


def old_on_new(tests: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Of each test its name and the cell of its older version on the new code; a renamed class is not in the old file."""
    return sorted((bare_name(test), "HrnsFail" if renamed(test) else test["cells"]["old_on_new"]) for test in tests)


def test_nothing_is_empty_on_every_task(judge: Judge) -> None:
    summary, results = judge("empty")
    assert_judged(results, dict.fromkeys(expected_tasks(), "empty"), lambda one: one.verdict)
    assert summary.complete
    assert summary.metrics["overall"].value == 0.0


def test_tests_that_always_pass_kill_nothing_and_succeed_only_where_the_old_code_has_no_module(judge: Judge) -> None:
    """A test in a module that is new cannot run on the old code, whatever it says: the criterion is met."""
    summary, results = judge("always-pass")
    wanted: dict[Cut, object] = {
        cut: all(test["cells"]["new_on_old"] == "HrnsFail" for test in tests) for cut, tests in expected_tasks().items()
    }
    assert_judged(results, wanted, lambda one: one.verdict == "success")
    assert {target.new for one in results.values() for target in one.targets} == {"Pass"}
    assert summary.complete
    assert {verdict for verdict, count in summary.mutants.items() if count} <= {"survived", "unreached"}


@pytest.mark.parametrize("agent", AUDIT_SHARES)
def test_maven_agrees_with_the_worker(judge: Judge, agent: str) -> None:
    summary, results = judge(agent)
    disagreeing = {cut: one.disagreements for cut, one in results.items() if one.disagreements}
    assert disagreeing == {}
    assert all(one.how == "warm" for one in results.values() if one.targets)
    assert summary.audit.sampled > 0
