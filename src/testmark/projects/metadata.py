"""What a project's own files say about it: name, version, licence, dependencies, entry points.

Files are read, never run. Sources in this order: `pyproject.toml` (`[project]`, then `[tool.poetry]`,
`[tool.flit.metadata]`), `setup.cfg`, the `PKG-INFO` that a source distribution carries, and what `setup.py` says in
plain literals.
"""

from __future__ import annotations

import ast
import configparser
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.parser import Parser
from email.policy import compat32
from pathlib import Path
from typing import Any

from testmark.projects.poetry import poetry_requirements, specifier

EntryPoints = dict[str, dict[str, str]]
"""By group (`console_scripts`), then by name."""


@dataclass
class ProjectMetadata:
    """Every field may be empty: projects say little about themselves."""

    name: str | None = None
    version: str | None = None
    licence: str | None = None
    requires_python: str | None = None
    urls: list[str] = field(default_factory=list)
    """Addresses of the project, the repository's first when it is told."""
    dependencies: list[str] | None = None
    """PEP 508 requirements of the project itself; None when nothing tells."""
    extras: dict[str, list[str]] = field(default_factory=dict)
    """Optional dependencies and dependency groups, by name in lower case."""
    entry_points: EntryPoints = field(default_factory=dict)


def read_metadata(root: Path) -> ProjectMetadata:
    """Read what is told in the project at `root`; a file that cannot be parsed counts as absent."""
    found = ProjectMetadata()
    pyproject = read_toml(root / "pyproject.toml")
    for layer in (
        _from_project_table(root, pyproject),
        _from_poetry(pyproject.get("tool", {}).get("poetry", {})),
        _from_setup_cfg(root, read_ini(root / "setup.cfg")),
        _from_pkg_info(root),
        _from_setup_py(root),
    ):
        _fill(found, layer)
    if found.version is None:
        found.version = _written_version(root)
    return found


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file; empty when it is absent or broken."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return {}


def read_ini(path: Path) -> dict[str, dict[str, str]]:
    """The sections of an INI file; empty when it is absent or broken."""
    parser = configparser.ConfigParser(interpolation=None, strict=False, allow_no_value=True)
    try:
        parser.read_string(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, configparser.Error):
        return {}
    return {name: {key: value or "" for key, value in parser[name].items()} for name in parser.sections()}


def ini_list(text: str) -> list[str]:
    """The lines (or comma-separated items of one line) of an INI value, without comments."""
    lines = [line.split(" #")[0].strip() for line in text.strip().splitlines()]
    if len(lines) == 1 and ";" not in lines[0]:
        lines = [part.strip() for part in lines[0].split(",")] if not re.search(r"[<>=!~\[]", lines[0]) else lines
    return [line for line in lines if line and not line.startswith("#")]


def string_list(value: object) -> list[str]:
    """The strings of a value that may be one string, a list of them, or something else (then none)."""
    if isinstance(value, str):
        return [value]
    return [str(item) for item in value] if isinstance(value, list) else []


def _fill(found: ProjectMetadata, layer: ProjectMetadata) -> None:
    """Take over what is not known yet."""
    for name in ("name", "version", "licence", "requires_python", "dependencies"):
        if getattr(found, name) is None:
            setattr(found, name, getattr(layer, name))
    found.urls += [url for url in layer.urls if url not in found.urls]
    found.extras = layer.extras | found.extras
    found.entry_points = layer.entry_points | found.entry_points


def _from_project_table(root: Path, pyproject: Mapping[str, Any]) -> ProjectMetadata:
    table, groups = pyproject.get("project", {}), pyproject.get("dependency-groups", {})
    licence = table.get("license")
    if isinstance(licence, dict):
        licence = licence.get("text")
    dynamic = table.get("dynamic", [])
    entry_points: EntryPoints = {str(group): dict(points) for group, points in table.get("entry-points", {}).items()}
    for key, group in (("scripts", "console_scripts"), ("gui-scripts", "gui_scripts")):
        if table.get(key):
            entry_points[group] = dict(table[key])
    urls = table.get("urls", {})
    ranked = sorted(urls, key=lambda name: not re.search("source|repo|code|github", name, re.IGNORECASE))
    extras = {str(name).lower(): list(entries) for name, entries in table.get("optional-dependencies", {}).items()}
    for name in groups:
        extras.setdefault(str(name).lower(), _group(groups, name, ()))
    # Poetry takes its own table where `[project]` has no dependencies.
    elsewhere = "dependencies" in pyproject.get("tool", {}).get("poetry", {})
    dependencies: list[str] | None = None
    if "dependencies" in table:
        dependencies = list(table["dependencies"])
    elif "dependencies" in dynamic:
        dependencies = _dynamic_dependencies(root)
    elif table and not elsewhere:
        dependencies = []
    return ProjectMetadata(
        name=table.get("name"),
        version=table.get("version"),
        licence=licence if isinstance(licence, str) else None,
        requires_python=table.get("requires-python"),
        urls=[str(urls[name]) for name in ranked],
        dependencies=dependencies,
        extras=extras,
        entry_points=entry_points,
    )


