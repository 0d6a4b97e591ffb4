"""Notices when a prediction replaced parts of behave, or left production code replaced."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import is_
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

    def remember(self) -> None:
        """Take the present state as the right one."""
        if self.changed() is not None:
            self.__init__()  # type: ignore[misc]  # a full new look, which almost no run needs

    def changed(self) -> str | None:
        """Name of a replaced function or class of behave, or None; the guard sees functions that get other code."""
        for owner, name, value, label in self._members:
            if owner.get(name) is not value:
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


class Known:
    """What the names of modules that the worker loaded stood for then, and of their classes."""

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        self._values: dict[int, tuple[Any, ...]] = {}
        self._classes: dict[int, list[type]] = {}
        for module in modules:
            self._values[id(module)] = tuple(vars(module).values())
            classes = self._classes[id(module)] = list(_own_classes(module))
            self._values.update((id(cls), tuple(vars(cls).values())) for cls in classes)

    def unchanged(self, owner: Any) -> bool:
        """Whether a module or class was loaded by the worker and its names still stand for the same objects."""
        values = self._values.get(id(owner))
        now = vars(owner).values()
        return values is not None and len(now) == len(values) and all(map(is_, now, values))

    def classes(self, module: ModuleType) -> Iterable[type]:
        """The classes that the module defines."""
        return self._classes[id(module)] if self.unchanged(module) else _own_classes(module)


def replaced_production(
    is_production: Callable[[str], bool], is_trusted: Callable[[str], bool], known: Known
) -> list[str]:
    """Names in production modules and classes that now hold functions of untrusted code or mocks.

    Functions that are what they were are not looked into: that is dear, and the guard sees those that get other code.
    """
    found: list[str] = []
    for module in list(sys.modules.values()):
        filename = getattr(module, "__file__", None)
        if not isinstance(module, ModuleType) or not isinstance(filename, str) or not is_production(filename):
            continue
        for owner, label in (
            (module, module.__name__),
            *((c, f"{module.__name__}.{c.__name__}") for c in known.classes(module)),
        ):
            if not known.unchanged(owner):
                found += [
                    f"{label}.{name}" for name, value in list(vars(owner).items()) if _is_foreign(value, is_trusted)
                ]
    return sorted(found)


def _own_classes(module: ModuleType) -> Iterator[type]:
    for value in list(vars(module).values()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            yield value


def _is_foreign(value: Any, is_trusted: Callable[[str], bool]) -> bool:
    if isinstance(value, (classmethod, staticmethod)):
        value = value.__func__
    if isinstance(value, property):
        return any(_is_foreign(part, is_trusted) for part in (value.fget, value.fset, value.fdel) if part is not None)
    if isinstance(value, FunctionType):
        code = value.__code__
        # Code made by exec, as dataclasses and namedtuples do, bears no file of its own: its globals tell whose it is.
        if str.__str__(code.co_filename).startswith("<"):
            return not is_trusted(value.__globals__.get("__file__") or "<frozen >")
        return not is_trusted(code.co_filename)
    return type(value).__module__ == "unittest.mock"
