"""Tasks from what a pair changed: identifiers that no two share."""

from __future__ import annotations

from testmark.records.mining import CellRecord, ChangedTest, PairRecord
from testmark.records.tasks import Track
from testmark.testevo.identity import task_id
from testmark.testevo.rows import make_rows

FILE = "src/test/java/a/FooTest.java"


def found(
    track: Track, test_class: str, method: str, code: str, signature: str = "()V", old: str = FILE
) -> ChangedTest:
    passed, failed = (CellRecord(result=result, detail="", problem="") for result in ("Pass", "ExecFail"))
    return ChangedTest(
        path=FILE, old_path=FILE, module="", test_class=test_class, method=method,
        signature=f"{test_class}#{method}{signature}", junit_selector=f"{test_class}#{method}", code=code, lines="1-2",
        old_code=None, old_lines="", new_on_new=passed, old_on_old=None, old_on_new=None, new_on_old=failed,
        dependencies=(), coverage=1.0, gain=None, cpu_seconds=1.0, track=track, reason="", detail="",
    )  # fmt: skip


def rows(*tests: ChangedTest):
    pair = PairRecord(
        rev1="a" * 40, rev2="b" * 40, kind="commit", date="2020-01-01T00:00:00Z", java_version=17, tests=tests
    )
    return make_rows([pair], "o_r-main", "https://host/o/r")


def published(*methods: str) -> str:
    return task_id("o_r-main", "a" * 40, "b" * 40, "FooTest", FILE, methods)


def test_tests_of_nested_classes_with_one_name_make_two_identifiers() -> None:
    made = rows(
        found("update", "a.FooTest$A", "empty", "@Test void empty() {}"),
        found("generation", "a.FooTest$B", "empty", "@Test void empty() {}"),
    )
    assert len({one.row.task_id for one in made}) == 2
    (first,) = [one for one in made if one.track == "update"]
    assert first.row.task_id == published("empty")


def test_what_is_called_often_leaves_the_published_identifier_to_the_test_of_that_name() -> None:
    made = rows(
        found("generation", "a.FooTest", "adds", "@ParameterizedTest void adds(int x) {}", "(I)V"),
        found("generation", "a.FooTest", "adds", "@Test void adds() {}"),
    )
    assert len({one.row.task_id for one in made}) == 2
    (once,) = [one for one in made if one.row.task_id == published("adds")]
    assert once.tests[0].code == "@Test void adds() {}"


def test_a_new_test_has_no_place_in_the_old_revision_even_where_its_file_has() -> None:
    (task,) = rows(found("generation", "a.FooTest", "adds", "@Test void adds() {}"))
    assert (task.tests[0].old_path, task.row.test_changes[0].old_test_file_path) == (FILE, ())
