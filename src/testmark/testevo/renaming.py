"""Two token lists that differ in names alone, and who says that these are the same thing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from testmark.runtimes.maven.refactoring_tool import Refactoring
from testmark.testevo.tokens import Role, Token

# What a renaming of these kinds may rename.
_RENAMED: dict[str, tuple[Role, ...]] = {
    "Rename Method": ("method",),
    "Move And Rename Method": ("method",),
    "Rename Class": ("type", "variable"),
    "Move And Rename Class": ("type", "variable"),
    "Rename Attribute": ("field", "variable"),
    "Move And Rename Attribute": ("field", "variable"),
}
Elsewhere = Mapping[tuple[Role, str, str], str]
"""Kinds of renaming by what is renamed, its old and its new name."""


@dataclass(frozen=True)
class Renaming:
    """What makes one token list of the other."""

    kinds: frozenset[str]
    variables: Mapping[str, str]
    """Names of variables, the same ones too, from the left to the right."""


def renamings(refactorings: Iterable[Refactoring]) -> Elsewhere:
    """Everything that is renamed outside of methods."""
    return {
        (role, _simple_name(one.old[0].element), _simple_name(one.new[0].element)): one.kind
        for one in refactorings
        for role in _RENAMED.get(one.kind, ())
        if one.old and one.new
    }


def compare(
    left: Sequence[Token], right: Sequence[Token], own: tuple[Collection[str], Collection[str]], elsewhere: Elsewhere
) -> Renaming | None:
    """The renaming that makes one of the other; None when something is left, or when one name became two or two one.

    A name may differ where both are variables of the method's `own`, or where a refactoring renamed it.
    """
    if len(left) != len(right):
        return None
    there: dict[tuple[Role, str], str] = {}
    back: dict[tuple[Role, str], str] = {}
    kinds: set[str] = set()
    for before, after in zip(left, right, strict=True):
        if before.role != after.role:
            return None
        if before.role == "other":
            if before.text != after.text:
                return None
            continue
        one_way = there.setdefault((before.role, before.text), after.text)
        if one_way != after.text or back.setdefault((after.role, after.text), before.text) != before.text:
            return None
        kind = _kind(before, after, own, elsewhere)
        if kind is None:
            return None
        kinds.add(kind)
    kinds.discard("")
    return Renaming(frozenset(kinds), {name: to for (role, name), to in there.items() if role == "variable"})


def _kind(
    before: Token, after: Token, own: tuple[Collection[str], Collection[str]], elsewhere: Elsewhere
) -> str | None:
    if before.text == after.text:
        # One of them may be the method's own, and the other a field.
        both = (before.text in own[0]) == (after.text in own[1])
        return "" if before.role != "variable" or both else None
    if before.role == "label" or (before.role == "variable" and before.text in own[0] and after.text in own[1]):
        return "Rename Variable"
    return elsewhere.get((before.role, before.text, after.text))


def _simple_name(element: str) -> str:
    """`public price(a int) : int` is `price`, `base : int` is `base`, `p.Outer.Inner` is `Inner`."""
    head = re.split(r"[(:]", element, maxsplit=1)[0].strip()
    return re.split(r"[\s.]+", head)[-1]
