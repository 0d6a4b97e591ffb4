"""Two token lists that differ in names alone, and who says that these are the same thing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from testmark.runtimes.maven.refactoring_tool import Place, Refactoring
from testmark.testevo.tokens import Role, Token
from testmark.testevo.versions import Version

# What a renaming of these kinds may rename.
_RENAMED: dict[str, tuple[Role, ...]] = {
    "Rename Method": ("method",),
    "Move And Rename Method": ("method",),
    "Rename Class": ("type", "variable"),
    "Move And Rename Class": ("type", "variable"),
}
Renamed = Mapping[tuple[Role, str, str], str]
"""Kinds of renaming by what is renamed, its old and its new name."""


@dataclass(frozen=True)
class Renaming:
    """What makes one token list of the other."""

    kinds: frozenset[str]
    variables: Mapping[str, str]
    """Names of variables, the same ones too, from the left to the right."""


def renamings(refactorings: Iterable[Refactoring], old: Version) -> Renamed:
    """What was renamed of a method and around it: its own name, and those of the classes that hold it.

    A method that only follows a renaming elsewhere (it calls the renamed method, reads the renamed field) is changed,
    as it is for the published benchmark: a test that must follow is what an update is.
    """
    return {
        (role, _simple_name(one.old[0].element), _simple_name(one.new[0].element)): one.kind
        for one in refactorings
        for role in _RENAMED.get(one.kind, ())
        if one.old and one.new and _holds(one.old[0], old)
    }


def _holds(place: Place, version: Version) -> bool:
    method = version.method
    return place.path == version.path and place.line <= method.line and method.end_line <= place.end_line


def compare(
    left: Sequence[Token], right: Sequence[Token], own: tuple[Collection[str], Collection[str]], renamed: Renamed
) -> Renaming | None:
    """The renaming that makes one of the other; None when something is left, or when one name became two or two one.

    A name may differ where both are variables of the method's `own`, or where it was `renamed`.
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
        kind = _kind(before, after, own, renamed)
        if kind is None:
            return None
        kinds.add(kind)
    kinds.discard("")
    return Renaming(frozenset(kinds), {name: to for (role, name), to in there.items() if role == "variable"})


def _kind(before: Token, after: Token, own: tuple[Collection[str], Collection[str]], renamed: Renamed) -> str | None:
    if before.text == after.text:
        # One of them may be the method's own, and the other a field.
        both = (before.text in own[0]) == (after.text in own[1])
        return "" if before.role != "variable" or both else None
    if before.role == "label" or (before.role == "variable" and before.text in own[0] and after.text in own[1]):
        return "Rename Variable"
    return renamed.get((before.role, before.text, after.text))


def _simple_name(element: str) -> str:
    """`public price(a int) : int` is `price`, `base : int` is `base`, `p.Outer.Inner` is `Inner`."""
    head = re.split(r"[(:]", element, maxsplit=1)[0].strip()
    return re.split(r"[\s.]+", head)[-1]
