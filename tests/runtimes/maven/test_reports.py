from __future__ import annotations

from pathlib import Path

import pytest

from testmark.runtimes.maven.reports import bare_method, class_failures, of_methods, read_reports


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("sum", "sum"),
        ("sum()", "sum"),
        ("sum(int, int)[2]", "sum"),
        ("sum{int}[1]", "sum"),
        ("sum[0]", "sum"),
        ("sum[with, comma](1)", "sum"),
        ("", ""),
        ("[engine]", "[engine]"),
    ],
)
def test_names_of_cases_are_reduced_to_methods(name: str, method: str) -> None:
    assert bare_method(name) == method


def write(folder: Path, *cases: str) -> None:
    body = "".join(cases)
    (folder / "TEST-a.B.xml").write_text(f"<testsuite>{body}</testsuite>", encoding="utf-8")


def test_how_cases_ended(tmp_path: Path) -> None:
    write(
        tmp_path,
        '<testcase classname="a.B" name="good"/>',
        '<testcase classname="a.B" name="bad"><failure type="x.Y" message="no"/></testcase>',
        '<testcase classname="a.B" name="broken"><error type="java.lang.IllegalStateException">text\nmore</error></testcase>',
        '<testcase classname="a.B" name="off"><skipped message="later"/></testcase>',
    )
    found = read_reports(tmp_path)
    assert [(case.method, case.status, case.assertion) for case in found.cases] == [
        ("good", "passed", False),
        ("bad", "failed", True),
        ("broken", "error", False),
        ("off", "skipped", False),
    ]
    assert [case.message for case in found.cases] == ["", "no", "text", "later"]
    assert found.broken == ()


def test_how_long_a_case_took_is_read_as_surefire_writes_it(tmp_path: Path) -> None:
    write(tmp_path, *(f'<testcase classname="a.B" name="m"{time}/>' for time in (' time="0.5"', ' time="1,234.5"', "")))
    assert [case.seconds for case in read_reports(tmp_path).cases] == [0.5, 1234.5, 0.0]


def test_a_flaky_case_that_passed_in_the_end_failed_before(tmp_path: Path) -> None:
    write(tmp_path, '<testcase classname="a.B" name="m"><rerunFailure type="x.Y"/><failure type="x.Y"/></testcase>')
    assert read_reports(tmp_path).cases[0].status == "failed"


def test_only_runs_of_the_named_methods_of_the_named_class_count(tmp_path: Path) -> None:
    write(
        tmp_path,
        '<testcase classname="a.B" name="m(int)[1]"/>',
        '<testcase classname="a.B" name="m(int)[2]"/>',
        '<testcase classname="a.B" name="more"/>',
        '<testcase classname="a.B$C" name="m"/>',
    )
    cases = read_reports(tmp_path).cases
    assert [case.display for case in of_methods(cases, "a.B", ["m"])] == ["m(int)[1]", "m(int)[2]"]
    assert [case.display for case in of_methods(cases, "a.B$C", ["m"])] == ["m"]


@pytest.mark.parametrize("name", ["", "a.B", "initializationError"])
def test_a_failure_of_the_whole_class_is_seen(tmp_path: Path, name: str) -> None:
    write(tmp_path, f'<testcase classname="a.B" name="{name}"><error type="x.Y" message="boom"/></testcase>')
    assert [case.message for case in class_failures(read_reports(tmp_path).cases, "a.B")] == ["boom"]


def test_a_torn_report_is_named(tmp_path: Path) -> None:
    (tmp_path / "TEST-a.B.xml").write_text("<testsuite><testcase", encoding="utf-8")
    found = read_reports(tmp_path)
    assert found.cases == ()
    assert found.broken[0].startswith("TEST-a.B.xml: ")


@pytest.mark.parametrize(
    ("kind", "assertion"),
    [
        ("java.lang.NullPointerException", False),
        ("java.lang.AssertionError", True),
        ("org.opentest4j.AssertionFailedError", True),
    ],
)
def test_of_testng_everything_is_called_a_failure_and_the_name_tells_what_it_is(
    tmp_path: Path, kind: str, *, assertion: bool
) -> None:
    write(tmp_path, f'<testcase classname="a.B" name="m"><failure type="{kind}"/></testcase>')
    (case,) = read_reports(tmp_path, testng=True).cases
    assert (case.status, case.assertion) == ("failed", assertion)