def _dynamic_dependencies(root: Path) -> list[str] | None:
    """`[tool.setuptools.dynamic] dependencies = {file = [...]}`."""
    setuptools = read_toml(root / "pyproject.toml").get("tool", {}).get("setuptools", {})
    files = setuptools.get("dynamic", {}).get("dependencies", {}).get("file", [])
    names = [files] if isinstance(files, str) else files
    found = [read_requirements(root / name) for name in names if (root / name).is_file()]
    return [line for lines in found for line in lines] if found else None


def _group(groups: Mapping[str, Any], name: str, seen: tuple[str, ...]) -> list[str]:
    """A dependency group (PEP 735) with the groups that it includes."""
    if name in seen:
        return []
    lines: list[str] = []
    for entry in groups.get(name, []):
        if isinstance(entry, str):
            lines.append(entry)
        elif isinstance(entry, dict) and "include-group" in entry:
            lines += _group(groups, entry["include-group"], (*seen, name))
    return lines


def _from_poetry(table: Mapping[str, Any]) -> ProjectMetadata:
    if not table:
        return ProjectMetadata()
    own = dict(table.get("dependencies", {}))
    python = own.pop("python", None)
    groups = {"dev": table.get("dev-dependencies", {})} | {
        name.lower(): group.get("dependencies", {}) for name, group in table.get("group", {}).items()
    }
    plugins: EntryPoints = {str(group): dict(points) for group, points in table.get("plugins", {}).items()}
    scripts = {name: value for name, value in table.get("scripts", {}).items() if isinstance(value, str)}
    return ProjectMetadata(
        name=table.get("name"),
        version=table.get("version"),
        licence=table.get("license"),
        requires_python=specifier(python) if isinstance(python, str) else None,
        urls=[table[key] for key in ("repository", "homepage") if isinstance(table.get(key), str)],
        dependencies=poetry_requirements(own),
        extras={name: poetry_requirements(group) for name, group in groups.items() if group},
        entry_points=plugins | ({"console_scripts": scripts} if scripts else {}),
    )


def _from_setup_cfg(root: Path, sections: Mapping[str, Mapping[str, str]]) -> ProjectMetadata:
    metadata, options = sections.get("metadata", {}), sections.get("options", {})
    version = metadata.get("version")
    if version and version.startswith(("attr:", "file:")):
        version = _indirect_version(root, version)
    entry_points: EntryPoints = {}
    for group, text in sections.get("options.entry_points", {}).items():
        entry_points[group] = dict(_assignments(text))
    return ProjectMetadata(
        name=metadata.get("name"),
        version=version or None,
        licence=metadata.get("license"),
        requires_python=options.get("python_requires"),
        urls=[metadata["url"]] if metadata.get("url") else [],
        dependencies=ini_list(options["install_requires"]) if "install_requires" in options else None,
        extras={name.lower(): ini_list(text) for name, text in sections.get("options.extras_require", {}).items()},
        entry_points=entry_points,
    )


def _assignments(text: str) -> list[tuple[str, str]]:
    pairs = [line.partition("=") for line in text.strip().splitlines() if "=" in line]
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def _indirect_version(root: Path, spec: str) -> str | None:
    kind, _, what = spec.partition(":")
    what = what.strip()
    if kind == "file":
        path = root / what
        return path.read_text(encoding="utf-8").strip() if path.is_file() else None
    module = what.rpartition(".")[0].replace(".", "/")
    name = what.rpartition(".")[2]
    for base in (root, root / "src"):
        for path in (base / f"{module}.py", base / module / "__init__.py"):
            if path.is_file() and (found := _assigned(path, name)):
                return found
    return None


def _from_pkg_info(root: Path) -> ProjectMetadata:
    """The metadata that a build wrote: `PKG-INFO` at the root, or in an `.egg-info` folder."""
    folders = sorted([*root.glob("*.egg-info"), *root.glob("src/*.egg-info")])
    files = [path for path in (root / "PKG-INFO", *(folder / "PKG-INFO" for folder in folders)) if path.is_file()]
    if not files:
        return ProjectMetadata()
    message = Parser(policy=compat32).parsestr(files[0].read_text(encoding="utf-8", errors="replace"), headersonly=True)
    lines = [str(line) for line in message.get_all("Requires-Dist", [])]
    told = bool(lines) or any((folder / "requires.txt").is_file() for folder in folders)
    dependencies, extras = _split_extras(lines)
    urls = [str(line).partition(",")[2].strip() for line in message.get_all("Project-URL", [])] + [
        str(message.get("Home-page", ""))
    ]
    entry_points: EntryPoints = {}
    for path in (folder / "entry_points.txt" for folder in folders):
        entry_points |= {group: dict(points) for group, points in read_ini(path).items()}
    licence = message.get("License-Expression") or message.get("License")
    return ProjectMetadata(
        name=message.get("Name"),
        version=message.get("Version"),
        licence=str(licence) if licence else None,
        requires_python=message.get("Requires-Python"),
        urls=[url for url in urls if url.startswith("http")],
        dependencies=dependencies if told else None,
        extras=extras,
        entry_points=entry_points,
    )


