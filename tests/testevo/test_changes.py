"""What a pair of revisions changed, by syntax tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from testmark.source.java import read_java
from testmark.testevo.changes import PairChanges, changed, is_test_method
from testmark.testevo.history import History
from testmark.testevo.modules import read_modules
from tests.testevo.repository import Repository

POM = "<project><artifactId>a</artifactId></project>"
MAIN = "src/main/java/p/Calc.java"
TEST = "src/test/java/p/CalcTest.java"
CALC = "package p;\nclass Calc {\n  int add(int a, int b) { return a + b; }\n  int same() { return 1; }\n}\n"
CALC_TEST = (
    "package p;\nimport org.junit.Test;\npublic class CalcTest {\n"
    "  @Test public void adds() { assert new Calc().add(1, 1) == 2; }\n"
    "  @Test public void stays() { }\n  int helper() { return 1; }\n}\n"
)


def compare(tmp_path: Path, old: dict, new: dict) -> PairChanges:
    repository = Repository(tmp_path)
    before = repository.commit({"pom.xml": POM, **old})
    after = repository.commit(new)
    history = History(tmp_path)
    modules = read_modules({"pom.xml": POM})
    return changed(history, before, after, modules, modules)


def names(found) -> list[str]:
    return [f"{one.method.key}{'' if one.old else ' new'}{'' if one.new else ' gone'}" for one in found]


def test_only_methods_whose_code_differs_are_changed(tmp_path: Path) -> None:
    new = {
        MAIN: CALC.replace("a + b", "b + a").replace("return 1;", "// said\n return 1;"),
        TEST: CALC_TEST.replace("== 2", "== 3").replace("helper", "other") + "// end\n",
        "README.md": "x",
    }
    found = compare(tmp_path, {MAIN: CALC, TEST: CALC_TEST}, new)
    assert names(found.production) == ["p.Calc#add(int,int)"]
    assert names(found.tests) == ["p.CalcTest#adds()"]
    assert names(found.test_code) == ["p.CalcTest#other() new", "p.CalcTest#helper() gone"]


def test_a_renamed_class_has_no_new_methods(tmp_path: Path) -> None:
    moved = "src/test/java/q/SumTest.java"
    filled = CALC_TEST + "".join(f"// line {number}\n" for number in range(20))
    text = filled.replace("CalcTest", "SumTest").replace("package p", "package q").replace("== 2", "== 4")
    found = compare(tmp_path, {TEST: filled}, {TEST: None, moved: text})
    (test,) = found.tests
    assert (test.path, test.old_path, test.old.key, test.new.key) == (
        moved,
        TEST,
        "p.CalcTest#adds()",
        "q.SumTest#adds()",
    )


def test_classes_at_the_top_of_one_file_are_told_apart(tmp_path: Path) -> None:
    two = CALC + "class Node { int add(int a, int b) { return a + b; } }\n"
    found = compare(tmp_path, {MAIN: two}, {MAIN: two.replace("a + b", "b + a", 1)})
    assert names(found.production) == ["p.Calc#add(int,int)"]
    found = compare(tmp_path / "last", {MAIN: two}, {MAIN: "b + a".join(two.rsplit("a + b", 1))})
    assert names(found.production) == ["p.Node#add(int,int)"]


def test_a_test_that_is_gone_is_no_task(tmp_path: Path) -> None:
    assert compare(tmp_path, {TEST: CALC_TEST}, {TEST: None}).tests == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class T { @Test void a() {} @ParameterizedTest void b(int x) {} @BeforeEach void c() {} }", "ab"),
        ("class T { @org.junit.jupiter.api.RepeatedTest(3) void a() {} @TestFactory Object b() { return 1; } }", "ab"),
        (
            "class T extends junit.framework.TestCase { public void testA() {} public void b() {} void testC() {} }",
            "testA",
        ),
        ("class T extends MyTestCase { public void testA() {} public void testB(int x) {} }", "testA"),
        ("class T { public void testA() {} }", ""),
        (
            "import org.testng.annotations.Test; @Test class T { public void a() {} void b() {} static public void c() {} }",
            "a",
        ),
        (
            "import org.testng.annotations.*; @Test class T { public void a() {} @BeforeMethod public void b() {} @DataProvider public Object[][] c() { return null; } public int d() { return 1; } }",
            "a",
        ),
        ("import org.junit.jupiter.api.Test; @Test class T { public void a() {} }", ""),
        ("abstract class T { @Test abstract void a(); class N { @Test void b() {} } }", "b"),
    ],
)
def test_what_a_test_method_is(text: str, expected: str) -> None:
    file = read_java(text)
    assert "".join(m.name for m in file.methods if is_test_method(m, file)) == expected
