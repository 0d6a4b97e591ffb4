"""How Surefire is asked for single test methods, version by version."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_NO_METHODS = (2, 7, 3)
"""Older ones read `#` as a part of the class's name."""
_ONE_METHOD = (2, 12, 1)
"""Older ones read `a+b` as one method's name."""


@dataclass(frozen=True)
class Selection:
    """One session: the value of Surefire's `test`, and the methods that it stands for."""

    test: str
    methods: tuple[str, ...]


def selections(version: str, test_class: str, methods: Sequence[str]) -> tuple[Selection, ...]:
    """The sessions that together run the methods; on the oldest Surefires the whole class runs.

    The class is written as a path, which every version reads alike. Each method stands with what JUnit 4 appends to the
    name of a parameterized one (`name[0]`), since there the whole name must match.
    """
    path = test_class.replace(".", "/")
    number = tuple(int(part) for part in re.findall(r"\d+", version)[:3])
    if number < _NO_METHODS:
        return (Selection(path, tuple(methods)),)
    if number < _ONE_METHOD:
        return tuple(Selection(f"{path}#{method}", (method,)) for method in methods)
    return (Selection(f"{path}#{'+'.join(f'{method}+{method}[*]' for method in methods)}", tuple(methods)),)
