"""Stage S4, first half: which pairs of revisions may hold tasks, and every commit that leaves with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Literal

from testmark.testevo.history import Commit, History

Kind = Literal["commit", "adjacent", "fallback"]
Side = Literal["both", "production", "test", "none"]

LONGEST_SPAN = timedelta(hours=12)
"""A pair that is not parent and child spans at most this (facts, S5)."""
_FURTHEST = 20
"""How many ancestors are tried in place of a parent that does not build."""
_LANGUAGE = re.compile(r"java\d*|kotlin|groovy|scala")
"""A source folder of a module; `java11` is one of a multi-release JAR."""
_TESTS = frozenset({"test", "tests"})
_FURTHEST_JAVA = 40
"""How many commits without Java may stand between two neighbours."""


@dataclass(frozen=True)
class Pair:
    """Two revisions, `rev1` an ancestor of `rev2`."""

    rev1: str
    rev2: str
    kind: Kind
    """`commit`: parent and child; `adjacent`: two commits of which one changes each side; `fallback`: the parent does
    not build."""
    if_broken: str = ""
    """A revision between the two: the pair is looked at only when that one does not build."""

    @property
    def key(self) -> str:
        """Unique in a repository."""
        return f"{self.rev1}_{self.rev2}"


@dataclass(frozen=True)
class Dropped:
    """What left, at which stage, and why."""

    subject: str
    stage: str
    reason: str
    detail: str = ""


@dataclass(frozen=True)
class Candidates:
    """The pairs, oldest first, and the commits that make none."""

    pairs: tuple[Pair, ...]
    dropped: tuple[Dropped, ...]


class Lineage:
    """Commits by name, their first parents, and which side of the code each changes."""

    def __init__(self, history: History, commits: Iterable[Commit]) -> None:
        self._history = history
        self.commits = {commit.sha: commit for commit in commits}
        self._sides: dict[str, Side] = {}

    def parent(self, sha: str) -> str | None:
        """The first parent, also where it lies outside the window."""
        commit = self.commits.get(sha)
        return commit.parents[0] if commit is not None and commit.parents else None

    def side(self, sha: str) -> Side:
        """What a commit changes against its first parent, by the customary places of Java code."""
        if sha not in self._sides:
            parent = self.parent(sha)
            paths = [] if parent is None else [change.path for change in self._history.changes(parent, sha)]
            self._sides[sha] = _side(paths)
        return self._sides[sha]

    def previous_java(self, sha: str) -> str | None:
        """The nearest ancestor by first parents that changes a Java file."""
        current = self.parent(sha)
        for _ in range(_FURTHEST_JAVA):
            if current is None or self.parent(current) is None:
                return None
            if self.side(current) != "none":
                return current
            current = self.parent(current)
        return None

    def span(self, older: str, newer: str) -> timedelta | None:
        """Between two commits' dates; None when one is unknown."""
        first, last = self.commits.get(older), self.commits.get(newer)
        return abs(last.date - first.date) if first is not None and last is not None else None


def _side(paths: Sequence[str]) -> Side:
    java = [path for path in paths if path.endswith(".java")]
    test = any(is_test_path(path) for path in java)
    production = any(not is_test_path(path) for path in java)
    if test and production:
        return "both"
    return "test" if test else "production" if production else "none"


def is_test_path(path: str) -> bool:
    """Whether a Java file is test code by its folders: before a build nobody knows the roots of every revision."""
    folders = path.split("/")[:-1]
    for at in range(len(folders) - 2):
        if folders[at] == "src" and _LANGUAGE.fullmatch(folders[at + 2]):
            # Folders behind these are packages, which may have any name: `it.unibo`, `org.springframework.test`.
            # The projects that Maven's invoker builds lie below src/it, each with an src/main/java of its own.
            before = folders[: at + 2]
            return ("src", "it") in pairwise(before) or any(map(_holds_tests, before))
    return any(map(_holds_tests, folders))


def _holds_tests(folder: str) -> bool:
    return folder in _TESTS or folder.endswith("Test")


def find_candidates(lineage: Lineage, window: Sequence[Commit]) -> Candidates:
    """Pairs of parent and child that change both sides, and commits that do so together with the one before.

    The one before is the nearest ancestor that changes Java at all. When it changes the other side alone, the pair
    spans both commits; when it changes both sides, its own pair has its tests already, and this one is of use only
    where that one does not build (`if_broken`).
    """
    pairs: list[Pair] = []
    dropped: list[Dropped] = []
    for commit in window:
        found = _candidate(lineage, commit.sha)
        if isinstance(found, Pair):
            pairs.append(found)
        else:
            dropped.append(found)
    return Candidates(tuple(pairs), tuple(dropped))


def _candidate(lineage: Lineage, sha: str) -> Pair | Dropped:
    parent = lineage.parent(sha)
    if parent is None:
        return Dropped(sha, "S4", "no-parent", "the first commit of the history")
    side = lineage.side(sha)
    if side == "both":
        return Pair(parent, sha, "commit")
    if side == "none":
        return Dropped(sha, "S4", "no-java", "it changes no Java file")
    before = lineage.previous_java(sha)
    base = lineage.parent(before) if before is not None else None
    what = "tests" if side == "test" else "production code"
    if before is None or base is None:
        detail = f"it changes {what} alone, and no commit shortly before it that has a parent changes Java"
        return Dropped(sha, "S4", "one-sided", detail)
    if lineage.side(before) == side:
        return Dropped(sha, "S4", "one-sided", f"it changes {what} alone, and so does the Java commit before it")
    span = lineage.span(base, sha)
    if span is None or span > LONGEST_SPAN:
        return Dropped(sha, "S4", "over-12-h", f"it changes {what} alone, and the commit before it is too long ago")
    return Pair(base, sha, "adjacent", if_broken=before if lineage.side(before) == "both" else "")


def ancestors_in_reach(lineage: Lineage, pair: Pair) -> tuple[Pair, ...]:
    """In place of a pair whose `rev1` does not build: its ancestors, the nearest first.

    The next one however old it is, as the pair is then still about one change in two commits; others within 12 hours.
    """
    found: list[Pair] = []
    current = lineage.parent(pair.rev1)
    while current is not None and len(found) < _FURTHEST:
        span = lineage.span(current, pair.rev2)
        if found and (span is None or span > LONGEST_SPAN):
            break
        found.append(Pair(current, pair.rev2, "fallback"))
        current = lineage.parent(current)
    return tuple(found)
