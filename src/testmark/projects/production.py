"""Which code of a project is production code, and what it is imported from.

The build configuration tells where there is one (hatch, poetry, flit, setuptools, the `top_level.txt` of a source
distribution); the folders' shape tells the rest. Nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from testmark.projects.layout import is_production_name, under
from testmark.projects.metadata import ini_list, read_ini, read_toml, setup_arguments, string_list

_NOT_MODULES = frozenset(
    {
        "setup",
        "conftest",
        "noxfile",
        "tasks",
        "fabfile",
        "versioneer",
        "dodo",
        "wscript",
        "ez_setup",
        "bootstrap",
        "manage",
        "environment",
    }
)


@dataclass
class Production:
    """First-party code: what is measured, and where the module search starts."""

    roots: list[str] = field(default_factory=list)
    import_paths: list[str] = field(default_factory=list)
    reason: str = ""
    """Where this was found, for a comment."""

    def add(self, root: str, import_path: str) -> None:
        """Add one package or module and the folder that it is imported from."""
        if not any(under(root, known) for known in self.roots):
            self.roots = sorted([known for known in self.roots if not under(known, root)] + [root])
        if import_path not in self.import_paths:
            self.import_paths.append(import_path)


def find_production(root: Path, files: list[str], bases: list[str], name: str | None) -> Production:
    """The production code, from the build configuration where it tells, else from the folders' shape."""
    modules = _modules(files)
    for reason, pairs in _configured(root, name):
        found = Production(reason=reason)
        for where, package in pairs:
            module = modules.get((where, package.split(".")[0]))
            if module is not None and not any(module == base or under(module, base) for base in bases):
                found.add(module, where)
        if found.roots:
            return found
    return _guess(modules, _packages_and_modules(modules, files), bases)


def _modules(files: list[str]) -> dict[tuple[str, str], str]:
    """Each importable module or package, namespace packages as well: (folder it is imported from, name) → its path."""
    found: dict[tuple[str, str], str] = {}
    for path in files:
        if not path.endswith((".py", ".pyi")) or path.endswith(".pyi"):
            continue
        pure = PurePosixPath(path)
        for parent in pure.parents[:-1]:
            if parent.name.isidentifier():
                found.setdefault((str(parent.parent), parent.name), str(parent))
        if pure.stem.isidentifier() and pure.stem != "__init__":
            found.setdefault((str(pure.parent), pure.stem), path)
    return found


def module_names(files: list[str]) -> set[str]:
    """The names of all modules and packages of the project, wherever they are."""
    return {name for _, name in _modules(files)}


def _configured(root: Path, name: str | None) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Pairs of (import path, top-level module) that a build configuration names, with the configuration's name."""
    pyproject = read_toml(root / "pyproject.toml")
    tool = pyproject.get("tool", {})
    yield "[tool.hatch] in pyproject.toml", _hatch(tool.get("hatch", {}))
    yield "[tool.poetry] in pyproject.toml", _poetry(tool.get("poetry", {}), name)
    yield "[tool.flit] in pyproject.toml", _flit(tool.get("flit", {}))
    yield "[tool.setuptools] in pyproject.toml", _setuptools(root, tool.get("setuptools", {}))
    yield "[options] in setup.cfg", _setup_cfg(root, read_ini(root / "setup.cfg"))
    yield "setup.py", _setup_py(root)
    for info in sorted([*root.glob("*.egg-info"), *root.glob("src/*.egg-info")]):
        top = info / "top_level.txt"
        if top.is_file():
            where = "src" if info.parent.name == "src" and info.parent != root else "."
            names = [line.strip() for line in top.read_text(encoding="utf-8").splitlines() if line.strip()]
            wanted = [n for n in names if is_production_name(n.split("/")[0])] or names
            yield (
                f"{info.name}/top_level.txt",
                [(base, n) for n in wanted for base in dict.fromkeys((where, "src", "lib"))],
            )
    if name is not None:
        plain = re.sub(r"[-.]+", "_", name).lower()
        short = plain.removeprefix("python_").removesuffix("_python")
        yield "the project's name", [(where, option) for where in ("src", ".", "lib") for option in (plain, short)]


