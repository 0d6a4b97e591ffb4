"""What a merge commit brings a second time."""

from __future__ import annotations

from datetime import UTC, datetime

from testmark.records.mining import ChangedTest, PairRecord
from testmark.testevo.history import Commit
from testmark.testevo.merges import tell_merged

#   base - other ------- merge - after
#      \- early - late -/
PARENTS = {
    "base": (), "early": ("base",), "late": ("early",), "other": ("base",), "merge": ("other", "late"),
    "after": ("merge",),
}  # fmt: skip
COMMITS = {name: Commit(name, parents, datetime(2020, 1, 1, tzinfo=UTC)) for name, parents in PARENTS.items()}


def changed(name: str, track: str | None = "update") -> ChangedTest:
    return ChangedTest.model_construct(
        path="ATest.java", test_class="a.ATest", signature=f"{name}()", track=track, reason="" if track else "no-gain"
    )


def pair(rev1: str, rev2: str, *tests: ChangedTest) -> PairRecord:
    return PairRecord.model_construct(rev1=rev1, rev2=rev2, tests=tests)


def test_a_test_is_a_task_of_its_branch_and_not_of_the_merge() -> None:
    pairs = [
        pair("base", "early", changed("first"), changed("second", None)),
        pair("base", "other", changed("third")),
        pair("other", "merge", changed("first"), changed("second"), changed("third"), changed("fourth", None)),
        pair("merge", "after", changed("first")),
    ]
    told = tell_merged(pairs, COMMITS)
    assert told[:2] == pairs[:2]
    assert told[3] == pairs[3]
    found = [(test.signature, test.track, test.reason) for test in told[2].tests]
    assert found == [
        ("first()", None, "found-in-branch"),
        ("second()", "update", ""),
        ("third()", "update", ""),  # a task of the first parent's own line, not of what is merged
        ("fourth()", None, "no-gain"),
    ]
    assert told[2].tests[0].detail == "a task of early, merged here"
