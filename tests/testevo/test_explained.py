"""Which changes RefactoringMiner's places explain line by line."""

from __future__ import annotations

import pytest

from testmark.runtimes.maven.refactoring_tool import Place, Refactoring
from testmark.source.java import JavaMethod, read_java
from testmark.testevo.changes import ChangedMethod
from testmark.testevo.explained import explained_by_lines

PATH = "A.java"
OLD = """class A {
    void m() {
        String code = read();
        use(code);
        done();
    }
}
"""
NEW = OLD.replace("code", "text").replace("use(text)", "useAll(text, 1)")


def place(line: int, end_line: int, kind: str = "") -> Place:
    return Place(path=PATH, line=line, column=1, end_line=end_line, end_column=1, type=kind, element="", role="")


def refactoring(kind: str, old: tuple[Place, ...], new: tuple[Place, ...], *, pure: bool | None = None) -> Refactoring:
    return Refactoring(kind=kind, description="", old=old, new=new, pure=pure)


def rename(*lines: int) -> Refactoring:
    places = tuple(place(line, line) for line in lines)
    return refactoring("Rename Variable", places, places)


def method(text: str) -> JavaMethod | None:
    return next((one for one in read_java(text).methods if one.name == "m"), None)


def explained(old: str, new: str, *refactorings: Refactoring) -> str:
    change = ChangedMethod(PATH, PATH, "", method(old), method(new))
    return explained_by_lines(change, refactorings, {PATH: old}, {PATH: new})


def test_a_line_that_is_refactored_is_explained_whatever_else_changed_in_it() -> None:
    assert explained(OLD, NEW, rename(3, 4)) == "Rename Variable"


def test_one_line_that_nothing_names_is_a_change() -> None:
    assert explained(OLD, NEW, rename(3)) == ""
    assert explained(OLD, NEW.replace("done()", "done(2)"), rename(3, 4)) == ""
    assert explained(OLD, NEW) == ""


def test_both_sides_have_to_be_explained() -> None:
    one_sided = refactoring("Extract Method", (place(2, 6),), ())
    assert explained(OLD, NEW, one_sided) == ""
    assert explained(OLD, NEW, one_sided, rename(3, 4)) == "Extract Method, Rename Variable"


def test_layout_and_comments_are_no_change() -> None:
    moved = NEW.replace("        done();", "            // all of it\n\n    done();")
    assert explained(OLD, moved, rename(3, 4)) == "Rename Variable"


def test_a_method_that_is_new_or_gone_is_never_explained() -> None:
    everything = refactoring("Rename Method", (place(1, 9),), (place(1, 9),))
    empty = "class A {\n}\n"
    assert explained(empty, NEW, everything) == ""
    assert explained(OLD, empty, everything) == ""
    assert explained(OLD, OLD, everything) == ""


@pytest.mark.parametrize(("pure", "kinds"), [(True, "Extract Method"), (False, ""), (None, "")])
def test_a_whole_method_is_explained_when_nothing_else_happened_in_it(pure: bool | None, kinds: str) -> None:
    whole = (place(2, 6, "METHOD_DECLARATION"),)
    assert explained(OLD, NEW, refactoring("Extract Method", whole, whole, pure=pure)) == kinds


@pytest.mark.parametrize("kind", ["Add Method Modifier", "Rename Class"])
def test_the_place_of_a_change_does_not_explain_it(kind: str) -> None:
    whole = (place(2, 6, "TYPE_DECLARATION"),)
    assert explained(OLD, NEW, refactoring(kind, whole, whole, pure=True)) == ""


def test_who_follows_another_type_is_updated() -> None:
    places = (place(3, 4),)
    assert explained(OLD, NEW, refactoring("Change Variable Type", places, places)) == ""
