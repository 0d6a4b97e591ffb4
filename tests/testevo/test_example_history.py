"""The example's history: made the same everywhere, and described truly by its EXPECTED.toml."""

from __future__ import annotations

import subprocess
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from testmark.source.java import read_java
from testmark.testevo import classify
from testmark.testevo.candidates import LONGEST_SPAN, Lineage, find_candidates
from testmark.testevo.changes import changed
from testmark.testevo.history import History
from testmark.testevo.lite import RULES
from testmark.testevo.modules import read_modules
from testmark.testevo.variants import Cell
from tests.testevo.example import BEFORE_THE_MATRIX, CELLS, expected, make, mined_pairs, script

COMMITS = script().read_history()
HOSTILE = """
[core]
    autocrlf = true
[commit]
    gpgsign = true
[i18n]
    commitEncoding = latin1
[init]
    defaultBranch = trunk
[user]
    name = Somebody Else
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> tuple[History, dict[str, str]]:
    folder = tmp_path_factory.mktemp("history") / "units"
    hashes = make(folder)
    return History(folder), hashes


def texts(name: str) -> dict[str, str]:
    return {path: content.decode() for path, content in COMMITS[name].tree.items()}


def modules(name: str):
    return read_modules({path: text for path, text in texts(name).items() if path.endswith("pom.xml")})


# -- the script ---------------------------------------------------------------------------------------------------


def test_the_same_commits_whatever_git_is_told_elsewhere(tmp_path: Path, monkeypatch, made) -> None:
    (tmp_path / "gitconfig").write_text(HOSTILE)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2001-01-01T00:00:00Z")
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    assert make(tmp_path / "again") == made[1]


def test_every_commit_holds_what_its_folder_says(made) -> None:
    history, hashes = made
    names = {sha: name for name, sha in hashes.items()}
    found = {names[commit.sha]: commit for commit in history.commits(history.head())}
    assert set(found) == set(COMMITS)
    assert history.head() == hashes[list(COMMITS)[-1]]
    for name, commit in COMMITS.items():
        assert history.texts(hashes[name], history.paths(hashes[name])) == texts(name)
        assert tuple(names[parent] for parent in found[name].parents) == commit.parents
        assert found[name].date == commit.date


def test_the_work_tree_is_that_of_the_last_commit(made) -> None:
    folder = made[0].folder
    status = subprocess.run(["git", "-C", folder, "status", "--short"], check=True, capture_output=True, text=True)
    assert status.stdout == ""
    assert (folder / "units-core/pom.xml").is_file()


def test_the_folder_may_be_named_from_where_one_stands(tmp_path: Path, monkeypatch, made) -> None:
    monkeypatch.chdir(tmp_path)
    assert make(Path("below/units")) == made[1]
    assert [path.name for path in tmp_path.iterdir()] == ["below"]


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="is not empty"):
        make(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_merge_of_what_both_sides_changed_is_refused(tmp_path: Path) -> None:
    for name, extra in {
        "1": "",
        "2": 'branch = "side"\nfrom = "1"',
        "3": "",
        "4": 'merge = "2"',
    }.items():
        (tmp_path / name / "files").mkdir(parents=True)
        (tmp_path / name / "files" / "a").write_text(name)
        (tmp_path / name / "commit.toml").write_text(f'message = "m"\ndate = 2024-01-0{name}T00:00:00Z\n{extra}\n')
    with pytest.raises(ValueError, match="3 and 2 both change a"):
        script().read_history(tmp_path)


# -- what is expected ---------------------------------------------------------------------------------------------


def test_each_commit_is_expected_to_end_somewhere_once() -> None:
    ends = Counter([one["name"] for one in expected()["commit"]] + [one["new"] for one in expected()["pair"]])
    assert ends == Counter(COMMITS.keys())


def test_the_candidates_are_those_expected(made) -> None:
    history, hashes = made
    names = {sha: name for name, sha in hashes.items()}
    commits = history.commits(history.head())
    found = find_candidates(Lineage(history, commits), commits)
    # A pair whose parent does not build starts as one of parent and child.
    pairs = {
        (COMMITS[one["new"]].parents[0], one["new"], "commit")
        if one["kind"] == "fallback"
        else (one["old"], one["new"], one["kind"])
        for one in expected()["pair"]
    }
    assert {(names[pair.rev1], names[pair.rev2], pair.kind) for pair in found.pairs} == pairs
    dropped = {(one["name"], one["stage"], one["reason"]) for one in expected()["commit"]}
    assert {(names[one.subject], one.stage, one.reason) for one in found.dropped} == dropped


def test_only_pairs_within_twelve_hours_are_no_parent_and_child() -> None:
    for pair in expected()["pair"]:
        assert pair["old"] in script().line(COMMITS, pair["new"])
        span = COMMITS[pair["new"]].date - COMMITS[pair["old"]].date
        assert span > timedelta(0)
        assert pair["kind"] == "commit" or span <= LONGEST_SPAN
        if pair["kind"] == "commit":
            assert COMMITS[pair["new"]].parents[0] == pair["old"]


@pytest.mark.parametrize("pair", mined_pairs(), ids=lambda pair: pair["new"])
def test_the_tests_of_a_pair_are_those_that_changed(pair, made) -> None:
    history, hashes = made
    found = changed(history, hashes[pair["old"]], hashes[pair["new"]], modules(pair["old"]), modules(pair["new"]))
    tests = {one.method.key: one for one in found.tests}
    assert set(tests) == {test["test"] for test in pair["test"]}
    production = {one.method.key for one in found.production}
    for test in pair["test"]:
        one = tests[test["test"]]
        assert one.path == test["path"]
        assert one.old_path in {test.get("old_path", test["path"]), ""}
        assert ("old_on_old" in test.get("cells", {})) == (one.old is not None and "cells" in test)
        assert set(test.get("changed_calls", ())) <= production
        for call in test.get("changed_calls", ()):
            assert f"{call.partition('#')[2].partition('(')[0]}(" in one.method.code


@pytest.mark.parametrize("pair", mined_pairs(), ids=lambda pair: pair["new"])
def test_cells_and_verdicts_agree(pair) -> None:
    for test in pair["test"]:
        assert "track" in test or test["reason"] in classify.MEANINGS
        assert test.get("lite") in {None, *RULES}
        assert ("without_tool" in test) == test.get("reason", "").startswith("refactored-")
        cells = test.get("cells", {})
        if test.get("reason") == "new-test-fails":
            assert cells["new_on_new"] != "Pass"
        if test.get("reason") in BEFORE_THE_MATRIX and "without_tool" not in test:
            continue
        assert ("gains" in test) == (cells.get("old_on_new") == cells["new_on_new"] == "Pass")
        found = {name: Cell(cells[name], "") if name in cells else None for name in CELLS}
        verdict = classify.matrix(classify.Matrix(**found), _Gain(1 if test.get("gains") else 0))
        if test.get("reason") in {"found-in-branch", "maven-differs"}:
            assert verdict.track is not None  # of the branch; or nobody's, as Maven does not run it
            continue
        assert (verdict.track, verdict.reason) == (test.get("track"), test.get("without_tool", test.get("reason", "")))


class _Gain:
    def __init__(self, net: int) -> None:
        self.net = net


def test_every_track_and_every_reason_to_leave_is_there() -> None:
    tests = [test for pair in mined_pairs() for test in pair["test"]]
    tracks = Counter(test["track"] for test in tests if "track" in test)
    assert set(tracks) == {"update", "generation", "refinement"}
    assert min(tracks.values()) >= 2
    # `infra` is nobody's history; what executes nothing at all is dropped as `no-coverage` only where nothing is built.
    assert {*classify.MEANINGS} - {test.get("reason") for test in tests} == {"infra", "no-coverage"}
    left = {one.get("reason") for one in (*expected()["commit"], *expected()["pair"])}
    assert {
        "no-parent", "no-java", "one-sided", "over-12-h", "stretch-abandoned", "no-changed-test",
        "build-failed-dependency", "build-failed-compile", "build-failed-jdk", "build-failed-plugin",
        "old-build-failed-plugin", "mined-with-neighbour",
    } <= left  # fmt: skip
    assert {test.get("lite") for test in tests} >= {"may-be-flaky", "not-adjacent", "many-methods"}


def test_all_of_it_is_java_that_can_be_read() -> None:
    broken = {
        (name, path)
        for name in COMMITS
        for path, text in texts(name).items()
        if path.endswith(".java") and read_java(text).has_errors
    }
    assert broken == {("03-masses", "units-core/src/main/java/org/example/units/Units.java")}
