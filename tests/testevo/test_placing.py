"""A test file on a revision that it was not written for: other members go, the method itself must compile."""

from __future__ import annotations

from pathlib import Path

import pytest

from testmark.records.base import FileText
from testmark.records.builds import BuiltModule, SurefireSettings
from testmark.runtimes.maven.protocol import Compiled, CompileRequest
from testmark.source.java import read_java
from testmark.source.members import innermost, members, without
from testmark.testevo.placing import NotPlaced, Placed, place

TEXT = """package a;

import b.Gone;
import org.junit.Test;

public class ATest {
    private final Helper helper = new Helper();

    @Test
    public void first() {
        helper.first();
    }

    @Test
    public void second() {
        new Gone().second();
    }

    private static int helped() {
        return Gone.VALUE;
    }
}
"""
MODULE = BuiltModule(
    path="", artifact="a", main_root="src/main/java", test_root="src/test/java", classes="target/classes",
    test_classes="target/test-classes", classpath=("/m2/junit.jar",), frameworks=("junit4",), compiler=(),
    surefire=SurefireSettings(version="3", arg_line=(), system_properties={}, environment={}, working_directory="",
                              cold_reasons=()), processors=(),
)  # fmt: skip


class Javac:
    """Finds `Gone` missing wherever the text still says so, as javac would; everything else compiles."""

    def __init__(self, word: str = "Gone") -> None:
        self.word = word

    def compile(self, request: CompileRequest) -> Compiled:
        (file,) = request.sources
        errors = tuple(
            f"{file.path}:{number}: cannot find symbol"
            for number, line in enumerate(file.content.split("\n"), 1)
            if self.word in line
        )
        return Compiled({} if errors else {"a.ATest": b""}, errors)


def method(name: str):
    return next(one for one in read_java(TEXT).methods if one.name == name)


def placed(tmp_path: Path, name: str, word: str = "Gone") -> Placed | NotPlaced:
    file = FileText(path="src/test/java/a/ATest.java", content=TEXT)
    return place(Javac(word), tmp_path, MODULE, file, [method(name)])  # type: ignore[arg-type]


def test_members_that_do_not_compile_are_left_out_and_lines_stay(tmp_path: Path) -> None:
    found = placed(tmp_path, "first")
    assert isinstance(found, Placed)
    assert "Gone" not in found.file.content
    assert found.file.content.count("\n") == TEXT.count("\n")
    assert found.file.content.split("\n")[10] == TEXT.split("\n")[10]
    assert len(found.left_out) == 3


def test_the_method_itself_must_compile(tmp_path: Path) -> None:
    found = placed(tmp_path, "second")
    assert isinstance(found, NotPlaced)
    assert found.error.startswith("src/test/java/a/ATest.java:3:")


def test_an_error_outside_of_any_member_cannot_be_left_out(tmp_path: Path) -> None:
    assert isinstance(placed(tmp_path, "first", "package a"), NotPlaced)


def test_classes_that_the_revision_has_of_the_file_and_this_version_has_not_are_removed(tmp_path: Path) -> None:
    source = tmp_path / "src/test/java/a/ATest.java"
    source.parent.mkdir(parents=True)
    source.write_text("package a; class ATest { class Inner {} } class Second {}")
    classes = tmp_path / "target/test-classes/a"
    classes.mkdir(parents=True)
    for name in ("ATest", "ATest$Inner", "ATest$1", "Second", "Other"):
        (classes / f"{name}.class").touch()
    found = placed(tmp_path, "first")
    assert isinstance(found, Placed)
    assert found.removed == ("a.ATest$1", "a.ATest$Inner", "a.Second")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (3, "import b.Gone;"),
        (7, "private final Helper helper = new Helper();"),
        (11, "@Test\n    public void first() {\n        helper.first();\n    }"),
        (6, None),
    ],
)
def test_the_innermost_member_holds_a_line(line: int, text: str | None) -> None:
    found = innermost(members(TEXT), line)
    if text is None:
        assert found is not None
        assert TEXT.encode()[found.start : found.end].decode().startswith("public class ATest")
        return
    assert found is not None
    assert TEXT.encode()[found.start : found.end].decode() == text
    assert text not in without(TEXT, [found])
