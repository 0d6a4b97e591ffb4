"""A variable put back into the place where its value was: what `Extract Variable` did, undone on tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from testmark.testevo.tokens import Token, text_of, tokens

if TYPE_CHECKING:
    from tree_sitter import Node

# Between such a use and its statement nothing decides whether, how often or when the value is computed.
_STRAIGHT = {
    "argument_list", "method_invocation", "return_statement", "expression_statement", "local_variable_declaration",
    "variable_declarator", "parenthesized_expression", "object_creation_expression", "unary_expression", "field_access",
    "array_access", "throw_statement", "cast_expression", "assignment_expression",
}  # fmt: skip
_EFFECTS = {"method_invocation", "object_creation_expression", "assignment_expression", "update_expression"}
_PRIMARY = {
    "identifier", "method_invocation", "field_access", "array_access", "object_creation_expression", "this",
    "parenthesized_expression", "string_literal", "character_literal", "decimal_integer_literal", "true", "false",
    "null_literal", "decimal_floating_point_literal", "class_literal", "hex_integer_literal",
}  # fmt: skip
# An expression that stands alone here needs no parentheses.
_ROOMY = {"argument_list", "return_statement", "variable_declarator", "parenthesized_expression", "throw_statement"}


def inlined(method: Node, names: Iterable[str]) -> list[Token] | None:
    """The method's tokens with each named local variable replaced by its value; None when that may not be the same.

    It may not be when the variable is not declared once with a value, is changed, is used elsewhere than in the next
    statement, or when a value with effects would be computed more than once, less than once, or at another time.
    """
    wanted = set(names)
    found = {text_of(_name(one)): one for one in _declarations(method) if text_of(_name(one)) in wanted}
    if found.keys() != wanted:
        return None
    values: dict[int, list[Token]] = {}
    gone: set[int] = set()
    for name, declaration in found.items():
        value, uses = _value(declaration), list(_uses(method, name, declaration))
        if not uses or not all(_may_replace(declaration, use, found.values()) for use in uses):
            return None
        if _has_effects(value) and (len(uses) > 1 or not _is_straight(uses[0], declaration)):
            return None
        gone.update(token.start for token in tokens(declaration))
        for use in uses:
            values[use.start_byte] = _in_place(value, use)
    result: list[Token] = []
    # Values may hold uses of other such variables: as many rounds as there are variables.
    pending = [token for token in tokens(method) if token.start not in gone]
    for _ in range(len(found) + 1):
        result = [part for token in pending for part in values.get(token.start, [token])]
        pending = result
    return result


def _declarations(method: Node) -> Iterator[Node]:
    waiting = [method]
    while waiting:
        node = waiting.pop()
        if node.type == "local_variable_declaration":
            declarators = node.children_by_field_name("declarator")
            if len(declarators) == 1 and declarators[0].child_by_field_name("value") is not None:
                yield node
        waiting += node.named_children


def _declarator(declaration: Node) -> Node:
    return declaration.children_by_field_name("declarator")[0]


def _name(declaration: Node) -> Node:
    name = _declarator(declaration).child_by_field_name("name")
    assert name is not None  # noqa: S101 - the grammar promises it
    return name


def _value(declaration: Node) -> Node:
    value = _declarator(declaration).child_by_field_name("value")
    assert value is not None  # noqa: S101 - only declarations with a value are looked at
    return value


def _uses(method: Node, name: str, declaration: Node) -> Iterator[Node]:
    own = _name(declaration)
    waiting = [method]
    while waiting:
        node = waiting.pop()
        if node.type == "identifier" and node != own and text_of(node) == name and _is_variable(node):
            yield node
        waiting += node.named_children


def _is_variable(node: Node) -> bool:
    parent = node.parent
    if parent is None:
        return False
    for kind, field in (("method_invocation", "name"), ("field_access", "field")):
        if parent.type == kind and parent.child_by_field_name(field) == node:
            return False
    return True


def _may_replace(declaration: Node, use: Node, others: Iterable[Node]) -> bool:
    """Whether the use reads the variable, in the next statement but for declarations that go as well."""
    parent = use.parent
    if parent is None or parent.type in {"update_expression", "lambda_expression", "inferred_parameters"}:
        return False
    # Another variable of the same name.
    if parent.type != "argument_list" and parent.child_by_field_name("name") == use:
        return False
    if parent.type == "assignment_expression" and parent.child_by_field_name("left") == use:
        return False
    going = list(others)
    following = declaration.next_named_sibling
    while following is not None and (following in going or following.type.endswith("comment")):
        if following.start_byte <= use.start_byte < following.end_byte:
            return True
        following = following.next_named_sibling
    return following is not None and following.start_byte <= use.start_byte < following.end_byte


def _is_straight(use: Node, declaration: Node) -> bool:
    node = use.parent
    while node is not None and node != declaration.parent:
        # The condition of an `if` is computed once, and first.
        if node.type == "if_statement":
            condition = node.child_by_field_name("condition")
            if condition is None or not condition.start_byte <= use.start_byte < condition.end_byte:
                return False
        elif node.type == "binary_expression":
            operator = node.child_by_field_name("operator")
            if operator is None or text_of(operator) in {"&&", "||"}:
                return False
        elif node.type not in _STRAIGHT:
            return False
        node = node.parent
    return node is not None


def _has_effects(node: Node) -> bool:
    return node.type in _EFFECTS or any(_has_effects(child) for child in node.named_children)


def _in_place(value: Node, use: Node) -> list[Token]:
    inner = tokens(value)
    if value.type in _PRIMARY or (use.parent is not None and use.parent.type in _ROOMY):
        return inner
    return [Token("(", "other", -1, -1), *inner, Token(")", "other", -1, -1)]
