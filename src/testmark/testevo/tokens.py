"""A Java method as tokens, without what changes nothing: layout, access, redundant braces, repeated type arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from testmark.source.java import JavaMethod, parse_java

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

Role = Literal["method", "field", "type", "variable", "label", "other"]
_METHODS = {"method_declaration", "constructor_declaration", "compact_constructor_declaration"}
_COMMENTS = {"line_comment", "block_comment"}
_WHOLE = {"string_literal", "character_literal"}
# Who may call a method, or whether a name may be bound anew or overridden, is no behaviour of the method itself.
_MODIFIERS = {"public", "protected", "private", "final"}
_ANNOTATIONS = {"Override", "SuppressWarnings", "Deprecated", "SafeVarargs", "FunctionalInterface"}
_BRACED = {"if_statement", "for_statement", "enhanced_for_statement", "while_statement", "do_statement"}
# Anything else alone in braces could take up an `else` that is not its own, or needs them.
_PLAIN = {"expression_statement", "return_statement", "throw_statement", "break_statement", "continue_statement"}
_DECLARING = {
    "formal_parameter", "variable_declarator", "catch_formal_parameter", "enhanced_for_statement", "resource",
    "lambda_expression", "inferred_parameters", "instanceof_expression", "type_pattern", "record_pattern_component",
}  # fmt: skip


@dataclass(frozen=True)
class Token:
    """One token of a method; byte offsets in the file."""

    text: str
    role: Role
    start: int
    end: int


@lru_cache(maxsize=16)
def _parsed(text: str) -> Tree:
    """The tree of a file: the methods of one file are asked for one after the other."""
    return parse_java(text)


def method_node(text: str, method: JavaMethod) -> Node | None:
    """The declaration of a method in the syntax tree of its file."""
    waiting = [_parsed(text).root_node]
    while waiting:
        node = waiting.pop()
        if node.type in _METHODS and node.start_point.row + 1 == method.line and _name(node) == method.name:
            return node
        row = method.line - 1
        waiting += [child for child in node.named_children if child.start_point.row <= row <= child.end_point.row]
    return None


def _name(node: Node) -> str:
    found = node.child_by_field_name("name")
    return text_of(found) if found is not None else ""


def text_of(node: Node) -> str:
    """The source text of a node."""
    return node.text.decode("utf-8") if node.text is not None else ""


def tokens(node: Node) -> list[Token]:
    """The tokens below a node that say what it does."""
    return list(_tokens(node))


def _tokens(node: Node) -> Iterator[Token]:
    if node.type in _COMMENTS or _is_harmless(node):
        return
    if node.child_count == 0 or node.type in _WHOLE:
        if text_of(node):
            yield Token(text_of(node), _role(node), node.start_byte, node.end_byte)
        return
    children = _unbraced(node)
    for child in children:
        yield from _tokens(child)


def _is_harmless(node: Node) -> bool:
    parent = node.parent
    if parent is not None and parent.type == "modifiers":
        if node.type in {"marker_annotation", "annotation"}:
            return _name(node) in _ANNOTATIONS
        return node.type in _MODIFIERS
    # `new ArrayList<String>()` and `new ArrayList<>()` are the same program.
    return (
        node.type == "type_arguments"
        and parent is not None
        and parent.parent is not None
        and parent.parent.type == "object_creation_expression"
    )


def _unbraced(node: Node) -> list[Node]:
    inside = [child for child in node.named_children if child.type not in _COMMENTS]
    alone = node.type == "block" and len(inside) == 1 and inside[0].type in _PLAIN
    return inside if alone and node.parent is not None and node.parent.type in _BRACED else node.children


def _role(node: Node) -> Role:
    if node.type == "type_identifier":
        return "type"
    if node.type != "identifier" or node.parent is None:
        return "other"
    parent = node.parent
    if parent.type in {"break_statement", "continue_statement", "labeled_statement"}:
        return "label"
    if parent.type in {*_METHODS, "method_invocation"} and parent.child_by_field_name("name") == node:
        return "method" if parent.type in {"method_declaration", "method_invocation"} else "type"
    if parent.type == "method_reference":
        return "method" if parent.named_children[-1] == node else "variable"
    if parent.type == "field_access" and parent.child_by_field_name("field") == node:
        return "field"
    return "variable"


def declared(node: Node) -> frozenset[str]:
    """The names of a method's own variables: parameters, locals, those of lambdas, handlers and patterns."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        current = waiting.pop()
        parent = current.parent
        if current.type == "identifier" and parent is not None and parent.type in _DECLARING:
            names = parent.children_by_field_name("name")
            if parent.type in {"lambda_expression", "inferred_parameters"}:
                names = [child for child in parent.named_children if child.type == "identifier"]
                names = names[:1] if parent.type == "lambda_expression" else names
            if current in names:
                found.add(text_of(current))
        # A class inside has fields, which are nobody's local variables.
        if current.type != "class_body":
            waiting += current.children
    return frozenset(found)
