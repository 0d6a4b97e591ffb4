"""What mining found of `examples/java-history`, and what it must find, in one shape: mappings that can be compared.

Commits go by the names of their folders, methods by their keys in the sources (`a.b.Outer$Inner#name(String,int)`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from testmark.records.kit import Dropped
from testmark.records.mining import ChangedTest, PairRecord
from testmark.records.tasks import TRACKS, TaskRow, Track
from testmark.source.java import JavaMethod, read_java
from testmark.testevo.bench import EvoBench, open_bench
from testmark.testevo.changes import called_once
from testmark.testevo.mine import Funnel
from tests.testevo.example import BEFORE_THE_MATRIX, CELLS, expected, mined_pairs, script


class Span(NamedTuple):
    """A pair, by the folders of its commits."""

    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.old}..{self.new}"


class Place(NamedTuple):
    """A changed test of a pair."""

    pair: Span
    path: str
    method: str

    def __str__(self) -> str:
        return f"{self.pair} {self.method}"


class Cut(NamedTuple):
    """A task: the changed tests of one pair, track and file; those that are called more than once are one of their own."""

    pair: Span
    track: str
    path: str
    once: bool

    def __str__(self) -> str:
        return f"{self.pair} {self.track} {self.path}{'' if self.once else ' (called often)'}"


@dataclass(frozen=True)
class MinedExample:
    """The mined history."""

    repository: Path
    folder: Path
    """The benchmark."""
    funnel: Funnel
    names: Mapping[str, str]
    """Folders' names by the commits' hashes."""
    refactorings: bool
    """Whether the tool was there that tells refactorings apart."""

    def bench(self) -> EvoBench:
        return open_bench(self.folder)

    def span(self, rev1: str, rev2: str) -> Span:
        return Span(self.names[rev1], self.names[rev2])

    def dropped(self, kind: str) -> list[Dropped]:
        """Lines of `dropped.jsonl`."""
        lines = (self.folder / "dropped.jsonl").read_text(encoding="utf-8").splitlines()
        return [one for one in map(Dropped.from_json, lines) if one.kind == kind]

    def rows(self) -> list[tuple[Track, TaskRow]]:
        """Every task."""
        bench = self.bench()
        return [(track, row) for track in TRACKS for row in bench.rows(track)]


def assert_same(wanted: Mapping[Any, object], found: Mapping[Any, object]) -> None:
    """Both have the same keys with the same values; else the message has one line for each key that has not."""
    keys = [*wanted, *(key for key in found if key not in wanted)]
    told = [(key, wanted.get(key, "nothing"), found.get(key, "nothing")) for key in keys]
    differing = [f"{key}: expected {one}, found {other}" for key, one, other in told if one != other]
    if differing:
        pytest.fail("\n".join(differing), pytrace=False)


# -- commits and pairs ---------------------------------------------------------------------------------------------


def expected_commits() -> dict[str, str]:
    return {one["name"]: f"{one['stage']}: {one['reason']}" for one in expected()["commit"]}


def found_commits(example: MinedExample) -> dict[str, str]:
    return {example.names[one.id]: one.rule for one in example.dropped("commit")}


def expected_pairs() -> dict[Span, str]:
    """Of a pair that leaves the reason, of one that is mined its kind."""
    return {
        Span(one["old"], one["new"]): f"{one['stage']}: {one['reason']}" if "reason" in one else one["kind"]
        for one in expected()["pair"]
    }


def found_pairs(example: MinedExample) -> dict[Span, str]:
    mined = {example.span(one.rev1, one.rev2): one.kind for one in example.funnel.pairs if one.tests}
    left = {example.span(*one.id.split("_")): one.rule for one in example.dropped("pair")}
    assert not set(mined) & set(left), "a pair is mined and dropped"
    return {**mined, **left}


# -- tests ---------------------------------------------------------------------------------------------------------


def expected_tests() -> dict[Place, dict[str, Any]]:
    """Every changed test as EXPECTED.toml describes it."""
    return {
        Place(Span(pair["old"], pair["new"]), test["path"], test["test"]): test
        for pair in mined_pairs()
        for test in pair["test"]
    }


def found_tests(example: MinedExample) -> dict[Place, ChangedTest]:
    found: dict[Place, ChangedTest] = {}
    for pair in example.funnel.pairs:
        span = example.span(pair.rev1, pair.rev2)
        for test in pair.tests:
            place = Place(span, test.path, key_at(span.new, test.path, test.lines))
            assert place not in found, f"{place} was found twice"
            found[place] = test
    return found


def random_tests() -> frozenset[Place]:
    """Those whose verdict is chance: EXPECTED.toml names what else they may be."""
    return frozenset(place for place, test in expected_tests().items() if "or" in test)


def certain(tests: Mapping[Place, Any]) -> dict[Place, Any]:
    """All but the random ones."""
    by_chance = random_tests()
    return {place: test for place, test in tests.items() if place not in by_chance}


def outcome(test: ChangedTest) -> str:
    """Its track, or the reason why it has none."""
    return test.track or test.reason


def bare_name(test: Mapping[str, Any]) -> str:
    """The method's name alone."""
    return str(test["test"]).partition("#")[2].partition("(")[0]


