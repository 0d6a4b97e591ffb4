"""Stage S5: what one changed test method is: a task of one track, or dropped for the first reason that holds."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from testmark.records.tasks import CoverageGain
from testmark.testevo.executed import Executed
from testmark.testevo.variants import Cell

Outcome = Literal["update", "generation", "refinement"]
MEANINGS: dict[str, str] = {
    "new-test-fails": "the new test does not pass on the new code",
    "flaky": "runs of the same test on the same code differ",
    "skipped": "the new test is disabled, or an assumption of it does not hold",
    "infra": "a run could not be carried out",
    "not-utf-8": "the new test's file is in an encoding that it cannot be rewritten in",
    "no-coverage": "the new test executes no production method that is declared in a source file",
    "no-changed-dependency": "no production method that test code calls has changed",
    "refactored-test": "the change of the test is a refactoring and nothing else",
    "refactored-dependencies": "every changed production method that test code calls is refactored and nothing else",
    "changed-test-code": "the test calls test code that has changed itself",
    "old-test-fails": "the old test does not pass on the old code",
    "passes-on-old": "the new test has no older version and passes on the old code too",
    "no-update-needed": "old and new test pass on either code and the new one covers nothing more",
    "no-gain": "the old test passes on the new code, and the new one covers no more of it",
    "not-discriminating": "the old test fails on the new code, and the new test passes on the old code too",
    "maven-differs": "it passes in a JVM of ours, and Maven does not run it or does not pass it",
    "found-in-branch": "it is a task of a commit of the branch that is merged here",
}
"""Every drop reason of this stage, in words."""


@dataclass(frozen=True)
class Matrix:
    """The four cells; the old test's are None when there is none."""

    old_on_old: Cell | None
    old_on_new: Cell | None
    new_on_old: Cell
    new_on_new: Cell


@dataclass(frozen=True)
class Verdict:
    """A track, or the reason for leaving with its detail."""

    track: Outcome | None
    reason: str = ""
    detail: str = ""


def new_on_new(cell: Cell) -> Verdict | None:
    """Why the new test is no reference on the new code; None when it is one."""
    if cell.result == "Pass":
        return None
    return Verdict(None, cell.problem or "new-test-fails", f"{cell.result or ''} {cell.detail}".strip())


def dependencies(
    production: Collection[Executed], changed: Collection[Executed], changed_test_code: Collection[str]
) -> Verdict | None:
    """Why what the test executes makes it no task; None when it does."""
    if not production:
        return Verdict(None, "no-coverage")
    if not changed:
        return Verdict(None, "no-changed-dependency")
    if changed_test_code:
        return Verdict(None, "changed-test-code", ", ".join(sorted(changed_test_code)[:3]))
    return None


def matrix(found: Matrix, gain: CoverageGain | None) -> Verdict:
    """The track by the four cells; `gain` is that of the new test over the old one where both pass on the new code."""
    for cell in (found.new_on_old, found.old_on_old, found.old_on_new):
        if cell is not None and cell.problem and not (cell is found.old_on_old and cell.problem == "skipped"):
            return Verdict(None, cell.problem, cell.detail)
    if found.old_on_old is None or found.old_on_new is None:
        if found.new_on_old.result == "Pass":
            return Verdict(None, "passes-on-old")
        return Verdict("generation")
    if found.old_on_old.result != "Pass":
        return Verdict(None, "old-test-fails", found.old_on_old.detail)
    if found.old_on_new.result == "Pass":
        if gain is not None and gain.net > 0:
            return Verdict("refinement")
        unneeded = found.new_on_old.result == "Pass"
        return Verdict(None, "no-update-needed" if unneeded else "no-gain")
    if found.new_on_old.result == "Pass":
        return Verdict(None, "not-discriminating")
    return Verdict("update")
