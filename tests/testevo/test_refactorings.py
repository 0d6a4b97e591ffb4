"""Which changes of a method are refactoring alone, by RefactoringMiner itself; all that is in doubt is a real change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from testmark.errors import TestmarkError
from testmark.runtimes.maven.refactoring_tool import RefactoringTool
from testmark.sandbox import choose
from testmark.sandbox.roots import ensure_root, load_root
from testmark.source.java import JavaMethod, read_java
from testmark.testevo.candidates import Pair
from testmark.testevo.changes import ChangedMethod, changed
from testmark.testevo.history import History
from testmark.testevo.modules import read_modules
from testmark.testevo.refactored import find_refactored
from testmark.testevo.refactorings import only_refactored
from tests.testevo.repository import Repository

pytestmark = [pytest.mark.slow, pytest.mark.network]


@pytest.fixture(scope="module")
def tool() -> Iterator[RefactoringTool]:
    try:
        tool = RefactoringTool(choose(), ensure_root(load_root("sid-java")))
    except TestmarkError as error:
        pytest.skip(str(error))
    with tool:
        yield tool


def find(texts: Mapping[str, str], name: str) -> tuple[str, JavaMethod | None]:
    for path, text in texts.items():
        for method in read_java(text).methods:
            if method.name == name:
                return path, method
    return "", None


def judged(tool: RefactoringTool, before: Mapping[str, str], after: Mapping[str, str], old: str, new: str) -> str:
    old_path, old_method = find(before, old)
    path, new_method = find(after, new)
    change = ChangedMethod(path or old_path, old_path, "", old_method, new_method)
    return only_refactored(change, tool.detect(before, after), before, after)


def in_class(body: str) -> str:
    return (
        "package p;\nimport java.util.*;\npublic class Shop {\n    private int base = 3;\n"
        f"{body}\n"
        "    int keep(int v) {\n        int w = v * v + 17;\n        return w - base;\n    }\n}\n"
    )


SAME_METHOD = {
    "layout": ("int m(int a) { return a+1; }", "int m(int a) {\n // one more\n return a + 1; }", "layout"),
    "braces": ("int m(int a) { if (a > 1) return a; return 2; }", "int m(int a) { if (a > 1) { return a; } return 2; }", "layout"),
    "access and final": ("int m(int a) { return a + base; }", "public final int m(final int a) { return a + base; }", "layout"),
    "diamond": ("Object m() { return new ArrayList<String>(); }", "Object m() { return new ArrayList<>(); }", "layout"),
    "local": (
        "int m(int a) { int x = a * 2; x += base; return x; }",
        "int m(int a) { int doubled = a * 2; doubled += base; return doubled; }",
        "Rename Variable",
    ),
    "parameter": ("int m(int a) { return a + base; }", "int m(int amount) { return amount + base; }", "Rename Variable"),
    "lambda": ("Runnable m(List<String> l) { return () -> l.forEach(s -> s.trim()); }", "Runnable m(List<String> l) { return () -> l.forEach(t -> t.trim()); }", "Rename Variable"),
    "extracted variable": (
        "int m(int a) { return Math.max(a * 3, 7) + keep(a + base) + 100; }",
        "int m(int a) { int kept = keep(a + base); return Math.max(a * 3, 7) + kept + 100; }",
        "Extract Variable",
    ),
    # ----- real changes
    "a number": ("int m(int a) { return a + 1; }", "int m(int a) { return a + 2; }", ""),
    "two names swapped": ("int m(int a, int b) { return a - b; }", "int m(int a, int b) { return b - a; }", ""),
    "parameters swapped": ("int m(int a, int b) { return a - b; }", "int m(int b, int a) { return b - a; }", "Rename Variable"),
    "rename and more": (
        "int m(int a) { int x = a * 2; x += base; return x; }",
        "int m(int a) { int doubled = a * 2; doubled -= base; return doubled; }",
        "",
    ),
    "local shadows a field": (
        "int m(int a) { int x = a * 2; return x + base; }",
        "int m(int a) { int base = a * 2; return base + base; }",
        "",
    ),
    "another method called": ("int m(int a) { return Math.abs(a) + base; }", "int m(int a) { return Math.negateExact(a) + base; }", ""),
    "an annotation": ("int m(int a) { return a; }", "@Deprecated @Special(1) int m(int a) { return a; }", ""),
    "static": ("int m(int a) { return a; }", "static int m(int a) { return a; }", ""),
    "a cast": ("long m(int a) { return a * 2; }", "long m(int a) { return (long) a * 2; }", ""),
    "parentheses": ("int m(int a) { return a + base * 2; }", "int m(int a) { return (a + base) * 2; }", ""),
    "computed once, not twice": (
        "int m(Iterator<Integer> i) { return i.next() * 31 + i.next() + base; }",
        "int m(Iterator<Integer> i) { int n = i.next(); return n * 31 + n + base; }",
        "",
    ),
    "computed always, not sometimes": (
        "boolean m(Iterator<Integer> i) { return base > 100 && i.next() + base > 17; }",
        "boolean m(Iterator<Integer> i) { boolean big = i.next() + base > 17; return base > 100 && big; }",
        "",
    ),
    "precedence of an extracted sum": (
        "int m(int a) { return a + base * 200 + keep(17); }",
        "int m(int a) { int sum = a + base; return sum * 200 + keep(17); }",
        "",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), SAME_METHOD.values(), ids=list(SAME_METHOD))
def test_a_change_of_one_method(tool: RefactoringTool, old: str, new: str, expected: str) -> None:
    before, after = {"src/p/Shop.java": in_class(old)}, {"src/p/Shop.java": in_class(new)}
    assert judged(tool, before, after, "m", "m") == expected


HELPED = """    int total(int a, int count) {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            sum += a * base;
        }
        System.out.println("sum is " + sum);
        System.out.println("base is " + base);
        return sum + 40;
    }"""
EXTRACTED = """    int total(int a, int count) {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            sum += a * base;
        }
        show(sum);
        return sum + 40;
    }
    private void show(int sum) {
        System.out.println("sum is " + sum);
        System.out.println("base is " + base);
    }"""


def test_a_method_taken_out_of_another_explains_both(tool: RefactoringTool) -> None:
    before, after = {"src/p/Shop.java": in_class(HELPED)}, {"src/p/Shop.java": in_class(EXTRACTED)}
    assert judged(tool, before, after, "total", "total") == "Extract Method"
    assert judged(tool, before, after, "show", "show") == "Extract Method"


def test_an_extraction_hides_no_other_change(tool: RefactoringTool) -> None:
    before = {"src/p/Shop.java": in_class(HELPED)}
    elsewhere = {"src/p/Shop.java": in_class(EXTRACTED.replace("sum + 40", "sum + 41"))}
    assert judged(tool, before, elsewhere, "total", "total") == ""
    inside = {"src/p/Shop.java": in_class(EXTRACTED.replace('"base is " + base', '"base is " + (base + 1)'))}
    assert judged(tool, before, inside, "total", "total") == ""
    assert judged(tool, before, inside, "show", "show") == ""


def test_an_extraction_that_returns_or_assigns_is_none(tool: RefactoringTool) -> None:
    before = {"src/p/Shop.java": in_class(HELPED.replace('"sum is " + sum', '"sum is " + ++sum'))}
    after = {"src/p/Shop.java": in_class(EXTRACTED.replace('"sum is " + sum', '"sum is " + ++sum'))}
    assert judged(tool, before, after, "total", "total") == ""
    before = {
        "src/p/Shop.java": in_class(HELPED.replace("total(int a, int count)", "total(int a, int count, int sun)"))
    }
    after = {
        "src/p/Shop.java": in_class(
            EXTRACTED.replace("total(int a, int count)", "total(int a, int count, int sun)").replace(
                "show(sum);", "show(sun);"
            )
        )
    }
    assert judged(tool, before, after, "total", "total") == ""


def test_a_method_put_back_into_another_explains_both(tool: RefactoringTool) -> None:
    before, after = {"src/p/Shop.java": in_class(EXTRACTED)}, {"src/p/Shop.java": in_class(HELPED)}
    assert judged(tool, before, after, "total", "total") == "Inline Method"
    assert judged(tool, before, after, "show", "show") == "Inline Method"


CALLED = "    int price(int a) {\n        int net = a * 7 + base;\n        return net + {name}(net);\n    }\n    int {name}(int net) {\n        return net / 5 + 1;\n    }"


def test_a_renamed_method_explains_itself_and_not_its_callers(tool: RefactoringTool) -> None:
    before = {"src/p/Shop.java": in_class(CALLED.replace("{name}", "tax"))}
    after = {"src/p/Shop.java": in_class(CALLED.replace("{name}", "duty"))}
    assert judged(tool, before, after, "tax", "duty") == "Rename Method"
    assert judged(tool, before, after, "price", "price") == ""
    more = {"src/p/Shop.java": after["src/p/Shop.java"].replace("net / 5", "net / 6")}
    assert judged(tool, before, more, "tax", "duty") == ""


def test_a_test_that_follows_a_renaming_is_updated(tool: RefactoringTool) -> None:
    test = (
        "package p;\nimport org.junit.Test;\npublic class ShopTest {\n    private Shop shop = new Shop();\n"
        "    @Test public void prices() {\n        assertEquals(2, shop.tax(5));\n        assertEquals(3, shop.tax(10));\n"
        "    }\n}\n"
    )
    main, path = "src/main/p/Shop.java", "src/test/p/ShopTest.java"
    before = {main: in_class(CALLED.replace("{name}", "tax")), path: test}
    method = {main: in_class(CALLED.replace("{name}", "duty")), path: test.replace("tax(", "duty(")}
    assert judged(tool, before, method, "prices", "prices") == ""
    field = {main: before[main], path: test.replace("Shop shop", "Shop store").replace("shop.", "store.")}
    assert "Rename Attribute" in {one.kind for one in tool.detect(before, field)}
    assert judged(tool, before, field, "prices", "prices") == ""


def test_a_moved_class_and_a_moved_method(tool: RefactoringTool) -> None:
    old = in_class(CALLED.replace("{name}", "tax"))
    new = old.replace("package p;", "package q;").replace("class Shop", "class Store")
    assert judged(tool, {"src/p/Shop.java": old}, {"src/q/Store.java": new}, "tax", "tax") == "layout"
    changed = new.replace("net / 5", "net / 6")
    assert judged(tool, {"src/p/Shop.java": old}, {"src/q/Store.java": changed}, "tax", "tax") == ""


def test_the_tool_starts_again_after_it_was_closed(tool: RefactoringTool) -> None:
    texts = {"A.java": "class A { int a() { return 1; } }"}
    assert tool.detect(texts, texts) == ()
    tool.close()
    assert tool.detect(texts, texts) == ()


POM = "<project><artifactId>a</artifactId></project>"
TEST_FILE = (
    "package p;\nimport org.junit.Test;\npublic class ShopTest {\n"
    "    @Test public void renamed() {\n        int net = new Shop().tax(5);\n        assert net == 2;\n    }\n"
    "    @Test public void local() {\n        int net = new Shop().price(5);\n        assert net > 2;\n    }\n"
    "    @Test public void grown() {\n        int net = new Shop().price(6);\n        assert net > 2;\n    }\n}\n"
)


def test_what_of_a_pair_is_refactoring(tool: RefactoringTool, tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    shop, test = "src/main/java/p/Shop.java", "src/test/java/p/ShopTest.java"
    before = repository.commit({"pom.xml": POM, shop: in_class(CALLED.replace("{name}", "tax")), test: TEST_FILE})
    new_test = TEST_FILE.replace("tax(", "duty(").replace(
        "int net = new Shop().price(5)", "int due = new Shop().price(5)"
    )
    new_test = new_test.replace("net > 2", "due > 2", 1).replace("net > 2", "net > 3")
    after = repository.commit({shop: in_class(CALLED.replace("{name}", "duty")), test: new_test})
    history, modules = History(tmp_path), read_modules({"pom.xml": POM})
    changes = changed(history, before, after, modules, modules)
    found = find_refactored(tool, history, Pair(before, after, "commit"), changes)
    # A test that must follow a renaming is an update; one whose own variable is renamed is not.
    assert found.tests == {(test, "p.ShopTest#local()"): "Rename Variable"}
    assert set(found.production.values()) == {"Rename Method"}
    assert (shop, "p.Shop#duty(int)") in found.production
    assert (shop, "p.Shop#price(int)") not in found.production
