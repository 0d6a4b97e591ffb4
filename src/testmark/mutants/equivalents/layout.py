"""Controls that change the text or its line numbers and nothing that runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from testmark.mutants.equivalents.draw import Draw
from testmark.mutants.equivalents.sites import indent_of, own_statements, stands_alone
from testmark.mutants.rules import Edit, text
from testmark.mutants.scopes import Function

_REMARKS = ("checked", "see above", "order matters", "kept for now", "intended", "do not reorder", "note", "as before")
# A comment must not be one that tools read.
_MARK = re.compile(r"(noqa|type:|pragma|coding[:=]|fmt:|pylint|mypy)", re.IGNORECASE)


def newline_of(data: bytes) -> str:
    """The line end that the text uses."""
    return "\r\n" if b"\r\n" in data else "\n"


def _remark(draw: Draw, hint: str | None) -> str:
    """A comment; now and then it holds what a real mutant would have put there."""
    if hint and "\n" not in hint and "\r" not in hint and not _MARK.search(hint) and draw.below(2):
        return f"# {hint}"
    return f"# {draw.choice(_REMARKS)}"


def _ends_line(data: bytes, node: Node) -> bool:
    end = data.find(b"\n", node.end_byte)
    return not data[node.end_byte : end if end >= 0 else len(data)].strip()


def comments(data: bytes, function: Function, draw: Draw, hint: str | None) -> Iterator[Edit]:
    """A comment behind a statement of the function."""
    statements = [node for node in own_statements(function) if _ends_line(data, node)]
    if not statements:
        # Only a docstring, or only lines that have a comment already: the end of the body.
        statements = [node for node in function.body.named_children[-1:] if _ends_line(data, node)]
    for statement in draw.shuffled(statements)[:1]:
        after = f"{text(statement)}  {_remark(draw, hint)}"
        yield Edit(statement.start_byte, statement.end_byte, after)


def white_space(data: bytes, function: Function, draw: Draw) -> Iterator[Edit]:
    """Blanks behind the end of a statement, or one more before an operator."""
    statements = list(own_statements(function))
    for statement in draw.shuffled(statements)[:1]:
        equals = next((child for child in _leaves(statement) if child.type in {"=", "==", "and", "or", "in"}), None)
        before = data[equals.start_byte - 1 : equals.start_byte] if equals is not None else b""
        if equals is not None and before == b" " and not _inside_string(equals):
            yield Edit(equals.start_byte, equals.end_byte, " " + text(equals))
        elif stands_alone(data, statement):
            yield Edit(statement.start_byte, statement.end_byte, text(statement) + " " * (1 + draw.below(3)))


def _leaves(node: Node) -> Iterator[Node]:
    if not node.children:
        yield node
    for child in node.children:
        yield from _leaves(child)


def _inside_string(node: Node) -> bool:
    current: Node | None = node
    while current is not None:
        if current.type == "string":
            return True
        current = current.parent
    return False


def lines(data: bytes, function: Function, draw: Draw, hint: str | None) -> Iterator[Edit]:
    """A blank line or a comment line before a statement near the start of the body: everything below moves down."""
    newline = newline_of(data)
    statements = [node for node in own_statements(function) if stands_alone(data, node)]
    for statement in statements[:1]:
        indent = indent_of(data, statement)
        line = f"{_remark(draw, hint)}{newline}{indent}" if draw.below(2) else f"{newline}{indent}"
        yield Edit(statement.start_byte, statement.end_byte, line + text(statement))