def _hatch(table: dict[str, Any]) -> list[tuple[str, str]]:
    build = table.get("build", {})
    wheel = build.get("targets", {}).get("wheel", {})
    packages = wheel.get("packages") or build.get("packages") or []
    sources = wheel.get("sources") or build.get("sources") or []
    pairs = [_split(str(package)) for package in packages]
    only = wheel.get("only-include") or wheel.get("include") or []
    if not pairs:
        pairs = [
            _split(re.sub(r"(/\*\*?|/\*\.py)+$", "", str(entry)).strip("/"))
            for entry in only
            if "/" in str(entry) or str(entry).isidentifier()
        ]
    return (
        pairs
        if not isinstance(sources, list) or not sources
        else [*pairs, *((str(s), pair[1]) for s in sources for pair in pairs)]
    )


def _split(path: str) -> tuple[str, str]:
    pure = PurePosixPath(path.removesuffix(".py"))
    return str(pure.parent), pure.name


def _poetry(table: dict[str, Any], name: str | None) -> list[tuple[str, str]]:
    if not table:
        return []
    packages = [entry for entry in table.get("packages", []) if isinstance(entry, dict) and "include" in entry]
    pairs = [
        (str(entry.get("from", ".")), str(entry["include"]).split("/")[0].removesuffix(".py"))
        for entry in packages
        if is_production_name(str(entry["include"]).split("/")[0])
    ]
    if not pairs and name is not None:
        plain = re.sub(r"[-.]+", "_", name).lower()
        pairs = [("src", plain), (".", plain)]
    return pairs


def _flit(table: dict[str, Any]) -> list[tuple[str, str]]:
    module = table.get("module", {}).get("name") or table.get("metadata", {}).get("module")
    return [("src", str(module)), (".", str(module))] if module else []


def _setuptools(root: Path, table: dict[str, Any]) -> list[tuple[str, str]]:
    directories = {str(key): str(value) for key, value in table.get("package-dir", {}).items()}
    packages = table.get("packages")
    pairs = [(directories.get("", "."), str(module)) for module in table.get("py-modules", [])]
    if isinstance(packages, list):
        pairs += [_placed(str(package), directories) for package in packages]
    elif isinstance(packages, dict):
        find = packages.get("find", {})
        for where in string_list(find.get("where")) or [directories.get("", ".")]:
            pairs += _find_packages(root, where, string_list(find.get("include")), string_list(find.get("exclude")))
    elif directories:
        pairs += _find_packages(root, directories.get("", "."), [], [])
    return pairs


def _setup_cfg(root: Path, sections: dict[str, dict[str, str]]) -> list[tuple[str, str]]:
    options = sections.get("options", {})
    directories = {}
    for line in ini_list(options.get("package_dir", "")):
        key, _, value = line.partition("=")
        directories[key.strip()] = value.strip()
    pairs = [(directories.get("", "."), module) for module in ini_list(options.get("py_modules", ""))]
    packages = options.get("packages", "").strip()
    if packages.startswith("find"):
        find = sections.get("options.packages.find", {})
        where = find.get("where", "").strip() or directories.get("", ".")
        return pairs + _find_packages(root, where, ini_list(find.get("include", "")), ini_list(find.get("exclude", "")))
    return pairs + [_placed(package, directories) for package in ini_list(packages)]


def _setup_py(root: Path) -> list[tuple[str, str]]:
    arguments = setup_arguments(root)
    directories = arguments.get("package_dir")
    directories = {str(k): str(v) for k, v in directories.items()} if isinstance(directories, dict) else {}
    pairs = [(directories.get("", "."), str(module)) for module in string_list(arguments.get("py_modules"))]
    if isinstance(arguments.get("packages"), list):
        return pairs + [_placed(str(package), directories) for package in arguments["packages"]]
    path = root / "setup.py"
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    call = re.search(r"find_(?:namespace_)?packages\(\s*(?:where\s*=\s*)?(?:['\"]([^'\"]*)['\"])?", text)
    if call is None:
        return pairs
    return pairs + _find_packages(root, call[1] or directories.get("", "."), [], [])


