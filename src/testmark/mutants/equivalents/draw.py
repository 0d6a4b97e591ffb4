"""Reproducible choices, and conditions that are always true or always false without looking so to a compiler."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")
_LETTERS = "abcdefghijkmnpqrstuvwxyz"


class Draw:
    """A stream of choices that depends on its key alone, on every version of Python."""

    def __init__(self, *key: object) -> None:
        self._key = "\0".join(map(str, key))
        self._count = 0

    def below(self, bound: int) -> int:
        """A whole number from 0 to `bound` - 1."""
        self._count += 1
        state = hashlib.sha256(f"{self._key}\0{self._count}".encode()).digest()
        return int.from_bytes(state[:8], "big") % bound

    def choice(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in a random order."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(len(left))]


# Templates over whole numbers 0 < a < b and letters s, t. Only literals, their operators and methods of built-in types
# take part: nothing that a project could rebind. Containers are lists, sets and dictionaries, as CPython folds constant
# tuples away. No call of Python code, so no frame and no event.
_TRUE = (
    "[{a}]",
    "[0, {b}][1]",
    "{{{a}: {b}}}[{a}]",
    "{{{a}: {b}}}.get({a})",
    "{b} > {a}",
    "[{a}] < [{b}]",
    "{{{a}}} != {{{b}}}",
    '"{s}" in ["{t}", "{s}"]',
    '"{s}" != "{s}{t}"',
    '"{s}{t}".isalpha()',
    '"{s}{t}".startswith("{s}")',
    "({b}).bit_length() == {bits}",
    "not []",
    "[] == []",
)
_FALSE = (
    "[]",
    "[{b}, 0][1]",
    "{{{a}: 0}}[{a}]",
    "{{{a}: {b}}}.get({b})",
    "{a} > {b}",
    "[{b}] < [{a}]",
    "{{{a}}} == {{{b}}}",
    '"{s}" in ["{s}{t}"]',
    '"{s}" == "{s}{t}"',
    '"{s}{t}".isdigit()',
    '"{s}{t}".endswith("{t}{s}{t}")',
    "({b}).bit_length() > {bits}",
    "not [{a}]",
    "[] != []",
)


def opaque(draw: Draw, *, value: bool, names: Sequence[str] = ()) -> str:
    """The text of a condition that is always `value`; `names` are variables that are bound wherever it will stand."""
    if names and draw.below(3) == 0:
        name = draw.choice(names)
        return f"{name} is {name}" if value else f"{name} is not {name}"
    first = draw.below(40) + 1
    second = first + 1 + draw.below(40)
    form = draw.choice(_TRUE if value else _FALSE)
    letters = draw.choice(_LETTERS), draw.choice(_LETTERS)
    return form.format(a=first, b=second, s=letters[0], t=letters[1], bits=second.bit_length())
