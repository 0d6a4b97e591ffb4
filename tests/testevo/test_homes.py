"""Which module a file belongs to, and which module of the other revision is the same one."""

from __future__ import annotations

from pathlib import Path

import pytest

from testmark.records.builds import is_below
from testmark.testevo.executed import Sources
from testmark.testevo.homes import counterpart, module_of_code, module_of_test
from tests.testevo.test_placing import MODULE


def module(path: str, artifact: str, main: str = "src/main/java", test: str = "src/test/java"):
    before = f"{path}/" if path else ""
    roots = {"main_root": f"{before}{main}".rstrip("/"), "test_root": f"{before}{test}".rstrip("/")}
    return MODULE.model_copy(update={"path": path, "artifact": artifact, **roots})


@pytest.mark.parametrize(
    ("path", "root", "below"),
    [("a/B.java", "a", True), ("ab/B.java", "a", False), ("B.java", "", True), ("B.java", ".", True)],
)
def test_the_repository_itself_holds_every_file(path: str, root: str, below: bool) -> None:
    assert is_below(path, root) is below


def test_code_in_the_root_of_a_repository_is_its_modules() -> None:
    root, nested = module("", "root", main="", test="test"), module("core", "core")
    assert module_of_code([root, nested], "a/B.java") is root
    assert module_of_code([root, nested], "core/src/main/java/a/B.java") is nested
    assert module_of_test([root, nested], "other/a/BTest.java") is None


def test_a_module_is_found_by_its_old_place_then_by_its_folder_then_by_its_name() -> None:
    new = module("engine", "shop-core")
    moved, same = module("core", "shop-core"), module("engine", "shop-engine")
    assert counterpart([moved, same], new, "core/src/test/java/a/ATest.java") is moved
    assert counterpart([moved, same], new, "") is same
    assert counterpart([moved], new, "") is moved
    assert counterpart([module("web", "web")], new, "") is None


@pytest.mark.parametrize(("root", "path"), [("", "a/B.java"), ("src", "src/a/B.java")])
def test_sources_are_found_below_any_root(tmp_path: Path, root: str, path: str) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text("package a;\nclass B { }\n")
    assert [place for place, _ in Sources(tmp_path, [root]).find("a", "B.java")] == [path]
