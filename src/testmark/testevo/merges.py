"""A merge commit brings what its branch's own commits brought before: a test is a task once, where it was written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from testmark.records.mining import ChangedTest, PairRecord
from testmark.testevo.history import Commit

FOUND_IN_BRANCH = "found-in-branch"
_Key = tuple[str, str, str]


def tell_merged(pairs: Sequence[PairRecord], commits: Mapping[str, Commit]) -> list[PairRecord]:
    """The pairs; in those that end in a merge commit, tests that are tasks of a merged commit are none any more.

    A merge that no commit of its branch makes a task of (the code in one commit, its test much later) keeps its own.
    """
    tasks: dict[str, set[_Key]] = {}
    for pair in pairs:
        tasks.setdefault(pair.rev2, set()).update(_key(test) for test in pair.tests if test.track is not None)
    return [_told(pair, commits, tasks) if len(commits[pair.rev2].parents) > 1 else pair for pair in pairs]


def _told(pair: PairRecord, commits: Mapping[str, Commit], tasks: Mapping[str, set[_Key]]) -> PairRecord:
    where = {key: sha for sha in sorted(_merged(pair.rev2, commits)) for key in tasks.get(sha, ())}
    tests = tuple(
        _left(test, where[_key(test)]) if test.track is not None and _key(test) in where else test
        for test in pair.tests
    )
    return pair.model_copy(update={"tests": tests})


def _left(test: ChangedTest, sha: str) -> ChangedTest:
    detail = f"a task of {sha[:7]}, merged here"
    return test.model_copy(update={"track": None, "reason": FOUND_IN_BRANCH, "detail": detail})


def _merged(merge: str, commits: Mapping[str, Commit]) -> set[str]:
    """Commits that the first parent does not have, the merge itself aside."""
    first, *others = commits[merge].parents
    return _ancestors(others, commits) - _ancestors([first], commits)


def _ancestors(starts: Sequence[str], commits: Mapping[str, Commit]) -> set[str]:
    found: set[str] = set()
    todo = [sha for sha in starts if sha in commits]
    while todo:
        sha = todo.pop()
        if sha not in found:
            found.add(sha)
            todo += [parent for parent in commits[sha].parents if parent in commits]
    return found


def _key(test: ChangedTest) -> _Key:
    return (test.path, test.test_class, test.signature)
