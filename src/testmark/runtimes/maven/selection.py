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

    The class is written as a path, or by its name where Surefire's JUnit 4 provider looks for that in the text. Each method stands with what JUnit 4 appends to the
    name of a parameterized one (`name[0]`), since there the whole name must match.
    """
    path = test_class.replace(".", "/")
    number = tuple(int(part) for part in re.findall(r"\d+", version)[:3])
    if number < _NO_METHODS:
        return (Selection(path, tuple(methods)),)
    if number < _BY_PATH:
        path = test_class
    if number < _ONE_METHOD:
        return tuple(Selection(f"{path}#{method}", (method,)) for method in methods)
    return (Selection(f"{path}#{'+'.join(f'{method}+{method}[*]' for method in methods)}", tuple(methods)),)
