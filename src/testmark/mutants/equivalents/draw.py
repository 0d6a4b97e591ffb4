"""Reproducible choices, and conditions that are always true or always false without looking so to a compiler."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
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


# Only literals, their operators and methods of built-in types take part: nothing that a project could rebind. Containers
# are lists, sets and dictionaries, as CPython folds constant tuples away. No call of Python code, so no frame and no event.
_Form = Callable[[int, int, str, str], str]
_TRUE: tuple[_Form, ...] = (
    lambda a, b, s, t: f"[{a}]",
    lambda a, b, s, t: f"[0, {b}][1]",
    lambda a, b, s, t: f"{{{a}: {b}}}[{a}]",
    lambda a, b, s, t: f"{{{a}: {b}}}.get({a})",
    lambda a, b, s, t: f"{b} > {a}",
    lambda a, b, s, t: f"[{a}] < [{b}]",
    lambda a, b, s, t: f"{{{a}}} != {{{b}}}",
    lambda a, b, s, t: f'"{s}" in ["{t}", "{s}"]',
    lambda a, b, s, t: f'"{s}" != "{s}{t}"',
    lambda a, b, s, t: f'"{s}{t}".isalpha()',
    lambda a, b, s, t: f'"{s}{t}".startswith("{s}")',
    lambda a, b, s, t: f"({b}).bit_length() == {b.bit_length()}",
    lambda a, b, s, t: "not []",
    lambda a, b, s, t: "[] == []",
)
_FALSE: tuple[_Form, ...] = (
    lambda a, b, s, t: "[]",
    lambda a, b, s, t: f"[{b}, 0][1]",
    lambda a, b, s, t: f"{{{a}: 0}}[{a}]",
    lambda a, b, s, t: f"{{{a}: {b}}}.get({b})",
    lambda a, b, s, t: f"{a} > {b}",
    lambda a, b, s, t: f"[{b}] < [{a}]",
    lambda a, b, s, t: f"{{{a}}} == {{{b}}}",
    lambda a, b, s, t: f'"{s}" in ["{s}{t}"]',
    lambda a, b, s, t: f'"{s}" == "{s}{t}"',
    lambda a, b, s, t: f'"{s}{t}".isdigit()',
    lambda a, b, s, t: f'"{s}{t}".endswith("{s}{s}")' if s != t else f'"{s}".isdigit()',
    lambda a, b, s, t: f"({b}).bit_length() == {b.bit_length() + 1}",
    lambda a, b, s, t: f"not [{a}]",
    lambda a, b, s, t: "[] != []",
)


def opaque(draw: Draw, *, value: bool, names: Sequence[str] = ()) -> str:
    """The text of a condition that is always `value`; `names` are variables that are bound wherever it will stand."""
    if names and draw.below(3) == 0:
        name = draw.choice(names)
        return f"{name} is {name}" if value else f"{name} is not {name}"
    first = draw.below(40) + 1
    second = first + 1 + draw.below(40)
    form = draw.choice(_TRUE if value else _FALSE)
    return form(first, second, draw.choice(_LETTERS), draw.choice(_LETTERS))
