"""Which commits make pairs, and why the others do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from testmark.testevo.candidates import Lineage, ancestors_in_reach, find_candidates, is_test_path
from testmark.testevo.history import History
from testmark.testevo.stretches import Stretch
from tests.testevo.repository import Repository

MAIN, TEST = "src/main/java/a/A.java", "src/test/java/a/ATest.java"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository(tmp_path / "repository")
    found.commit({"pom.xml": "<project/>", MAIN: "0", TEST: "0"})
    return found


def candidates(repository: Repository):
    history = History(repository.folder)
    commits = history.commits(history.head())
    lineage = Lineage(history, commits)
    return lineage, find_candidates(lineage, commits)


def test_a_commit_that_changes_both_sides_is_a_pair(repository: Repository) -> None:
    first = repository.git("rev-parse", "HEAD")
    both = repository.commit({MAIN: "1", TEST: "1"})
    _, found = candidates(repository)
    assert [(pair.rev1, pair.rev2, pair.kind) for pair in found.pairs] == [(first, both, "commit")]
    assert [(drop.subject, drop.reason) for drop in found.dropped] == [(first, "no-parent")]


def test_neighbours_that_change_a_side_each_are_one_pair_over_commits_without_java(repository: Repository) -> None:
    first = repository.git("rev-parse", "HEAD")
    main = repository.commit({MAIN: "1"})
    note = repository.commit({"notes.md": "1"})
    test = repository.commit({TEST: "1"})
    _, found = candidates(repository)
    assert [(pair.rev1, pair.rev2, pair.kind, pair.if_broken) for pair in found.pairs] == [
        (first, test, "adjacent", "")
    ]
    assert (main, "one-sided") in [(drop.subject, drop.reason) for drop in found.dropped]
    assert (note, "no-java") in [(drop.subject, drop.reason) for drop in found.dropped]


def test_tests_after_a_commit_of_both_sides_wait_for_that_one_not_to_build(repository: Repository) -> None:
    first = repository.git("rev-parse", "HEAD")
    both = repository.commit({MAIN: "1", TEST: "1"})
    test = repository.commit({TEST: "2"})
    lineage, found = candidates(repository)
    assert [(pair.rev1, pair.rev2, pair.if_broken) for pair in found.pairs] == [
        (first, both, ""),
        (first, test, both),
    ]
    assert [pair.rev1 for pair in ancestors_in_reach(lineage, found.pairs[1])] == []


def test_one_side_after_the_same_side_is_no_pair(repository: Repository) -> None:
    repository.commit({MAIN: "1", TEST: "1"})
    repository.commit({TEST: "2"})
    last = repository.commit({TEST: "3"})
    _, found = candidates(repository)
    assert (last, "one-sided") in [(drop.subject, drop.reason) for drop in found.dropped]


def test_why_one_side_is_no_pair_is_true_of_the_commits_before_it(repository: Repository) -> None:
    # The first commit changes Java, but as it has no parent it makes no pair: nothing is said of what it changes.
    repository.commit({TEST: "1"})
    repository.commit({TEST: "2"})
    _, found = candidates(repository)
    assert [drop.detail for drop in found.dropped if drop.reason == "one-sided"] == [
        "it changes tests alone, and no commit shortly before it that has a parent changes Java",
        "it changes tests alone, and so does the Java commit before it",
    ]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/main/java/it/unibo/Bar.java", False),
        ("src/test/java/it/unibo/BarTest.java", True),
        ("src/main/java/org/springframework/test/Util.java", False),
        ("core/src/it/java/a/B.java", True),
        ("core/src/integrationTest/java/a/B.java", True),
        ("java/src/test/java/a/B.java", True),
        ("tests/src/main/java/a/B.java", True),
        ("src/main/java11/org/springframework/test/Util.java", False),
        ("src/it/simple/src/main/java/a/B.java", True),
        ("i18n/it/src/main/java/a/B.java", False),
        ("test/a/B.java", True),
        ("source/a/B.java", False),
    ],
)
def test_folders_before_the_package_say_what_is_test_code(path: str, expected: bool) -> None:
    assert is_test_path(path) is expected


def test_a_stretch_that_is_given_up_is_known_before_its_next_revision_is_built() -> None:
    stretch = Stretch({"a": "pom", "b": "pom", "c": "other pom"}.__getitem__)
    for _ in range(5):
        assert not stretch.gives_up("b")
        stretch.saw("a", built=False)
    assert stretch.gives_up("b")
    assert not stretch.gives_up("c")
    assert stretch.gives_up("b"), "asking changes nothing"
    assert not stretch.skips("c")
    assert not stretch.gives_up("b")


def test_a_stretch_ends_after_five_failures_and_begins_again_with_other_build_files() -> None:
    stretch = Stretch({"a": "pom", "b": "pom", "c": "other pom"}.__getitem__)
    for _ in range(4):
        stretch.saw("a", built=False)
    assert not stretch.skips("b")
    stretch.saw("a", built=False)
    assert stretch.skips("b")
    assert not stretch.skips("c")
    stretch.saw("c", built=True)
    assert not stretch.skips("b")
