"""Statements that became a method of their own, or the reverse, checked token by token.

RefactoringMiner's own word that an extraction is pure is not enough: it calls `x` and `x + 1` the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from testmark.runtimes.maven.refactoring_tool import Place, Refactoring
from testmark.testevo.renaming import compare
from testmark.testevo.tokens import Token, declared, text_of, tokens
from testmark.testevo.versions import Version, version_at

if TYPE_CHECKING:
    from tree_sitter import Node

Span = tuple[int, int]
_LEAVING = {"return_statement", "yield_statement"}


@dataclass(frozen=True)
class Extraction:
    """One call that does exactly what the statements did in whose place it stands."""

    kind: str
    whole: Version
    """The method that holds the statements."""
    caller: Version
    """The same method with the call."""
    callee: Version
    code: Span
    call: Span


def extraction(one: Refactoring, before: Mapping[str, str], after: Mapping[str, str]) -> Extraction | None:
    """What `Extract Method` or `Inline Method` did within one class; None for another kind, and where in doubt."""
    if one.pure is False:
        return None
    if one.kind == "Extract Method":
        whole = version_at(_place(one.old, "source method declaration before extraction"), before)
        caller = version_at(_place(one.new, "source method declaration after extraction"), after)
        callee = version_at(_place(one.new, "extracted method declaration"), after)
        return _checked(one.kind, whole, caller, callee, one.old, "extracted code from", one.new)
    if one.kind == "Inline Method":
        whole = version_at(_place(one.new, "target method declaration after inline"), after)
        caller = version_at(_place(one.old, "target method declaration before inline"), before)
        callee = version_at(_place(one.old, "inlined method declaration"), before)
        return _checked(one.kind, whole, caller, callee, one.new, "inlined code in", one.old)
    return None


def _place(places: tuple[Place, ...], role: str) -> Place | None:
    return next((place for place in places if place.role == role), None)


def _checked(
    kind: str,
    whole: Version | None,
    caller: Version | None,
    callee: Version | None,
    code_places: tuple[Place, ...],
    code_role: str,
    call_places: tuple[Place, ...],
) -> Extraction | None:
    if whole is None or caller is None or callee is None:
        return None
    if caller.path != callee.path or caller.method.owner.names != callee.method.owner.names:
        return None
    spans = [whole.span(p) for p in code_places if p.role.startswith(code_role) and whole.holds(p)]
    calls = [caller.span(p) for p in call_places if p.role.endswith("method invocation") and caller.holds(p)]
    if not spans or len(calls) != 1:
        return None
    call = _statement(caller, calls[0])
    if call is None:
        return None
    code = (min(start for start, _ in spans), max(end for _, end in spans))
    if not _does_the_same(whole, code, call, callee):
        return None
    return Extraction(kind, whole, caller, callee, code, (call.start_byte, call.end_byte))


def _statement(version: Version, span: Span) -> Node | None:
    """The statement that is nothing but a call."""
    node = version.node.descendant_for_byte_range(*span)
    while node is not None and node.type not in {"expression_statement", "method_invocation"}:
        node = node.parent
    if node is not None and node.type == "method_invocation":
        node = node.parent
    return node if node is not None and node.type == "expression_statement" else None


def _does_the_same(whole: Version, code: Span, call: Node, callee: Version) -> bool:
    body = callee.node.child_by_field_name("body")
    parameters = callee.node.child_by_field_name("parameters")
    invocation = call.named_children[0]
    arguments = invocation.child_by_field_name("arguments")
    if body is None or parameters is None or arguments is None or invocation.type != "method_invocation":
        return False
    receiver = invocation.child_by_field_name("object")
    if receiver is not None and receiver.type != "this":
        return False
    inside = tokens(body)[1:-1]
    own = declared(callee.node)
    found = compare(
        [token for token in tokens(whole.node) if code[0] <= token.start and token.end <= code[1]],
        inside,
        (declared(whole.node), own),
        {},
    )
    names = [text_of(one.child_by_field_name("name") or one) for one in parameters.named_children]
    given = [one for one in arguments.named_children if not one.type.endswith("comment")]
    if found is None or len(names) != len(given) or any(one.type != "identifier" for one in given):
        return False
    # Each parameter stands for the variable that the call gives it.
    passed = {name: text_of(one) for name, one in zip(names, given, strict=True)}
    for old, new in found.variables.items():
        if new in passed and passed[new] != old:
            return False
    return not _leaves_or_assigns(body, set(names))


def _leaves_or_assigns(node: Node, parameters: set[str]) -> bool:
    """A `return` ends the one method and not the other; a parameter's new value is lost behind the call."""
    if node.type in _LEAVING:
        return True
    if node.type == "assignment_expression":
        left = node.child_by_field_name("left")
        if left is not None and text_of(left) in parameters:
            return True
    if node.type == "update_expression" and any(text_of(child) in parameters for child in node.named_children):
        return True
    return any(_leaves_or_assigns(child, parameters) for child in node.named_children)


def with_mark(found: list[Token] | None, span: Span, name: str) -> list[Token] | None:
    """The tokens with one mark in place of those in the span; None when there are none."""
    if found is None:
        return None
    inside = [at for at, token in enumerate(found) if span[0] <= token.start and token.end <= span[1]]
    if not inside or inside != list(range(inside[0], inside[-1] + 1)):
        return None
    return [*found[: inside[0]], Token(name, "other", -1, -1), *found[inside[-1] + 1 :]]
