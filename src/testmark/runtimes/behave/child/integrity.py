"""Notices when a prediction replaced parts of behave, or left production code replaced."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any

_BEHAVE_MODULES = (
    "behave.model",
    "behave.model_core",
    "behave.runner",
    "behave.runner_util",
    "behave.matchers",
    "behave.step_registry",
    "behave.configuration",
    "behave.capture",
    "behave.parser",
)
_Member = tuple[Mapping[str, Any], str, Any, str]


class Integrity:
    """Knows behave's functions and classes; `changed()` names the first that is not what it was.

    Made once in the warm worker; `remember()`, before the prediction loads, accepts what support code changed.
    """

    def __init__(self) -> None:
        self._members: list[_Member] = list(_behave_members())
        self._codes = [(v, v.__code__, label) for _, _, v, label in self._members if isinstance(v, FunctionType)]

    def remember(self) -> None:
        """Take the present state as the right one."""
        if self.changed(thorough=False) is not None:
            self.__init__()  # type: ignore[misc]  # a full new look, which almost no run needs

    def changed(self, *, thorough: bool) -> str | None:
        """Name of a replaced function or class of behave, or None; `thorough` compares the functions' code too."""
        for owner, name, value, label in self._members:
            if owner.get(name) is not value:
                return label
        if thorough:
            for function, code, label in self._codes:
                if function.__code__ is not code:
                    return label
        return None


def _behave_members() -> Iterator[_Member]:
    for module_name in _BEHAVE_MODULES:
        module = sys.modules.get(module_name)
        if module is None:
            continue
        for name, value in list(vars(module).items()):
            if isinstance(value, FunctionType):
                yield vars(module), name, value, f"{module_name}.{name}"
            elif isinstance(value, type) and value.__module__ == module_name:
                yield vars(module), name, value, f"{module_name}.{name}"
                for attribute, member in list(vars(value).items()):
                    if isinstance(member, (FunctionType, property, classmethod, staticmethod)):
                        yield vars(value), attribute, member, f"{module_name}.{name}.{attribute}"


def replaced_production(is_production: Callable[[str], bool], is_trusted: Callable[[str], bool]) -> list[str]:
    """Names in production modules and classes that now hold functions of untrusted code or mocks."""
    found: list[str] = []
    for module in list(sys.modules.values()):
        filename = getattr(module, "__file__", None)
        if not isinstance(module, ModuleType) or not isinstance(filename, str) or not is_production(filename):
            continue
        for name, value in list(vars(module).items()):
            if _is_foreign(value, is_trusted):
                found.append(f"{module.__name__}.{name}")
            elif isinstance(value, type) and value.__module__ == module.__name__:
                found += [
                    f"{module.__name__}.{name}.{attribute}"
                    for attribute, member in list(vars(value).items())
                    if _is_foreign(member, is_trusted)
                ]
    return sorted(found)


def _is_foreign(value: Any, is_trusted: Callable[[str], bool]) -> bool:
    if isinstance(value, (classmethod, staticmethod)):
        value = value.__func__
    if isinstance(value, property):
        return any(_is_foreign(part, is_trusted) for part in (value.fget, value.fset, value.fdel) if part is not None)
    if isinstance(value, FunctionType):
        code = value.__code__
        # Code made by exec, as dataclasses and namedtuples do, bears no file of its own: its globals tell whose it is.
        if code.co_filename.startswith("<"):
            return not is_trusted(value.__globals__.get("__file__") or "<frozen >")
        return not is_trusted(code.co_filename)
    return type(value).__module__ == "unittest.mock"
