"""Rows of the three tracks from mined pairs: one a (pair, test file), in the order of date and identifier."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from testmark.records.mining import CellRecord, ChangedTest, PairRecord
from testmark.records.tasks import CellResult, TaskRow, TestChange, Track, VariantResult
from testmark.testevo.changes import called_once
from testmark.testevo.identity import task_id


@dataclass(frozen=True)
class Mined:
    """A row with all that is known of it."""

    track: Track
    row: TaskRow
    pair: PairRecord
    tests: tuple[ChangedTest, ...]
    """In the order of the row's `test_changes`."""


def make_rows(pairs: Iterable[PairRecord], project: str, url: str) -> tuple[Mined, ...]:
    """Every task of every pair; no two pairs have one `rev2`, so no test is in two tasks of a revision."""
    taken: set[str] = set()
    found = []
    for pair, track, tests in tasks_of(pairs):
        name = _unused_id(pair, tests, project, taken)
        taken.add(name)
        found.append(_mined(pair, track, tests, name, project, url))
    return tuple(sorted(found, key=lambda one: (one.row.date, one.row.task_id)))


def tasks_of(pairs: Iterable[PairRecord]) -> list[tuple[PairRecord, Track, list[ChangedTest]]]:
    """What makes one task each: the tests of one pair, track and file.

    Target methods are `@Test` methods (the card). Those that a runner calls with several values, several times or for
    what they return (parameterized, repeated, factories, templates) are a task beside them.
    """
    found: list[tuple[PairRecord, Track, list[ChangedTest]]] = []
    for pair in pairs:
        groups: defaultdict[tuple[Track, str, bool], list[ChangedTest]] = defaultdict(list)
        for test in pair.tests:
            if test.track is not None:
                groups[test.track, test.path, called_once(test.code)].append(test)
        # Those that the card knows come first: they have their identifier whatever stands beside them.
        found += [(pair, track, tests) for (track, _, once), tests in groups.items() if once]
        found += [(pair, track, tests) for (track, _, once), tests in groups.items() if not once]
    return found


def _unused_id(pair: PairRecord, tests: Sequence[ChangedTest], project: str, taken: Collection[str]) -> str:
    """The published formula; where another task of the pair has it already, over signatures in place of bare names.

    Two tasks of one file have one set of bare names when nested classes share them, or overloads do.
    """
    first = tests[0]
    outer = first.test_class.rpartition(".")[2].split("$")[0]
    name = task_id(project, pair.rev1, pair.rev2, outer, first.path, [test.method for test in tests])
    if name not in taken:
        return name
    return task_id(project, pair.rev1, pair.rev2, outer, first.path, [test.signature for test in tests])


def _mined(pair: PairRecord, track: Track, tests: Sequence[ChangedTest], name: str, project: str, url: str) -> Mined:
    first = tests[0]
    row = TaskRow(
        task_id=name,
        project_name=project,
        git_clone_url=url,
        rev1=pair.rev1,
        rev2=pair.rev2,
        date=pair.date,
        test_file=first.path,
        test_changes=tuple(_change(name, number, test, track) for number, test in enumerate(tests)),
        java_version=pair.java_version,
    )
    return Mined(track, row, pair, tuple(tests))


def _change(task: str, number: int, test: ChangedTest, track: Track) -> TestChange:
    refined = track == "refinement"
    return TestChange(
        change_id=f"{task}__{number}_{test.method}",
        test_sign=test.signature,
        class_=test.test_class,
        method=test.method,
        module=test.module or ".",
        junit_selector=test.junit_selector,
        old_test_code=test.old_code,
        new_test_code=test.code,
        old_test_lnum=(test.old_lines,) if test.old_lines else (),
        new_test_lnum=(test.lines,),
        old_test_file_path=(test.old_path,) if test.old_path and test.old_code is not None else (),
        all_deps_new=tuple(one.signature for one in test.dependencies),
        variant_result=VariantResult(
            old_on_old=_result(test.old_on_old),
            old_on_new=_result(test.old_on_new),
            new_on_old=_needed(test.new_on_old),
            new_on_new=_needed(test.new_on_new),
        ),
        coverage_gold=test.coverage,
        coverage_delta_gold=test.gain.gain if refined and test.gain is not None else None,
        coverage_gain=test.gain if refined else None,
    )


def _result(cell: CellRecord | None) -> CellResult | None:
    return cell.result if cell is not None else None


def _needed(cell: CellRecord | None) -> CellResult:
    result = _result(cell)
    assert result is not None  # noqa: S101 - a test of a track has both cells
    return result
