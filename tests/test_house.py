"""The house keeps its order: rooms depend downwards, modules stay small, no host is named where it must not be."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent
PACKAGE = TOP / "src" / "testmark"
ROOMS = [
    "errors",
    "intervals",
    "records",
    "source",
    "mutants",
    "sandbox",
    "projects",
    "runtimes",
    "engine",
    "agents",
    "reports",
    "req2test",
    "cli",
]
"""A room may import only rooms that stand before it; `testmark` itself holds the version."""
LONG_MODULES: dict[str, str] = {}
"""Modules that may pass 400 lines, and why."""
LINES = 400


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def room_of(dotted: str) -> str:
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else ""


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Line and dotted name of every import of testmark's own, inside functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "testmark":
                    yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: write absolute imports"
            if node.module == "testmark":
                for alias in node.names:
                    yield node.lineno, f"testmark.{alias.name}"
            elif (node.module or "").startswith("testmark."):
                yield node.lineno, node.module or ""


def violations(rooms: list[str], own: str, names: Iterator[tuple[int, str]]) -> list[str]:
    place = rooms.index(own)
    found = []
    for line, name in names:
        other = room_of(name)
        if other in rooms and rooms.index(other) > place:
            found.append(f"line {line}: {own} imports {name}, which stands below it")
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_rooms_depend_downwards_only(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if own in {"__init__", "evaluate"}:
        return
    assert own in ROOMS, f"{own} has no place in the order of rooms"
    assert violations(ROOMS, own, imported(path)) == []


def test_an_upward_import_is_found() -> None:
    assert violations(ROOMS, "records", iter([(3, "testmark.cli.req2test")])) != []


def test_every_room_is_a_folder_or_a_module() -> None:
    for room in ROOMS:
        assert (PACKAGE / room).is_dir() or (PACKAGE / f"{room}.py").is_file(), room


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_modules_stay_small(path: Path) -> None:
    name = path.relative_to(PACKAGE).as_posix()
    count = len(path.read_text(encoding="utf-8").splitlines())
    assert count <= LINES or name in LONG_MODULES, f"{name} has {count} lines"


def test_no_file_names_a_package_index_or_a_path_of_a_machine() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, capture_output=True, check=True).stdout
    hosts = re.compile(
        r"pypi\.org|pythonhosted|deb\.debian\.org|repo1?\.maven|registry\.npmjs|proxy\.golang|crates\.io"
    )
    own = Path(__file__).resolve()
    found = []
    for name in listed.decode().split("\0"):
        path = TOP / name
        if not name or path.resolve() == own or not path.is_file():
            continue
        text = path.read_bytes().decode("utf-8", "ignore")
        found += [f"{name}: {match.group()}" for match in hosts.finditer(text)]
    assert found == []
