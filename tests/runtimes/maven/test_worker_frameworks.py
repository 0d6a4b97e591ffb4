"""Test methods of each framework, in a long-lived JVM."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.javas import JavaProject

pytestmark = pytest.mark.network

Libraries = Callable[[str], JavaProject]
JUNIT4 = """
    package shop;
    import static org.junit.Assert.*;
    import org.junit.*;
    public class PricesTest {
        @Test public void right() { assertEquals(6, Prices.total(2, 3)); }
        @Test public void wrong() { assertEquals(7, Prices.total(2, 3)); }
        @Test public void thrown() { Prices.total(-1, 3); }
        @Test(expected = IllegalArgumentException.class) public void expected() { Prices.total(-1, 3); }
        @Ignore @Test public void ignored() { }
        public void helper() { }
    }
"""
JUNIT3 = """
    package shop;
    import junit.framework.TestCase;
    public class PricesTest extends TestCase {
        public void testRight() { assertEquals(6, Prices.total(2, 3)); }
        public void testWrong() { assertEquals(7, Prices.total(2, 3)); }
        public void testThrown() { Prices.total(-1, 3); }
        public void helper() { }
    }
"""
TESTNG = """
    package shop;
    import static org.testng.Assert.*;
    import org.testng.*;
    import org.testng.annotations.*;
    public class PricesTest {
        @Test public void right() { assertEquals(Prices.total(2, 3), 6); }
        @Test public void wrong() { assertEquals(Prices.total(2, 3), 7); }
        @Test public void thrown() { Prices.total(-1, 3); }
        @Test(expectedExceptions = IllegalArgumentException.class) public void expected() { Prices.total(-1, 3); }
        @Test(enabled = false) public void disabled() { }
        @Test public void ignored() { throw new SkipException("not here"); }
        @DataProvider public Object[][] rows() { return new Object[][] {{1, 3}, {2, 6}}; }
        @Test(dataProvider = "rows") public void row(int count, int total) { assertEquals(Prices.total(count, 3), total); }
        public void helper() { }
    }
"""
PLATFORM = """
    package shop;
    import static org.junit.jupiter.api.Assertions.*;
    import java.util.stream.*;
    import org.junit.jupiter.api.*;
    import org.junit.jupiter.params.ParameterizedTest;
    import org.junit.jupiter.params.provider.ValueSource;
    class PricesTest {
        @Test void right() { assertEquals(6, Prices.total(2, 3)); }
        @Test void wrong() { assertEquals(7, Prices.total(2, 3)); }
        @Test void thrown() { Prices.total(-1, 3); }
        @Disabled @Test void ignored() { }
        @Test void assumed() { Assumptions.assumeTrue(false, "not here"); }
        @Test void overloaded() { }
        @ParameterizedTest @ValueSource(ints = {1, 2}) void overloaded(int count) { assertEquals(1, count); }
        @ParameterizedTest @ValueSource(ints = {1, 2}) void rows(int count) { assertEquals(count * 3, Prices.total(count, 3)); }
        @RepeatedTest(3) void repeated() { assertEquals(6, Prices.total(2, 3)); }
        @TestFactory Stream<DynamicTest> factory() {
            return Stream.of(DynamicTest.dynamicTest("empty", () -> { }),
                DynamicTest.dynamicTest("real", () -> assertEquals(7, Prices.total(2, 3))));
        }
        @TestFactory Stream<DynamicTest> none() { return Stream.empty(); }
        void helper() { }
        @Nested class First { @Test void same() { assertEquals(6, Prices.total(2, 3)); } }
        @Nested class Second { @Test void same() { fail("second"); } }
    }
