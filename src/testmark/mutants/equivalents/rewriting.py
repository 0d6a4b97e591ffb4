"""Equivalent rewritings: instructions and constants change, behaviour stays; a real mutant's code is the dead part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tree_sitter import Node

from testmark.mutants.equivalents.draw import Draw, opaque
from testmark.mutants.equivalents.sites import Site, indent_of, stands_alone
from testmark.mutants.rules import Edit, text

_LITERALS = {"integer", "float", "string", "true", "false", "none"}
_EMPTY = {"list", "dictionary"}


@dataclass(frozen=True)
class Place:
    """What a rewriting may use at one site."""

    data: bytes
    site: Site
    names: Sequence[str]
    """Variables that are bound there."""
    fresh: str | None
    """A name that the module does not use, None where code looks at its own variables."""
    newline: str

    @property
    def indent(self) -> str:
        """The white space before the statement."""
        return indent_of(self.data, self.site.node) or ""

    def condition(self, draw: Draw, *, value: bool) -> str:
        """An opaque condition that may stand here."""
        return opaque(draw, value=value, names=() if self.site.deferred else self.names)


Form = Callable[[Place, Draw], str]


def _choose(first: str, condition: str, second: str, site: Site) -> str:
    code = f"{first} if {condition} else {second}"
    return code if site.roomy and "\n" not in code else f"({code})"


def _conditional_first(place: Place, draw: Draw) -> str:
    site = place.site
    return _choose(site.wrapped(site.before), place.condition(draw, value=True), site.wrapped(site.after), site)


def _conditional_second(place: Place, draw: Draw) -> str:
    site = place.site
    return _choose(site.wrapped(site.after), place.condition(draw, value=False), site.wrapped(site.before), site)


def _guarded(place: Place, draw: Draw) -> str:
    return f"if {place.condition(draw, value=True)}: {place.site.before}"


def _guarded_else(place: Place, draw: Draw) -> str:
    return f"{_guarded(place, draw)}{place.newline}{place.indent}else: {place.site.after}"


def _dead_first(place: Place, draw: Draw) -> str:
    condition = place.condition(draw, value=False)
    return f"if {condition}: {place.site.after}{place.newline}{place.indent}{place.site.before}"


def _dead_else(place: Place, draw: Draw) -> str:
    condition = place.condition(draw, value=False)
    return f"if {condition}: {place.site.after}{place.newline}{place.indent}else: {place.site.before}"


EXPRESSION_FORMS: dict[str, Form] = {
    "conditional": _conditional_first,
    "conditional-reversed": _conditional_second,
}
STATEMENT_FORMS: dict[str, Form] = {
    "guarded": _guarded,
    "guarded-else": _guarded_else,
    "dead-before": _dead_first,
    "dead-else": _dead_else,
}


def guard(place: Place, draw: Draw) -> str:
    """A statement under a condition that is always true: for functions in which nothing can be mutated."""
    return _guarded(place, draw)


def _list_first(place: Place, draw: Draw) -> str:
    return f"[{place.site.before}, {place.site.after}][{draw.choice(('0', '-2'))}]"


def _list_last(place: Place, draw: Draw) -> str:
    return f"[{place.site.after}, {place.site.before}][{draw.choice(('1', '-1'))}]"


def _dictionary(place: Place, draw: Draw) -> str:
    first = draw.below(30)
    second = first + 1 + draw.below(30)
    return f"{{{first}: {place.site.after}, {second}: {place.site.before}}}[{second}]"


CONSTANT_FORMS: dict[str, Form] = {
    "list-first": _list_first,
    "list-last": _list_last,
    "dictionary": _dictionary,
    "constant-conditional": _conditional_first,
}


def unused_assignment(place: Place, _draw: Draw) -> str:
    """A new variable takes the constant of a real mutant, and nothing reads it."""
    return f"{place.fresh} = {place.site.after}{place.newline}{place.indent}{place.site.before}"


def swapped_statements(data: bytes, statements: Sequence[Node], fixed: frozenset[str]) -> Iterator[Edit]:
    """Neighbouring assignments of constants to two local names, exchanged; `fixed` names are not local."""
    for first, second in pairwise(statements):
        if first.next_named_sibling != second:
            continue
        names = [_constant_assignment(data, statement) for statement in (first, second)]
        if None in names or names[0] == names[1] or fixed & {str(name) for name in names}:
            continue
        between = data[first.end_byte : second.start_byte].decode("utf-8")
        yield Edit(first.start_byte, second.end_byte, text(second) + between + text(first))


def _constant_assignment(data: bytes, statement: Node) -> str | None:
    if statement.type != "expression_statement" or not stands_alone(data, statement):
        return None
    assignment = statement.named_children[0]
    if assignment.type != "assignment" or assignment.child_by_field_name("type") is not None:
        return None
    left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
    if left is None or right is None or left.type != "identifier":
        return None
    plain = right.type in _LITERALS and not any(child.type == "interpolation" for child in right.children)
    return text(left) if plain or (right.type in _EMPTY and not right.named_children) else None
