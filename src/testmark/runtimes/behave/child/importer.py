"""Imports project modules from code compiled once in the worker, except files that a run brings its own text for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
)
from types import CodeType
from typing import Any

from encoding import encode

CodeByPath = dict[str, CodeType]


def compile_tree(root: str, folders: Iterable[str]) -> CodeByPath:
    """Code of every module below `folders` of `root`, by absolute path; what does not compile is left out."""
    codes: CodeByPath = {}
    for folder in folders:
        top = os.path.join(root, folder)
        paths = [top] if top.endswith(".py") else _modules_below(top)
        for path in paths:
            code = compile_file(path)
            if code is not None:
                codes[os.path.normpath(path)] = code
    return codes


def _modules_below(top: str) -> Iterable[str]:
    for folder, _, names in os.walk(top):
        for name in names:
            if name.endswith(".py"):
                yield os.path.join(folder, name)


def compile_file(path: str) -> CodeType | None:
    """Code of the module as importing it would compile it, or None if it does not compile."""
    try:
        data = SourceFileLoader("<project>", path).get_data(path)
    except OSError:
        return None
    return _compile(data, path)


def compile_text(text: str, path: str) -> CodeType | None:
    """Code of a module of this text at `path`, or None if it does not compile."""
    return _compile(encode(path, text), path)


def _compile(data: bytes, path: str) -> CodeType | None:
    try:
        code: CodeType = SourceFileLoader("<project>", path).source_to_code(data, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Importing it says what is wrong, in the run that needs it.
        return None
    return code


def install(root: str, codes: CodeByPath, changed: frozenset[str]) -> None:
    """Serve imports below `root` from `codes`, except files in `changed`, which are compiled from disk."""

    class ProjectLoader(SourceFileLoader):
        def get_code(self, fullname: str) -> Any:  # noqa: ARG002 - the loaders' signature
            path = os.path.normpath(self.path)
            known = codes.get(path)
            if known is not None and path not in changed:
                return known
            return self.source_to_code(self.get_data(path), path)

    details = [(ExtensionFileLoader, EXTENSION_SUFFIXES), (ProjectLoader, SOURCE_SUFFIXES)]
    inside = os.path.normpath(root)
    make_finder: Callable[[str], Any] = FileFinder.path_hook(*details)

    def hook(path: str) -> Any:
        absolute = os.path.abspath(path or ".")
        if absolute == inside or absolute.startswith(inside + "/"):
            return make_finder(path)
        raise ImportError(path)

    sys.path_hooks.insert(0, hook)
    for path in list(sys.path_importer_cache):
        absolute = os.path.abspath(path or ".")
        if absolute == inside or absolute.startswith(inside + "/"):
            del sys.path_importer_cache[path]
