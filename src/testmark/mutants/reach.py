"""Which lines must run before a mutant can be felt: when none of them ran, neither did the mutant."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from testmark.mutants.language import load_language, parse_source
from testmark.mutants.scopes import enclosing, whole
from testmark.records.kit import Mutant

# Statements whose own line an interpreter may leave out of the trace (jumps to jumps, code that is only a marker).
_SILENT = {"break_statement", "continue_statement", "pass_statement"}
_TRY_CLAUSES = {"except_clause", "finally_clause"}
# Clauses that are parts of an expression or of a header, not lines of their own.
_INNER_CLAUSES = {"if_clause", "for_in_clause", "with_clause"}
_CONSTANT = {"true", "false", "integer", "float", "string", "none"}
_LOOPS = {"while_statement", "for_statement"}


def reach_lines(source: str, mutant: Mutant, *, language: str = "python") -> frozenset[int]:
    """1-based lines of the original: if none of them ran, the mutant cannot have influenced anything.

    Wide on purpose, as CPython 3.9 to 3.14 attribute the lines of one statement differently: all lines of the smallest
    statement that holds the edit; of a compound statement its header only (a definition with its decorators); the whole
    `try` for an edit of a handler's header or of a whole clause; the whole statement or loop where the interpreter may
    leave the line out. Raises `TaskError` when the source does not parse.
    """
    lang = load_language(language)
    tree = parse_source(mutant.path, source, language)
    node = enclosing(tree, mutant.start_byte, mutant.end_byte)
    statement = _statement(node)
    if statement is None:
        return frozenset(range(mutant.line, mutant.end_line + 1))
    if statement.type in _TRY_CLAUSES:
        return _all(_up_to(statement, {"try_statement"}))
    if statement.type == "case_clause":
        match = _up_to(statement, {"match_statement"})
        return _header(match).union(*(_header(case) for case in _cases(match)))
    if _is_silent(statement):
        return _all(_up_to(statement, {*_LOOPS, *lang.table.functions}))
    if statement.type in {"if_statement", "elif_clause", "while_statement"} and _constant_test(statement):
        return _all(_up_to(statement, {"if_statement", "while_statement"}))
    definition = statement.child_by_field_name("definition") or statement
    first = whole(definition, lang).start_point.row
    return _header(definition) | frozenset(_rows(first, definition.start_point.row))


def _rows(first: int, last: int) -> range:
    return range(first + 1, last + 2)


def _all(node: Node) -> frozenset[int]:
    return frozenset(_rows(node.start_point.row, node.end_point.row))


def _blocks(node: Node) -> list[Node]:
    return [child for child in node.children if child.type == "block"]


def _header(node: Node) -> frozenset[int]:
    """From the first line of a compound statement to the line of its colon."""
    blocks = _blocks(node)
    if not blocks:
        return _all(node)
    colon = next(
        (child for child in reversed(node.children) if child.type == ":" and child.end_byte <= blocks[0].start_byte),
        blocks[0],
    )
    return frozenset(_rows(node.start_point.row, colon.start_point.row))


def _cases(match: Node) -> Iterator[Node]:
    for block in _blocks(match):
        yield from (child for child in block.children if child.type == "case_clause")


def _statement(node: Node) -> Node | None:
    """The smallest statement, clause or definition that holds a node."""
    current: Node | None = node
    while current is not None:
        if current.type.endswith(("_statement", "_clause", "_definition")) and current.type not in _INNER_CLAUSES:
            return current
        current = current.parent
    return None


def _is_silent(statement: Node) -> bool:
    bare_return = statement.type == "return_statement" and not statement.named_children
    return bare_return or statement.type in _SILENT


def _up_to(node: Node, kinds: set[str]) -> Node:
    """The nearest ancestor of some kinds; the outermost node below the module when there is none."""
    current = node
    while current.type not in kinds and current.parent is not None and current.parent.parent is not None:
        current = current.parent
    return current


def _constant_test(statement: Node) -> bool:
    test = statement.child_by_field_name("condition")
    while test is not None and test.type in {"parenthesized_expression", "not_operator", "boolean_operator"}:
        test = test.named_children[0] if test.named_children else None
    return test is not None and test.type in _CONSTANT
