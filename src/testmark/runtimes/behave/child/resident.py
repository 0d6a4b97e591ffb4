"""Production code loaded once in the worker, out of sight until a run imports it, with functions exchanged in place.

Each top-level package is imported in the worker and then taken out of `sys.modules`. A run that imports the package
gets all of it back at once, which is what importing it would have loaded; a run that does not never sees it. A mutant
of one function is expressed by giving the function objects new code; what that cannot express is imported anew.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import traces
from integrity import Known

Place = tuple[str, int, str]
"""Absolute path, first line and bare name of a function's code."""


class Resident:
    """The worker's loaded production code."""

    def __init__(self) -> None:
        self._packages: dict[str, dict[str, ModuleType]] = {}
        self._functions: dict[Place, list[FunctionType]] = {}
        self._ran_at_import: set[Place] = set()
        self.known = Known(())

    def load(self, root: str, import_paths: Sequence[str], production: Sequence[str]) -> list[str]:
        """Import every top-level production package that can be; returns what could not, by name and reason.

        None is if that leaves traces outside of them: then each run imports what it needs, as a fresh process does.
        """
        inside = tuple(os.path.join(root, path) for path in production)
        names = list(_top_level_names(root, import_paths, inside))

        def load_anew() -> AbstractSet[str]:
            other = Resident()
            other._load_packages(names, root, import_paths)
            return other._packages.keys()

        trial = traces.try_loading(load_anew)
        problems = [f"{name}: cannot be imported" for name in names if name not in trial.loaded]
        if trial.left:
            return [*problems, f"{', '.join(trial.loaded)}: {trial.left}"]
        # What fails half-way may have left traces by then.
        problems += self._load_packages(trial.loaded, root, import_paths)
        self._index(inside)
        self.known = Known(module for modules in self._packages.values() for module in modules.values())
        return problems

    def _load_packages(self, names: Iterable[str], root: str, import_paths: Sequence[str]) -> list[str]:
        problems = []
        before = list(sys.path)
        sys.path[0:1] = [root, *(os.path.join(root, path) for path in import_paths)]
        try:
            for name in names:
                problem = self._load_package(name, root)
                if problem:
                    problems.append(problem)
        finally:
            sys.path[:] = before
        return problems

    def _load_package(self, name: str, root: str) -> str:
        known = set(sys.modules)
        sys.setprofile(self._note_call)
        try:
            __import__(name)
        except BaseException as error:
            self._packages.pop(name, None)
            problem = f"{name}: {type(error).__name__}: {error}"
        else:
            problem = ""
        finally:
            sys.setprofile(None)
        fresh = {
            key: sys.modules.pop(key)
            for key in list(sys.modules)
            if key not in known and _is_below(sys.modules[key], root)
        }
        if not problem:
            self._packages[name] = fresh
        return problem

    def _note_call(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call":
            code = frame.f_code
            self._ran_at_import.add((code.co_filename, code.co_firstlineno, code.co_name))

    def _index(self, inside: tuple[str, ...]) -> None:
        for candidate in gc.get_objects():
            if isinstance(candidate, FunctionType) and candidate.__code__.co_filename.startswith(inside):
                code = candidate.__code__
                self._functions.setdefault((code.co_filename, code.co_firstlineno, code.co_name), []).append(candidate)

    def exchange(self, path: str, qualname: str, line: int, moved: int, code: CodeType) -> bool:
        """Give the function at this place its code in the module's new `code`; False if that cannot express it.

        In the new code the function may begin `moved` lines further down.
        """
        name = qualname.rpartition(".")[2]
        place = (path, line, name)
        functions = self._functions.get(place, [])
        if not functions or place in self._ran_at_import:
            return False
        found = [
            inner for inner in _codes_below(code) if inner.co_firstlineno == line + moved and inner.co_name == name
        ]
        if len(found) != 1:
            return False
        new = found[0]
        if any(function.__code__.co_freevars != new.co_freevars for function in functions):
            return False
        for function in functions:
            function.__code__ = new
        return True

    def offer(self) -> None:
        """From now on in this process an import of a package hands out the loaded one."""
        if self._packages:
            sys.meta_path.insert(0, _Handing(self._packages))


class _Handing(Loader):
    """A finder and loader that puts a loaded package, with all its submodules, back into `sys.modules`."""

    def __init__(self, packages: dict[str, dict[str, ModuleType]]) -> None:
        self._packages = packages
        self._spec: ModuleSpec | None = None

    def find_spec(self, name: str, _path: Any = None, _target: Any = None) -> ModuleSpec | None:
        modules = self._packages.pop(name, None)
        if modules is None:
            return None
        for key, module in modules.items():
            sys.modules.setdefault(key, module)
        module = sys.modules.pop(name)
        self._spec = module.__spec__
        self._module = module
        return ModuleSpec(
            name, self, origin=getattr(self._spec, "origin", None), is_package=hasattr(module, "__path__")
        )

    def create_module(self, _spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Everything ran when the worker loaded it; only the module's own spec is put back."""
        module.__spec__ = self._spec
        module.__loader__ = getattr(self._spec, "loader", None)


def _top_level_names(root: str, import_paths: Sequence[str], inside: tuple[str, ...]) -> Iterable[str]:
    for import_path in import_paths or ("",):
        folder = os.path.normpath(os.path.join(root, import_path))
        if not os.path.isdir(folder):
            continue
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if not _overlaps(path, inside):
                continue
            if os.path.isfile(os.path.join(path, "__init__.py")):
                yield name
            elif name.endswith(".py") and name[:-3].isidentifier():
                yield name[:-3]


def _overlaps(path: str, inside: tuple[str, ...]) -> bool:
    return any(path == top or path.startswith(top + "/") or top.startswith(path + "/") for top in inside)


def _is_below(module: Any, root: str) -> bool:
    filename = getattr(module, "__file__", None)
    if isinstance(filename, str):
        return filename.startswith(root + "/")
    return any(str(path).startswith(root + "/") for path in getattr(module, "__path__", []))


def _codes_below(code: CodeType) -> Iterable[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes_below(constant)
