"""How Surefire is asked for single test methods, version by version."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_NO_METHODS = (2, 7, 3)
"""Older ones read `#` as a part of the class's name."""
_ONE_METHOD = (2, 12, 1)
"""Older ones read `a+b` as one method's name."""
_BY_PATH = (2, 19)
"""Older ones look for the class's name, with dots, in what they were given."""


@dataclass(frozen=True)
class Selection:
    """One session: the value of Surefire's `test`, and the methods that it stands for."""

    test: str
    methods: tuple[str, ...]


def selections(version: str, test_class: str, methods: Sequence[str]) -> tuple[Selection, ...]:
    """The sessions that together run the methods; on the oldest Surefires the whole class runs.

    The class is written as a path, or by its name where Surefire's JUnit 4 provider looks for that in the text. Each
    method stands with what JUnit 4 appends to the name of a parameterized one (`name[0]`), since there the whole name
    must match.
    """
    number = _number(version)
    if number < _NO_METHODS:
        return (whole_class(version, test_class, methods),)
    name = _class_name(version, test_class)
    if number < _ONE_METHOD:
        return tuple(Selection(f"{name}#{method}", (method,)) for method in methods)
    return (Selection(f"{name}#{'+'.join(f'{method}+{method}[*]' for method in methods)}", tuple(methods)),)


def whole_class(version: str, test_class: str, methods: Sequence[str]) -> Selection:
    """The session that runs the whole class, of which only these methods are looked at."""
    return Selection(_class_name(version, test_class), tuple(methods))


def misses_parameterized(version: str) -> bool:
    """Whether this Surefire cannot select a method of a class that JUnit 4 runs with parameters."""
    return _number(version) < _BY_PATH


def _class_name(version: str, test_class: str) -> str:
    number = _number(version)
    return test_class if _NO_METHODS <= number < _BY_PATH else test_class.replace(".", "/")


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])
