"""Where in a function an equivalent rewriting may stand, each with what a real mutant would put there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node, Tree

from testmark.mutants.language import Language
from testmark.mutants.rules import text
from testmark.mutants.scopes import Function, enclosing
from testmark.records.kit import Mutant

_ATOMS = {
    "identifier", "integer", "float", "string", "true", "false", "none", "list", "dictionary", "set", "tuple", "call",
    "attribute", "subscript", "parenthesized_expression", "list_comprehension", "dictionary_comprehension",
    "set_comprehension",
}  # fmt: skip
_EXPRESSIONS = _ATOMS | {
    "binary_operator", "boolean_operator", "comparison_operator", "not_operator", "unary_operator",
    "conditional_expression", "concatenated_string", "await",
}  # fmt: skip
# Nothing below these is an expression whose value alone matters, or that may be written twice.
_CLOSED = {
    "interpolation", "format_specifier", "case_pattern", "decorator", "parameters", "lambda_parameters", "type",
    "class_definition", "function_definition", "delete_statement", "global_statement", "nonlocal_statement",
    "as_pattern_target", "import_statement", "import_from_statement", "type_alias_statement", "print_statement",
    "exec_statement",
}  # fmt: skip
_TARGETS = {"assignment", "augmented_assignment", "for_statement", "for_in_clause"}
_OWN_SCOPE = {
    "lambda", "list_comprehension", "dictionary_comprehension", "set_comprehension", "generator_expression",
}  # fmt: skip
_SIMPLE = {
    "expression_statement", "return_statement", "raise_statement", "assert_statement", "pass_statement",
    "break_statement", "continue_statement", "delete_statement",
}  # fmt: skip
# An expression that stands alone here needs no parentheses of its own.
_ROOMY = {"return_statement", "argument_list", "keyword_argument", "parenthesized_expression"}
_STRINGS = {"string", "concatenated_string"}
DYNAMIC = re.compile(r"\b(locals|vars|dir|eval|exec|globals|_getframe|currentframe|inspect|stack)\b")
_LONGEST = 160


@dataclass(frozen=True)
class Site:
    """A node of the function, with its text and the text that a real mutant gives it."""

    node: Node
    before: str
    after: str
    is_statement: bool
    deferred: bool
    """Inside a lambda or comprehension: reading the function's variables there would make them cells."""

    @property
    def roomy(self) -> bool:
        """Whether a conditional expression may stand here without parentheses."""
        return self.node.parent is not None and self.node.parent.type in _ROOMY

    @property
    def is_literal(self) -> bool:
        """Whether it is one constant."""
        kinds = {"integer", "float", "true", "false", "none", "string"}
        return self.node.type in kinds and not any(child.type == "interpolation" for child in self.node.children)

    def wrapped(self, code: str) -> str:
        """One of the two texts, as an operand of a conditional expression."""
        return code if self.node.type in _ATOMS or self.node.type == "await" else f"({code})"


def sites(data: bytes, tree: Tree, function: Function, mutants: Sequence[Mutant], language: Language) -> Iterator[Site]:
    """For each mutant of a function's own code the smallest expression and the simple statement that hold it."""
    for mutant in mutants:
        found = enclosing(tree, mutant.start_byte, mutant.end_byte)
        node: Node | None = found
        expression = False
        while node is not None and node != function.body:
            if node.type in _EXPRESSIONS and not expression and is_free(node, function, language):
                expression = True
                site = _site(data, node, mutant, function, is_statement=False)
                if _is_expression(site.after, language):
                    yield site
            elif node.type in _SIMPLE:
                if stands_alone(data, node) and not _closed_between(node, function):
                    yield _site(data, node, mutant, function, is_statement=True)
                break
            node = node.parent


def _site(data: bytes, node: Node, mutant: Mutant, function: Function, *, is_statement: bool) -> Site:
    head, tail = data[node.start_byte : mutant.start_byte], data[mutant.end_byte : node.end_byte]
    after = head.decode("utf-8") + mutant.after + tail.decode("utf-8")
    return Site(node, text(node), after, is_statement=is_statement, deferred=_deferred(node, function))


def _is_expression(code: str, language: Language) -> bool:
    """Whether a text is one expression: a bound that a mutant deletes leaves none."""
    root = language.parse(f"({code})".encode()).root_node
    if root.has_error or len(root.named_children) != 1 or root.named_children[0].type != "expression_statement":
        return False
    only = root.named_children[0].named_children
    return len(only) == 1 and only[0].type == "parenthesized_expression"


def is_small(site: Site) -> bool:
    """One line of moderate length, like most real mutants."""
    return "\n" not in site.before + site.after and len(site.before) <= _LONGEST


def is_free(node: Node, function: Function, language: Language) -> bool:
    """Whether an expression's value alone matters, so that another expression of the same value may replace it."""
    parent = node.parent
    if parent is None or not _is_value(node, parent) or _has(node, "named_expression"):
        return False
    below, current = node, parent
    while current != function.node:
        if current.type in _CLOSED or current.type in language.table.embedded:
            return False
        if current.type in _TARGETS and current.child_by_field_name("left") == below:
            return False
        if current.parent is None:
            return False
        below, current = current, current.parent
    return below == function.body


def _is_value(node: Node, parent: Node) -> bool:
    if node.type in _STRINGS and parent.type in {"concatenated_string", "expression_statement"}:
        return False
    if node.type == "identifier":
        names = (("attribute", "attribute"), ("keyword_argument", "name"), ("named_expression", "name"))
        if any(parent.type == kind and parent.child_by_field_name(field) == node for kind, field in names):
            return False
    # `x: int` has no value; a yield or a splat is not an operand; a string of an import is a name.
    return parent.type not in {"as_pattern_target", "dotted_name", "aliased_import"}


def _has(node: Node, kind: str) -> bool:
    return node.type == kind or any(_has(child, kind) for child in node.named_children)


def _closed_between(node: Node, function: Function) -> bool:
    current = node.parent
    while current is not None and current != function.node:
        if current.type in {"class_definition", "function_definition"}:
            return True
        current = current.parent
    return False


def _deferred(node: Node, function: Function) -> bool:
    current = node.parent
    while current is not None and current != function.node:
        if current.type in _OWN_SCOPE:
            return True
        current = current.parent
    return False


def indent_of(data: bytes, node: Node) -> str | None:
    """The white space before a node that is the first thing on its line, else None."""
    start = data.rfind(b"\n", 0, node.start_byte) + 1
    head = data[start : node.start_byte].decode("utf-8")
    return head if not head.strip(" \t") else None


def stands_alone(data: bytes, node: Node) -> bool:
    """Whether a simple statement has its line (or lines) to itself, but for a comment."""
    end = data.find(b"\n", node.end_byte)
    rest = data[node.end_byte : end if end >= 0 else len(data)].strip()
    return indent_of(data, node) is not None and (not rest or rest.startswith(b"#"))


def own_statements(function: Function) -> Iterator[Node]:
    """The simple statements of a function's own code in the order of the text, its docstring left out."""
    waiting = [function.body]
    while waiting:
        node = waiting.pop()
        if node.type in _SIMPLE:
            if not (node.type == "expression_statement" and node.named_children[0].type in _STRINGS):
                yield node
        elif node.type not in {"class_definition", "function_definition", "decorated_definition"}:
            waiting.extend(reversed(node.named_children))
