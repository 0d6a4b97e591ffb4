"""Which class runs the tests of an abstract one."""

from __future__ import annotations

from pathlib import Path

import pytest

from testmark.source.java import read_java
from testmark.testevo.inherited import running_class

BASE = "package a; public abstract class BaseTest { @Test public void one() {} public abstract static class Inner {} }"
HEIRS = {
    "a/BaseTest.java": BASE,
    "a/ZTest.java": "package a; class ZTest extends BaseTest {}",
    "b/OtherTest.java": "package b; abstract class BaseTest {} class OtherTest extends BaseTest {}",
}


def run_by(folder: Path, files: dict[str, str], name: str = "a.BaseTest", base: str = BASE) -> str:
    for path, text in files.items():
        (folder / "src/test/java" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "src/test/java" / path).write_text(text)
    owner = next(cls for cls in read_java(base).classes if cls.binary_name == name)
    return running_class(folder, "src/test/java", owner)


def test_a_class_that_can_be_made_runs_its_own_tests(tmp_path: Path) -> None:
    base = BASE.replace("public abstract class", "public class")
    assert run_by(tmp_path, {**HEIRS, "a/BaseTest.java": base}, base=base) == "a.BaseTest"


def test_an_abstract_one_is_run_by_what_inherits_it_not_by_one_of_its_name(tmp_path: Path) -> None:
    assert run_by(tmp_path, HEIRS) == "a.ZTest"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("package c; import a.BaseTest; class CTest extends BaseTest {}", "c.CTest"),
        ("package c; import a.*; class CTest extends BaseTest {}", "c.CTest"),
        ("package c; class CTest extends a.BaseTest {}", "c.CTest"),
        ("package c; class Outer { static class CTest extends a.BaseTest {} }", "c.Outer$CTest"),
    ],
)
def test_superclasses_are_found_as_java_finds_them(tmp_path: Path, text: str, name: str) -> None:
    assert run_by(tmp_path, {"a/BaseTest.java": BASE, "c/CTest.java": text}) == name


def test_nested_classes_are_told_apart(tmp_path: Path) -> None:
    files = {"a/BaseTest.java": BASE, "a/InTest.java": "package a; class InTest extends BaseTest.Inner {}"}
    assert run_by(tmp_path, files, "a.BaseTest$Inner") == "a.InTest"
    assert run_by(tmp_path, files) == "a.BaseTest"


def test_abstract_heirs_stand_between(tmp_path: Path) -> None:
    files = {
        "a/BaseTest.java": BASE,
        "a/MiddleTest.java": "package a; abstract class MiddleTest extends BaseTest {}",
        "a/LastTest.java": "package a; class LastTest extends MiddleTest {}",
    }
    assert run_by(tmp_path, files) == "a.LastTest"


def test_a_circle_ends(tmp_path: Path) -> None:
    base = "package a; abstract class BaseTest extends LoopTest {}"
    loop = "package a; abstract class LoopTest extends BaseTest {}"
    assert run_by(tmp_path, {"a/BaseTest.java": base, "a/LoopTest.java": loop}, base=base) == "a.BaseTest"