def _placed(package: str, directories: dict[str, str]) -> tuple[str, str]:
    """Where a package is imported from, by `package_dir`; (`.`, name) without an entry for it."""
    top = package.split(".", maxsplit=1)[0]
    if top in directories:
        return _split(directories[top])[0], top
    return directories.get("", ".") or ".", top


def _find_packages(root: Path, where: str, include: list[str], exclude: list[str]) -> list[tuple[str, str]]:
    """The top-level packages that setuptools would find, less those that by their names hold tests or docs."""
    base = root / where
    if not base.is_dir():
        return []
    pairs = []
    for folder in sorted(base.iterdir()):
        if not folder.name.isidentifier() or not folder.is_dir() or not _holds_python(folder):
            continue
        named = any(PurePosixPath(folder.name).match(pattern.split(".")[0]) for pattern in include) if include else True
        refused = any(PurePosixPath(folder.name).match(pattern) for pattern in exclude)
        if named and not refused and is_production_name(folder.name):
            pairs.append((str(PurePosixPath(where)), folder.name))
    return pairs


def _holds_python(folder: Path) -> bool:
    return (folder / "__init__.py").is_file() or any(folder.glob("*.py")) or any(folder.glob("*/__init__.py"))


def _packages_and_modules(modules: dict[tuple[str, str], str], files: list[str]) -> set[str]:
    """The modules that are files and the folders with an `__init__.py`."""
    packages = {str(PurePosixPath(path).parent) for path in files if path.endswith("/__init__.py")}
    return packages | {path for path in modules.values() if path.endswith(".py")}


def _guess(modules: dict[tuple[str, str], str], accepted: set[str], bases: list[str]) -> Production:
    """What of `accepted` is in `src`, else in `lib`, else at the top."""
    for where in ("src", "lib", "."):
        found = Production(reason="the folders' shape")
        for (folder, name), path in sorted(modules.items()):
            if folder != where or path not in accepted:
                continue
            if not is_production_name(name) or name in _NOT_MODULES | {"src", "lib"}:
                continue
            if not any(path == base or under(path, base) or under(base, path) for base in bases if base != "."):
                found.add(path, where)
        if found.roots:
            return found
    return Production(reason="nothing")


def guess_namespaces(files: list[str], bases: list[str]) -> Production:
    """The last resort: folders with Python files in them and no `__init__.py`."""
    modules = _modules(files)
    return _guess(modules, set(modules.values()), bases)


def add_imported(
    production: Production, imports: Iterable[str], files: list[str], bases: list[str], *, any_name: bool = False
) -> list[str]:
    """Add modules of the project that only its tests name; return the imported names that are found nowhere.

    With `any_name` also those that by their names hold tests or tools.
    """
    modules = _modules(files)
    unknown: list[str] = []
    for name in sorted(set(imports)):
        if any((where, name) in modules for where in production.import_paths):
            continue
        places = sorted((where.count("/"), where, path) for (where, n), path in modules.items() if n == name)
        helper = [place for place in places if any(under(place[2], base) for base in bases if base != ".")]
        inner = [place for place in places if any(under(place[1], known) for known in production.roots if known != ".")]
        outside = [place for place in places if place not in helper and place not in inner]
        top = [place for place in outside if place[1] == "."]
        around = any(under(base, modules[".", name]) for base in bases) if top else False
        if helper or (top and not is_production_name(name) and (around or not any_name)):
            continue  # a module of the tests: behave has their folder and the project's on the search path
        if top:
            production.add(modules[".", name], ".")
        elif outside and is_production_name(PurePosixPath(outside[0][1]).name):
            production.add(outside[0][2], outside[0][1])
        else:
            unknown.append(name)
    return unknown