def _split_extras(lines: list[str]) -> tuple[list[str], dict[str, list[str]]]:
    own: list[str] = []
    extras: dict[str, list[str]] = {}
    pattern = re.compile(r"\s*(?:and)?\s*\(?extra\s*==\s*['\"]([^'\"]+)['\"]\)?\s*$")
    for line in lines:
        match = pattern.search(line)
        if match is None:
            own.append(line)
        else:
            extras.setdefault(match[1].lower(), []).append(line[: match.start()].rstrip("; ").strip())
    return own, extras


def _from_setup_py(root: Path) -> ProjectMetadata:
    """Keyword arguments of `setup(...)` that are plain literals, or names bound to plain literals."""
    arguments = setup_arguments(root)
    extras = arguments.get("extras_require")
    points = arguments.get("entry_points")
    tests = arguments.get("tests_require")
    entry_points: EntryPoints = {}
    for group, entries in points.items() if isinstance(points, dict) else ():
        lines = "\n".join(entries) if isinstance(entries, list | tuple) else str(entries)
        entry_points[str(group)] = dict(_assignments(lines))
    return ProjectMetadata(
        name=_text(arguments.get("name")),
        version=_text(arguments.get("version")),
        licence=_text(arguments.get("license")),
        requires_python=_text(arguments.get("python_requires")),
        urls=[u for u in [_text(arguments.get("url"))] if u],
        dependencies=_lines(arguments["install_requires"]) if "install_requires" in arguments else None,
        extras={str(k).lower(): _lines(v) for k, v in extras.items()}
        if isinstance(extras, dict)
        else {} | ({"tests": _lines(tests)} if tests else {}),
        entry_points=entry_points,
    )


def setup_arguments(root: Path) -> dict[str, Any]:
    """The literal keyword arguments of the `setup(...)` call in `setup.py`."""
    try:
        tree = ast.parse((root / "setup.py").read_bytes())
    except (OSError, SyntaxError, ValueError):
        return {}
    names: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            _literal_into(names, node.targets[0].id, node.value, names)
    arguments: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "setup":
            for keyword in node.keywords:
                if keyword.arg is not None:
                    _literal_into(arguments, keyword.arg, keyword.value, names)
    return arguments


def _literal_into(target: dict[str, Any], key: str, node: ast.expr, names: Mapping[str, Any]) -> None:
    if isinstance(node, ast.Name):
        if node.id in names:
            target[key] = names[node.id]
        return
    try:
        target[key] = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _lines(value: object) -> list[str]:
    if isinstance(value, str):
        return [line.strip() for line in value.splitlines() if line.strip()]
    return [str(item) for item in value] if isinstance(value, list | tuple | set) else []


def _written_version(root: Path) -> str | None:
    """`__version__ = "..."` in the one package that has such a line."""
    places = [
        *root.glob("*/__init__.py"),
        *root.glob("src/*/__init__.py"),
        *root.glob("*/_version.py"),
        *root.glob("src/*/_version.py"),
        *root.glob("*.py"),
    ]
    found = {version for path in places if (version := _assigned(path, "__version__"))}
    return found.pop() if len(found) == 1 else None


def _assigned(path: Path, name: str) -> str | None:
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            value = getattr(node, "value", None)
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                return value.value
    return None


def read_requirements(path: Path, seen: frozenset[Path] = frozenset()) -> list[str]:
    """The requirements of a pip requirements file and those it includes, without options and paths."""
    if path.resolve() in seen or not path.is_file():
        return []
    lines: list[str] = []
    for raw in path.read_text(encoding="utf-8-sig", errors="replace").replace("\\\n", " ").splitlines():
        line = re.split(r"(?:^|\s)#", raw, maxsplit=1)[0].strip()
        include = re.match(r"(?:-r|--requirement)[ =]?\s*(\S+)", line)
        if include is not None:
            lines += read_requirements(path.parent / include[1], seen | {path.resolve()})
        elif line and not line.startswith(("-", ".", "/", "git+", "http:", "https:", "file:")):
            lines.append(re.split(r"\s+--(?:hash|config|global)", line)[0].strip())
    return lines