def renamed(test: Mapping[str, Any]) -> bool:
    """Whether its file, and so its class, had another name."""
    return Path(test.get("old_path", test["path"])).name != Path(test["path"]).name


def expected_outcome(test: Mapping[str, Any], *, refactorings: bool) -> str:
    without_tool = test.get("without_tool") if not refactorings else None
    return without_tool or test.get("track") or test["reason"]


def expected_cells(test: Mapping[str, Any], found: ChangedTest) -> dict[str, str]:
    """Of a test that leaves before the matrix only those cells that were run after all."""
    cells: dict[str, str] = test.get("cells", {})
    ran = found_cells(found)
    return {name: cell for name, cell in cells.items() if name in ran or found.reason not in BEFORE_THE_MATRIX}


def found_cells(test: ChangedTest) -> dict[str, str]:
    """Those with a verdict."""
    cells = {name: getattr(test, name) for name in CELLS}
    return {name: cell.result for name, cell in cells.items() if cell is not None and cell.result is not None}


def found_calls(place: Place, test: ChangedTest) -> frozenset[str]:
    """The changed production methods that the test calls itself."""
    return frozenset(
        key_at(place.pair.new, one.path, one.line) for one in test.dependencies if one.changed and one.direct
    )


# -- tasks ---------------------------------------------------------------------------------------------------------


def expected_tasks() -> dict[Cut, list[dict[str, Any]]]:
    """The tests of every task."""
    tasks: dict[Cut, list[dict[str, Any]]] = {}
    for place, test in certain(expected_tests()).items():
        if "track" in test:
            once = called_once(code_of(place))
            tasks.setdefault(Cut(place.pair, test["track"], place.path, once), []).append(test)
    return tasks


def found_tasks(example: MinedExample) -> dict[Cut, TaskRow]:
    """Every row but one of a random test that has passed whenever it ran."""
    by_chance = {(place.pair, place.path, place.method) for place in random_tests()}
    found: dict[Cut, TaskRow] = {}
    for track, row in example.rows():
        span = example.span(row.rev1, row.rev2)
        methods = {
            (span, row.test_file, key_at(span.new, row.test_file, one.new_test_lnum[0])) for one in row.test_changes
        }
        if methods <= by_chance:
            continue
        cut = Cut(span, track, row.test_file, called_once(row.test_changes[0].new_test_code))
        assert cut not in found, f"{cut} makes two tasks"
        found[cut] = row
    return found


def expected_lite() -> dict[Cut, set[str]]:
    """The rules of Lite that keep a task out; empty where none does."""
    return {cut: {test["lite"] for test in tests if "lite" in test} for cut, tests in expected_tasks().items()}


def found_lite(example: MinedExample) -> dict[Cut, set[str]]:
    """Likewise; what sampling leaves out has broken no rule."""
    rules = {one.id: one.rule.removeprefix("lite: ") for one in example.dropped("task")}
    return {cut: {rules.get(row.task_id, "")} - {"", "not-sampled"} for cut, row in found_tasks(example).items()}


def told_by_the_folder(example: MinedExample) -> dict[str, str]:
    """Track or reason of every changed test, from the rows and `dropped.jsonl` alone."""
    kept = {
        f"{row.rev1[:7]}_{row.rev2[:7]}#{one.test_sign}": track
        for track, row in example.rows()
        for one in row.test_changes
    }
    left = {one.id: one.rule.removeprefix("S5: ") for one in example.dropped("test")}
    assert not set(kept) & set(left), "a test is both a target and dropped"
    return {**kept, **left}


def told_by_mining(pairs: Iterable[PairRecord]) -> dict[str, str]:
    """The same from the mined pairs."""
    return {f"{pair.rev1[:7]}_{pair.rev2[:7]}#{test.signature}": outcome(test) for pair in pairs for test in pair.tests}


# -- sources -------------------------------------------------------------------------------------------------------


@cache
def methods(commit: str, path: str) -> tuple[JavaMethod, ...]:
    """What a file of a commit declares."""
    return read_java(history()[commit].tree[path].decode()).methods


@cache
def history() -> Mapping[str, Any]:
    """The commits by name, as the script reads them."""
    commits: Mapping[str, Any] = script().read_history()
    return commits


def code_of(place: Place) -> str:
    """The text of a test at its new revision."""
    (found,) = [one.code for one in methods(place.pair.new, place.path) if one.key == place.method]
    return found


def key_at(commit: str, path: str, line: int | str) -> str:
    """The key of the method that begins at that line, or at the first one of a range (`12-34`)."""
    first = int(str(line).partition("-")[0])
    (found,) = [one.key for one in methods(commit, path) if one.line == first]
    return found
