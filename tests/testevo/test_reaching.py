"""What of a test file one of its tests can reach."""

from __future__ import annotations

import pytest

from testmark.source.java import read_java
from testmark.testevo.reaching import reachable

HEAD = "package a;\nimport org.junit.Test;\npublic class ATest {\n"
TARGET = "  @Test public void wanted() { assert help(1) == 1; }\n  private int help(int x) { return x; }\n"
OTHER = "  @Test public void other() { System.exit(0); }\n"
FILE = HEAD + TARGET + OTHER + "  private void unused(int x) { new Thread(); }\n}\n"


def reached(text: str) -> str | None:
    (method,) = [one for one in read_java(text).methods if one.name == "wanted"]
    return reachable(text, method)


def test_other_tests_and_helpers_that_nobody_names_are_blank_and_lines_stay() -> None:
    text = reached(FILE)
    assert text is not None
    assert "exit" not in text
    assert "Thread" not in text
    assert TARGET in text
    assert text.count("\n") == FILE.count("\n")


def test_helpers_of_helpers_go_with_them() -> None:
    chain = "  private void one(int x) { two(x); }\n  private void two(int x) { new Thread(); }\n"
    text = reached(HEAD + TARGET + OTHER.replace("System.exit(0)", "one(1)") + chain + "}\n")
    assert text is not None
    assert "Thread" not in text


@pytest.mark.parametrize(
    "member",
    [
        "  static { new Thread(); }\n",
        "  Thread thread = new Thread();\n",
        "  ATest() { new Thread(); }\n",
        "  @Before public void begin() { new Thread(); }\n",
        "  @Test @Before public void begin() { new Thread(); }\n",
        "  public void open(int x) { new Thread(); }\n",
        "  private void get() { new Thread(); }\n",
        "  private void readObject(java.io.ObjectInputStream in) { new Thread(); }\n",
        "  @Test int asked() { new Thread(); return 1; }\n",
        '  String name = "hidden";\n  private void hidden(int x) { new Thread(); }\n',
        "  class Inner { { new Thread(); } }\n",
    ],
)
def test_what_may_run_all_the_same_stays(member: str) -> None:
    text = reached(HEAD + TARGET + member + OTHER + "}\n")
    assert text is not None
    assert "Thread" in text
    assert "exit" not in text


def test_what_shares_a_line_with_another_test_stays() -> None:
    text = reached(HEAD + TARGET + OTHER.rstrip("\n") + " static { new Thread(); }\n}\n")
    assert text is not None
    assert "Thread" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("public class ATest {", "public class ATest extends junit.framework.TestCase {"),
        ("public class ATest {", "@RunWith(Mine.class) public class ATest {"),
        ("public class ATest {", "@ExtendWith(Mine.class) public class ATest {"),
        ("@Test public void wanted", '@MethodSource("un" + "used") @Test public void wanted'),
        ("@Test public void wanted", '@Test(dependsOnMethods = "other") public void wanted'),
        ("@Test public void wanted", '@org.junit.jupiter.api.condition.EnabledIf("x") @Test public void wanted'),
        ("return x;", 'return "\\u0075nused".length();'),
        ("return x;", "return x"),
        ("public class ATest {", "@interface Mine { } public class ATest {"),
    ],
)
def test_where_methods_may_be_called_by_name_all_counts(old: str, new: str) -> None:
    assert old in FILE
    assert reached(FILE.replace(old, new)) is None
