"""Where the features and the tests of a project are, found by looking.

Only files that would be part of the snapshot are looked at, so nothing in virtual environments or build folders
misleads.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from testmark.projects.metadata import ini_list, read_ini, read_toml, string_list

_SHOWN = frozenset(
    {
        "docs",
        "doc",
        "documentation",
        "examples",
        "example",
        "samples",
        "sample",
        "demo",
        "demos",
        "tutorial",
        "tutorials",
        "vendor",
    }
)
"""Folders whose features show something to readers and test nothing of the project; `{{` is a template's."""
NOT_PRODUCTION = _SHOWN | frozenset(
    {
        "tests",
        "test",
        "testing",
        "spec",
        "specs",
        "features",
        "feature",
        "acceptance",
        "acceptance_tests",
        "functional_tests",
        "integration_tests",
        "unit_tests",
        "e2e",
        "bdd",
        "scripts",
        "tools",
        "bin",
        "benchmarks",
        "benchmark",
        "bench",
        "ci",
        "etc",
        "tasks",
        "build",
        "dist",
        "typings",
        "stubs",
        "typestubs",
        "contrib",
        "notebooks",
        "steps",
        "misc",
        "ref",
        "lab",
        "spike",
    }
)
_TEST_NAME = re.compile(r"tests?_.*|.*_tests?|_.*")


def is_production_name(name: str) -> bool:
    """False for folders and modules that by their names hold tests, docs, examples or tools."""
    lowered = name.lower()
    return lowered not in NOT_PRODUCTION and _TEST_NAME.fullmatch(lowered) is None


@dataclass
class BehaveConfig:
    """What the project tells behave in its configuration files."""

    file: str = ""
    paths: list[str] = field(default_factory=list)
    stage: str = ""
    tags: list[str] = field(default_factory=list)
    userdata: dict[str, str] = field(default_factory=dict)


@dataclass
class Suite:
    """One folder that behave takes for its base: it holds `steps` or `environment.py`."""

    base: str
    """Relative to the project; `.` is the project itself."""
    features: list[str] = field(default_factory=list)


def read_behave_config(root: Path) -> BehaveConfig:
    """The first of behave's configuration files that says anything."""
    for name in ("behave.ini", ".behaverc", "setup.cfg", "tox.ini"):
        sections = read_ini(root / name)
        if "behave" in sections or "behave.userdata" in sections:
            table = sections.get("behave", {})
            tags = ini_list(table.get("default_tags") or table.get("tags") or "")
            paths = [path for line in ini_list(table.get("paths", "")) for path in line.split()]
            return BehaveConfig(name, paths, table.get("stage", ""), tags, dict(sections.get("behave.userdata", {})))
    table = read_toml(root / "pyproject.toml").get("tool", {}).get("behave", {})
    if not table:
        return BehaveConfig()
    tags = table.get("default_tags") or table.get("tags") or []
    return BehaveConfig(
        "pyproject.toml",
        string_list(table.get("paths")),
        str(table.get("stage", "")),
        string_list(tags),
        {key: str(value) for key, value in table.get("userdata", {}).items()},
    )


def find_suites(files: Iterable[str], stage: str) -> tuple[list[Suite], list[str]]:
    """The behave bases among the files, the likeliest first, and the features that have none.

    Examples come last; otherwise the more features the better.
    """
    names = {f"{stage}_steps", f"{stage}_environment.py"} if stage else {"steps", "environment.py"}
    files = list(files)
    bases = {".": False}
    for path in files:
        parts = PurePosixPath(path).parts
        if path.endswith(".py"):
            for place, part in enumerate(parts):
                if part in names and (part.endswith(".py")) == (place == len(parts) - 1):
                    bases["/".join(parts[:place]) or "."] = True
    suites: dict[str, Suite] = {}
    lost: list[str] = []
    for path in files:
        if not path.endswith(".feature"):
            continue
        base = next((str(parent) for parent in PurePosixPath(path).parents if bases.get(str(parent))), None)
        if base is None:
            lost.append(path)
        else:
            suites.setdefault(base, Suite(base)).features.append(path)
    return sorted(suites.values(), key=_unlikeliness), lost


def _unlikeliness(suite: Suite) -> tuple[bool, int, bool, str]:
    parts = PurePosixPath(suite.base).parts
    shown = any(part.lower() in _SHOWN or "{{" in part for part in parts)
    return shown, -len(suite.features), parts[-1:] != ("features",), suite.base


def under(path: str, folder: str) -> bool:
    """True when `path` is `folder` or in it."""
    return folder in {".", path} or path.startswith(folder.rstrip("/") + "/")


@dataclass(frozen=True)
class Imports:
    """What a file imports absolutely, as dotted names."""

    everything: frozenset[str] = frozenset()
    required: frozenset[str] = frozenset()
    """Those on the module's top level, outside of `try`, `if` and functions: without them it cannot be imported."""


def read_imports(path: Path) -> Imports:
    """The imports of a file; none when it cannot be parsed."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return Imports()
    return Imports(frozenset(_dotted_names(ast.walk(tree))), frozenset(_dotted_names(tree.body)))


def _dotted_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name != "*")


def top_names(dotted: Iterable[str]) -> set[str]:
    """The top-level modules of dotted names, without the standard library's."""
    return {name.split(".")[0] for name in dotted} - sys.stdlib_module_names


def test_files(root: Path, files: list[str], base: str) -> list[str]:
    """The Python files that behave loads for a base, and the helpers at the project's top that those import."""
    known = set(files)
    todo = [path for path in files if path.endswith(".py") and under(path, base) and _is_test(path, base)]
    found: dict[str, None] = {}
    while todo:
        path = todo.pop()
        if path in found:
            continue
        found[path] = None
        for name in read_imports(root / path).everything:
            parts = name.split(".")
            if is_production_name(parts[0]):
                continue
            places = ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]
            todo += [
                option for place in places for option in (f"{place}.py", f"{place}/__init__.py") if option in known
            ]
    return sorted(found)


def _is_test(path: str, base: str) -> bool:
    """With the project as base only `steps` and the hooks are tests, not all its code."""
    return base != "." or path.split("/", maxsplit=1)[0].endswith("steps") or path.endswith("environment.py")
