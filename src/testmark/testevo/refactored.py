"""What of one pair of revisions is refactoring and nothing else, for every method that it changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from testmark.errors import TaskError
from testmark.runtimes.maven.refactoring_tool import Refactoring, RefactoringTool
from testmark.testevo.candidates import Pair
from testmark.testevo.changes import ChangedMethod, PairChanges
from testmark.testevo.explained import explained_by_lines
from testmark.testevo.history import History
from testmark.testevo.pairs import NO_REFACTORING, Refactored
from testmark.testevo.refactorings import only_refactored


def find_refactored(tool: RefactoringTool, history: History, pair: Pair, changes: PairChanges) -> Refactored:
    """The reasons by method, in the new revision; methods of which some line changed otherwise are not there.

    RefactoringMiner sees every Java file that the pair changed, production code and tests together. Where
    RefactoringMiner fails on the files nothing is a refactoring: then the pair's methods count as changed. Raises
    `InfraError` when it is lost.
    """
    files = [change for change in history.changes(pair.rev1, pair.rev2) if change.path.endswith(".java")]
    before = history.texts(pair.rev1, [change.old_path for change in files if change.old_path])
    after = history.texts(pair.rev2, [change.path for change in files if change.kind != "deleted"])
    if not before or not after:
        return NO_REFACTORING
    try:
        found = tool.detect(before, after)
    except TaskError:
        return NO_REFACTORING
    return Refactored(
        tests=_reasons(changes.tests, found, before, after),
        production=_reasons(changes.production, found, before, after),
    )


def _reasons(
    changes: Iterable[ChangedMethod],
    found: Sequence[Refactoring],
    before: Mapping[str, str],
    after: Mapping[str, str],
) -> dict[tuple[str, str], str]:
    reasons = {
        (one.path, one.method.key): only_refactored(one, found, before, after)
        or explained_by_lines(one, found, before, after)
        for one in changes
    }
    return {key: reason for key, reason in reasons.items() if reason}