"""


@pytest.mark.parametrize("library", ["junit4", "junit40", "vintage"])
@pytest.mark.parametrize(
    ("method", "status", "case", "assertion"),
    [
        ("right", "passed", "passed", False),
        ("wrong", "failed", "failed", True),
        ("thrown", "failed", "error", False),
        ("expected", "passed", "passed", False),
        ("ignored", "skipped", "skipped", False),
        ("helper", "not-found", None, False),
        ("gone", "not-found", None, False),
    ],
)
def test_junit_4(
    library_of: Libraries, library: str, method: str, status: str, case: str | None, assertion: bool
) -> None:
    run = library_of(library).run(JUNIT4, method)
    assert (run.status, [(one.method, one.status, one.assertion) for one in run.cases]) == (
        status,
        [] if case is None else [(method, case, assertion)],
    ), run


@pytest.mark.parametrize("library", ["junit3", "junit4", "vintage"])
@pytest.mark.parametrize(
    ("method", "status", "assertion"),
    [("testRight", "passed", False), ("testWrong", "failed", True), ("testThrown", "failed", False)],
)
def test_junit_3(library_of: Libraries, library: str, method: str, status: str, assertion: bool) -> None:
    run = library_of(library).run(JUNIT3, method)
    assert (run.status, [(one.method, one.assertion) for one in run.cases]) == (status, [(method, assertion)]), run


@pytest.mark.parametrize("library", ["junit3", "junit4", "vintage"])
def test_a_helper_of_junit_3_is_no_test(library_of: Libraries, library: str) -> None:
    assert library_of(library).run(JUNIT3, "helper").status == "not-found"


@pytest.mark.parametrize("library", ["testng", "testng7"])
@pytest.mark.parametrize(
    ("method", "status", "cases"),
    [
        ("right", "passed", ["passed"]),
        ("wrong", "failed", ["failed"]),
        ("thrown", "failed", ["error"]),
        ("expected", "passed", ["passed"]),
        ("disabled", "not-found", []),
        ("ignored", "skipped", ["skipped"]),
        ("row", "passed", ["passed", "passed"]),
        ("helper", "not-found", []),
    ],
)
def test_testng(library_of: Libraries, library: str, method: str, status: str, cases: list[str]) -> None:
    run = library_of(library).run(TESTNG, method)
    assert (run.status, [one.status for one in run.cases]) == (status, cases), run


@pytest.mark.parametrize(
    ("method", "status", "cases"),
    [
        ("right", "passed", ["passed"]),
        ("wrong", "failed", ["failed"]),
        ("thrown", "failed", ["error"]),
        ("ignored", "skipped", ["skipped"]),
        ("assumed", "skipped", ["skipped"]),
        ("overloaded", "failed", ["passed", "passed", "failed"]),
        ("rows", "passed", ["passed", "passed"]),
        ("repeated", "passed", ["passed", "passed", "passed"]),
        ("factory", "failed", ["passed", "failed"]),
        ("none", "not-found", []),
        ("helper", "not-found", []),
    ],
)
def test_jupiter(library_of: Libraries, method: str, status: str, cases: list[str]) -> None:
    run = library_of("platform").run(PLATFORM, method)
    assert (run.status, sorted(one.status for one in run.cases)) == (status, sorted(cases)), run
    assert all(one.method == method for one in run.cases)


def test_nested_classes_with_methods_of_one_name_are_told_apart(library_of: Libraries) -> None:
    project = library_of("platform")
    assert project.run(PLATFORM, "same", test_class="shop.PricesTest$First").status == "passed"
    second = project.run(PLATFORM, "same", test_class="shop.PricesTest$Second")
    assert (second.status, second.cases[0].message) == ("failed", "second")


def test_of_several_methods_every_one_must_run(library_of: Libraries) -> None:
    project = library_of("platform")
    assert project.run(PLATFORM, "right", "rows").status == "passed"
    assert project.run(PLATFORM, "right", "wrong").status == "failed"
    assert project.run(PLATFORM, "right", "ignored").status == "skipped"
    partly = project.run(PLATFORM, "right", "gone")
    assert (partly.status, partly.reason) == ("not-found", "gone did not run")


@pytest.mark.parametrize(
    ("library", "annotation", "imported"),
    [
        ("junit4", "@BeforeClass", "org.junit.*"),
        ("vintage", "@BeforeClass", "org.junit.*"),
        ("testng", "@BeforeClass", "org.testng.annotations.*"),
        ("platform", "@BeforeAll", "org.junit.jupiter.api.*"),
    ],
)
def test_what_fails_round_a_test_fails_it(library_of: Libraries, library: str, annotation: str, imported: str) -> None:
    project = library_of(library)
    head = f"package shop; import {imported}; public class RoundTest {{ "
    test = "@Test public void right() { } }"
    for what in (
        f'{annotation} public static void set() {{ throw new IllegalStateException("set"); }}',
        'static int x = Integer.parseInt("set");',
        'public RoundTest() { throw new IllegalStateException("set"); }',
    ):
        run = project.run(head + what + test, "right")
        assert run.status == "failed", (what, run)
        assert not any(case.status == "passed" for case in run.cases)
        assert project.run(head + test, "right").status == "passed"


@pytest.mark.parametrize("library", ["junit4", "vintage", "platform", "testng"])
def test_inherited_methods_run(library_of: Libraries, library: str) -> None:
    package = {"platform": "org.junit.jupiter.api.Test", "testng": "org.testng.annotations.Test"}
    imported = package.get(library, "org.junit.Test")
    base = f"package shop; import {imported}; public abstract class Base {{ @Test public void right() {{ }} }}"
    run = library_of(library).run("package shop; public class ChildTest extends Base { }", "right", more=[base])
    assert (run.status, [(case.test_class, case.method) for case in run.cases]) == (
        "passed",
        [("shop.ChildTest", "right")],
    )


@pytest.mark.parametrize("library", ["junit4", "vintage"])
def test_parameterized_classes_of_junit_4(library_of: Libraries, library: str) -> None:
    source = """
        package shop;
        import java.util.*;
        import org.junit.*;
        import org.junit.runner.RunWith;
        import org.junit.runners.Parameterized;
        @RunWith(Parameterized.class)
        public class RowsTest {
            @Parameterized.Parameters(name = "{0} (of two)") public static List<Object[]> rows() {
                return Arrays.asList(new Object[][] {{1}, {2}});
            }
            private final int count;
            public RowsTest(int count) { this.count = count; }
            @Test public void small() { Assert.assertTrue(count < 3); }
            @Test public void smaller() { Assert.assertTrue(count < 2); }
        }
    """
    project = library_of(library)
    assert [case.status for case in project.run(source, "small").cases] == ["passed", "passed"]
    run = project.run(source, "smaller")
    assert (run.status, sorted(case.status for case in run.cases)) == ("failed", ["failed", "passed"])


@pytest.mark.parametrize("library", ["junit4", "vintage"])
def test_an_assumption_that_does_not_hold_skips(library_of: Libraries, library: str) -> None:
    source = """
        package shop;
        import org.junit.*;
        public class AssumeTest {
            @Test public void assumed() { Assume.assumeTrue(false); }
        }
    """
    assert library_of(library).run(source, "assumed").status == "skipped"


@pytest.mark.parametrize("library", ["junit4", "vintage"])
def test_of_two_cases_with_one_name_both_count(library_of: Libraries, library: str) -> None:
    source = """
        package shop;
        import java.util.*;
        import org.junit.*;
        import org.junit.runner.RunWith;
        import org.junit.runners.Parameterized;
        @RunWith(Parameterized.class)
        public class TwinsTest {
            @Parameterized.Parameters(name = "twin") public static List<Object[]> rows() {
                return Arrays.asList(new Object[][] {{2}, {1}});
            }
            private final int count;
            public TwinsTest(int count) { this.count = count; }
            @Test public void small() { Assert.assertTrue(count < 2); }
        }
    """
    run = library_of(library).run(source, "small")
    assert (run.status, sorted(case.status for case in run.cases)) == ("failed", ["failed", "passed"])


def test_a_runner_that_cannot_be_filtered_runs_all_and_only_the_named_count(library_of: Libraries) -> None:
    runner = """
        package shop;
        import org.junit.runner.*;
        import org.junit.runner.notification.*;
        public class Own extends Runner {
            private final Class<?> test;
            public Own(Class<?> test) { this.test = test; }
            public Description getDescription() { return Description.createSuiteDescription(test); }
            public void run(RunNotifier notifier) {
                for (String name : new String[] {"wrong", "right"}) {
                    Description each = Description.createTestDescription(test, name);
                    notifier.fireTestStarted(each);
                    if (name.equals("wrong")) {
                        notifier.fireTestFailure(new Failure(each, new AssertionError("wrong")));
                    }
                    notifier.fireTestFinished(each);
                }
            }
        }
    """
    source = """
        package shop;
        @org.junit.runner.RunWith(Own.class)
        public class OwnTest { public void right() { } public void wrong() { } }
    """
    project = library_of("junit4")
    assert project.run(source, "right", more=[runner]).status == "passed"
    assert project.run(source, "wrong", more=[runner]).status == "failed"
