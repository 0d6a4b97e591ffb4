"""What mining found of one pair of revisions: every changed test method, with its cells and its verdict."""

from __future__ import annotations

from testmark.records.base import Record
from testmark.records.tasks import CellResult, CoverageGain, Track


class CellRecord(Record):
    """One version of a test on one revision."""

    result: CellResult | None
    """None when it was no verdict."""
    detail: str
    problem: str


class Dependency(Record):
    """A production method that the new test executes on the new revision."""

    signature: str
    """As the JVM writes it."""
    path: str
    line: int
    end_line: int
    lines: tuple[int, ...]
    """Executable lines."""
    covered: tuple[int, ...]
    """By the new test."""
    direct: bool
    """Whether test code calls it itself."""
    changed: bool
    """Whether test code calls it itself and the pair changed it."""


class ChangedTest(Record):
    """One test method that is new or differs, and what became of it."""

    path: str
    old_path: str
    """Where the old revision has the file, whether or not the test is in it; empty when it has none."""
    module: str
    test_class: str
    """Binary name."""
    method: str
    signature: str
    junit_selector: str
    code: str
    lines: str
    old_code: str | None
    old_lines: str
    new_on_new: CellRecord | None
    old_on_old: CellRecord | None
    old_on_new: CellRecord | None
    new_on_old: CellRecord | None
    dependencies: tuple[Dependency, ...]
    coverage: float
    gain: CoverageGain | None
    cpu_seconds: float
    """The longest run of the new test on the new code."""
    track: Track | None
    reason: str
    """Why it is no task; empty when it is one."""
    detail: str


class PairRecord(Record):
    """One pair of revisions, mined."""

    rev1: str
    rev2: str
    kind: str
    date: str
    """Committer's date of `rev2` in UTC."""
    java_version: int
    tests: tuple[ChangedTest, ...]
