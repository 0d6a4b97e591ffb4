"""Compilations, digests and coverage in the JVM."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from testmark.records.base import FileText
from testmark.runtimes.maven.protocol import CompileRequest
from tests.support.javas import PRICES, JavaProject

pytestmark = pytest.mark.network

Libraries = Callable[[str], JavaProject]
TEST = """
    package shop;
    import org.junit.*;
    public class PricesTest {
        @Test public void right() { Assert.assertEquals(6, Prices.total(2, 3)); }
    }
"""


def compiled(project: JavaProject, text: str, *options: str) -> tuple[list[str], tuple[str, ...]]:
    done = project.worker.compile(
        CompileRequest((FileText(path="src/a/Thing.java", content=text),), ("/work/target/classes",), options)
    )
    return sorted(done.classes), done.errors


def test_all_classes_of_a_source_come_back(library_of: Libraries) -> None:
    text = "package a; class Thing { class Inner { } Runnable run() { return new Runnable() { public void run() { } }; } } class Other { }"
    assert compiled(library_of("junit4"), text) == (["a.Other", "a.Thing", "a.Thing$1", "a.Thing$Inner"], ())


def test_errors_name_path_and_line(library_of: Libraries) -> None:
    classes, errors = compiled(library_of("junit4"), "package a;\nclass Thing {\n  int x = y;\n  int z = 1\n}\n")
    assert classes == []
    assert errors[0].startswith("src/a/Thing.java:4: ")
    _, errors = compiled(library_of("junit4"), "package a;\nclass Thing {\n  int x = shop.Prices.total(1);\n}\n")
    assert errors[0].startswith("src/a/Thing.java:3: ")


@pytest.mark.parametrize(
    "options", [("--release", "8"), ("-source", "8", "-target", "8"), ("-encoding", "UTF-8", "-g")]
)
def test_options_of_builds(library_of: Libraries, options: tuple[str, ...]) -> None:
    assert compiled(library_of("junit4"), "package a; class Thing { Runnable r = () -> { }; }", *options) == (
        ["a.Thing"],
        (),
    )
    if "8" in options:
        _, errors = compiled(library_of("junit4"), "package a; class Thing { void f() { var x = 1; } }", *options)
        assert errors


def test_unknown_options_are_an_error_and_no_crash(library_of: Libraries) -> None:
    assert compiled(library_of("junit4"), "package a; class Thing { }", "--no-such")[1] != ()


def test_digests_see_code_and_not_lines(library_of: Libraries) -> None:
    project = library_of("junit4")
    plain = project.compiled(PRICES)
    moved = project.compiled(PRICES.replace("package shop;", "package shop;\n\n\n"))
    other = project.compiled(PRICES.replace("count < 0", "count <= 0"))
    first, second, third = project.worker.digests([plain, moved, other])
    assert first == second != third


def test_a_mutant_replaces_the_class_of_the_tree(library_of: Libraries) -> None:
    project = library_of("junit4")
    mutant = project.compiled(PRICES.replace("count * price", "count + price"))
    assert project.run(TEST, "right").status == "passed"
    assert project.run(TEST, "right", changed=mutant).status == "failed"
    assert project.run(TEST, "right").status == "passed"


def test_covered_lines_are_those_that_ran(library_of: Libraries) -> None:
    run = library_of("junit4").run(TEST, "right", measure=True)
    assert run.status == "passed"
    found = {method.name: (method.lines, method.covered) for method in run.coverage}
    assert found == {"<init>": ((3,), ()), "total": ((5, 6, 8), (5, 8)), "unused": ((11,), ())}
    assert {(method.owner, method.source) for method in run.coverage} == {("shop.Prices", "Prices.java")}


def test_coverage_of_a_mutant_is_of_its_own_code(library_of: Libraries) -> None:
    project = library_of("junit4")
    mutant = project.compiled(PRICES.replace("if (count < 0)", "if (count > 0)"))
    run = project.run(TEST, "right", changed=mutant, measure=True)
    assert run.status == "failed"
    assert {method.name: method.covered for method in run.coverage}["total"] == (5, 6)


def test_a_static_initialiser_runs_anew_for_each_mutant(library_of: Libraries) -> None:
    # pitest 353: a mutated method that only a static initialiser calls, in a loader that has run it already.
    project = library_of("junit4")
    table = (
        "package shop; public class Table { public static final int TWO = make(); static int make() { return 1 + 1; } }"
    )
    test = """
        package shop;
        import org.junit.*;
        public class TableTest { @Test public void two() { int two = Table.TWO; Assert.assertEquals(2, two); } }
    """
    original = project.compiled(table)
    mutant = project.compiled(table.replace("1 + 1", "1 - 1"))
    project.base = {**project.base, **original}
    assert project.run(test, "two", changed=original).status == "passed"
    assert project.run(test, "two", changed=mutant).status == "failed"
    assert project.run(test, "two", changed=original).status == "passed"


@pytest.mark.parametrize("name", ["ThingTest$adds two numbers$1", "Größe", "a%20b", "x#y?z"])
def test_classes_of_other_languages_beside_a_source_may_have_any_name(name: str, library_of: Libraries) -> None:
    # A Kotlin test `adds two numbers` compiles to such classes in a package of Java tests.
    project = library_of("junit4")
    text = FileText(
        path="src/a b/Größe/Thing.java", content="package shop; class Thing { int x = Prices.total(1, 2); }"
    )
    beside = {f"shop.{name}": project.compiled(PRICES)["shop.Prices"]}
    done = project.worker.compile(CompileRequest((text,), ("/work/target/classes",), (), beside))
    assert (sorted(done.classes), done.errors) == (["shop.Thing"], ())
    broken = FileText(path=text.path.replace(" ", "%20 "), content="package a;\nclass Thing { int x = y; }")
    (error,) = project.worker.compile(CompileRequest((broken,), (), ())).errors
    assert error.startswith(f"{broken.path}:2: cannot find symbol")
