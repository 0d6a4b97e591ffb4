"""The house keeps its order: rooms depend downwards, modules stay small, no host is named where it must not be."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent
PACKAGE = TOP / "src" / "testmark"
CHILD = PACKAGE / "runtimes" / "behave" / "child"
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
    "leaks",
    "agents",
    "reports",
    "req2test",
    "testevo",
    "api",
    "cli",
]
"""A room may import only itself and rooms that stand before it; what stands in `testmark` itself is the public face."""
LEAVES = {"errors", "intervals"}
"""Modules that import nothing of testmark at all."""
LINES = 400
LONG_MODULES: dict[str, str] = {}
"""Modules that may pass `LINES`, by path below the package, and why."""
INSIDE = [*sorted(CHILD.glob("*.py")), PACKAGE / "mutants" / "digest.py", PACKAGE / "source" / "encoding.py"]
"""What runs in a project's own interpreter; the last is mounted beside the others."""
OLDEST_INSIDE = (3, 9)
"""The oldest Python in which these run."""

# Put together here, so that this file does not name them either.
HOSTS = [
    ("pypi", "org"),
    ("pythonhosted", "org"),
    ("deb", "debian", "org"),
    ("security", "debian", "org"),
    ("snapshot", "debian", "org"),
    ("repo1", "maven"),
    ("repo", "maven"),
    ("registry", "npmjs"),
    ("proxy", "golang"),
    ("rubygems", "org"),
    ("packagist", "org"),
    ("crates", "io"),
]
FOLDERS = [("", "root", ".pyenv"), ("", "root", ".cache"), ("", "work", "main"), ("", "work", "shared")]


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def room_of(dotted: str) -> str:
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else ""


def imported(source: str) -> Iterator[tuple[int, str]]:
    """Line and dotted name of every import of testmark's own, inside functions too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "testmark":
                    yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: write absolute imports"
            if node.module == "testmark":
                for alias in node.names:
                    yield node.lineno, f"testmark.{alias.name}"
            elif (node.module or "").startswith("testmark."):
                yield node.lineno, node.module or ""


def violations(own: str, source: str) -> list[str]:
    """What a module of room `own` imports and must not; the package itself (for its version) is everybody's."""
    allowed = {own} if own in LEAVES else {*ROOMS[: ROOMS.index(own) + 1]}
    return [
        f"line {line}: {own} imports {name}, which does not stand before it"
        for line, name in imported(source)
        if name not in {"testmark", "testmark.__version__"} and room_of(name) not in allowed
    ]


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_rooms_depend_downwards_only(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if own in {"__init__", "__main__"}:
        return
    assert own in ROOMS, f"{own} has no place in the order of rooms"
    assert violations(own, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("own", "source"),
    [
        ("records", "import testmark.cli.req2test"),
        ("records", "from testmark import engine"),
        ("runtimes", "def late():\n    from testmark.req2test.judge import judge\n"),
        ("reports", "if True:\n    import testmark.req2test as judging, json"),
        ("intervals", "from testmark.errors import UserError"),
        ("source", "from testmark.unheard_of import thing"),
    ],
)
def test_an_upward_import_is_found(own: str, source: str) -> None:
    assert len(violations(own, source)) == 1


@pytest.mark.parametrize(
    ("own", "source"),
    [
        ("cli", "from testmark import __version__"),
        ("req2test", "from testmark.engine.pool import Pool\nfrom testmark.errors import UserError"),
        ("records", "from testmark.records.base import Record\nimport json"),
    ],
)
def test_a_downward_import_is_allowed(own: str, source: str) -> None:
    assert violations(own, source) == []


def test_every_room_is_a_folder_or_a_module() -> None:
    for room in ROOMS:
        assert (PACKAGE / room).is_dir() or (PACKAGE / f"{room}.py").is_file(), room


def length(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_modules_stay_small(path: Path) -> None:
    assert length(path) <= LINES or name_of(path) in LONG_MODULES, f"{name_of(path)} has {length(path)} lines"


def test_the_list_of_long_modules_holds_no_other() -> None:
    assert [name for name in LONG_MODULES if length(PACKAGE / name) <= LINES] == []


@pytest.mark.parametrize("path", INSIDE, ids=lambda path: path.name)
def test_what_runs_inside_a_project_needs_the_oldest_python_and_behave_only(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=OLDEST_INSIDE)
    names = set()
    for node in ast.walk(tree):
        assert not isinstance(node, ast.Match), f"line {node.lineno}: match came after Python 3.9"
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: these modules know each other by bare name"
            names.add((node.module or "").split(".")[0])
    siblings = {other.stem for other in INSIDE}
    assert names - siblings - {"behave"} <= sys.stdlib_module_names


def named_places(text: str) -> list[str]:
    words = [r"\.".join(host) for host in HOSTS] + [r"/".join(folder) + r"\b" for folder in FOLDERS]
    return [match.group() for match in re.finditer("|".join(words), text, re.IGNORECASE)]


def test_no_file_names_a_package_index_or_a_folder_of_a_machine() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, capture_output=True, check=True).stdout.decode()
    files = [TOP / name for name in listed.split("\0") if name and (TOP / name).is_file()]
    assert TOP / "pyproject.toml" in files
    found = {
        path.relative_to(TOP).as_posix(): named_places(path.read_bytes().decode("utf-8", "ignore")) for path in files
    }
    assert {name: places for name, places in found.items() if places} == {}


@pytest.mark.parametrize("parts", HOSTS)
def test_a_named_host_is_found(parts: tuple[str, ...]) -> None:
    assert named_places("see https://" + ".".join(parts) + "/simple") == [".".join(parts)]


@pytest.mark.xdist_group("house")
def test_a_group_of_tests_stays_in_one_process(request: pytest.FixtureRequest) -> None:
    """pytest-xdist marks the tests of a group by their name's end; where it no longer does, set-ups run many times."""
    assert request.node.nodeid.endswith("@house") == ("PYTEST_XDIST_WORKER" in os.environ)
