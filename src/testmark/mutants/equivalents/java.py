"""Control edits of Java methods: they change no behaviour, and look like mutants to whoever inspects the code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from tree_sitter import Node, Tree

from testmark.mutants.equivalents.draw import Draw
from testmark.mutants.equivalents.java_naming import fresh_name, renamings
from testmark.mutants.equivalents.java_opaque import opaque
from testmark.mutants.generation import Positions, generate, make_mutant, parses
from testmark.mutants.language import Language, load_language, parse_source
from testmark.mutants.rules import Edit, text
from testmark.mutants.scopes import Function, all_functions, enclosing
from testmark.records.kit import Control, Mutant

Level = Literal["text", "names", "lines", "instructions", "constants"]
_SAME_CODE = {"text", "lines", "names"}
"""Byte code without debug information: names of local variables and lines are in that alone."""
_CONSTANTS, _INSTRUCTIONS = 2, 3
_LONGEST = 160
_WORD = re.compile(r"\w+")
_REMARKS = ("checked", "see above", "order matters", "kept for now", "intended", "do not reorder", "as before")
_LITERALS = {
    "decimal_integer_literal": "int",
    "decimal_floating_point_literal": "double",
    "true": "boolean",
    "false": "boolean",
    "character_literal": "char",
}
_CONSTANT_KINDS = {*_LITERALS, "string_literal", "hex_integer_literal"}
# Both sides have one type: a conditional expression of two types could widen, or unbox what may be null.
_TYPED_ALIKE = {
    "relational-boundary", "relational-negation", "logical-connective", "condition", "constant", "arithmetic",
    "bitwise", "unary",
}  # fmt: skip
_SIMPLE = {"expression_statement", "return_statement", "throw_statement", "local_variable_declaration"}
_BLOCKS = {"block", "constructor_body", "switch_block_statement_group"}


@dataclass(frozen=True)
class _Method:
    """One method, and what every control of it needs."""

    data: bytes
    tree: Tree
    language: Language
    node: Node
    mutants: Sequence[Mutant]
    words: frozenset[str]
    newline: str

    def indent(self, node: Node) -> str:
        """The white space before a node that is the first thing on its line; else a blank."""
        start = self.data.rfind(b"\n", 0, node.start_byte) + 1
        head = self.data[start : node.start_byte].decode("utf-8")
        return head if not head.strip(" \t") else " "

    def ends_line(self, node: Node) -> bool:
        """Whether nothing follows a node on its line."""
        end = self.data.find(b"\n", node.end_byte)
        return not self.data[node.end_byte : end if end >= 0 else len(self.data)].strip()

    def statements(self) -> list[Node]:
        """Its simple statements that stand in a block, in the order of the text; those of classes inside left out."""
        found: list[Node] = []
        waiting = [self.node]
        while waiting:
            node = waiting.pop()
            if node.type in _SIMPLE and node.parent is not None and node.parent.type in _BLOCKS:
                found.append(node)
            if node.type != "class_body":
                waiting += reversed(node.named_children)
        return found

    def after(self, node: Node, mutant: Mutant) -> str:
        """The text of a node in a mutant."""
        head, tail = self.data[node.start_byte : mutant.start_byte], self.data[mutant.end_byte : node.end_byte]
        return head.decode("utf-8") + mutant.after + tail.decode("utf-8")


@dataclass(frozen=True)
class _Idea:
    level: Level
    form: str
    edit: Edit


def java_controls(
    path: str,
    source: str,
    spans: Sequence[tuple[int, int]],
    *,
    seed: int,
    original: str,
    digest: Callable[[Mutant], str | None],
) -> tuple[Control, ...]:
    """Control edits of the methods that stand in `spans` (1-based first and last line), in the order of the text.

    The levels of `Control` as for Python; a method gets those that its body allows. `digest` and `original` are as for
    `choose_valid`: what does not compile is left out, as is what keeps the byte code and should not, or the reverse.
    """
    language = load_language("java")
    data = source.encode("utf-8")
    tree = parse_source(path, source, "java")
    positions = Positions(data)
    words = frozenset(_WORD.findall(source))
    newline = "\r\n" if "\r\n" in source else "\n"
    found: dict[str, Control] = {}
    for function in all_functions(tree, language):
        last = function.node.end_point.row + 1
        if function.node.has_error or not any(a <= function.line and last <= b for a, b in spans):
            continue
        own = [
            one for one in generate(path, source, language="java", spans=[(function.line, last)]) if _in(one, function)
        ]
        method = _Method(data, tree, language, function.node, own, words, newline)
        for idea in _ideas(method, Draw(seed, path, function.line)):
            if not parses(language, tree, data, idea.edit):
                continue
            mutant = make_mutant(
                path, tree, language, positions, idea.edit, operator=f"control-{idea.form}", family="control"
            )
            code = digest(mutant)
            if code is not None and (code == original) == (idea.level in _SAME_CODE):
                found.setdefault(mutant.mutant_id, Control(level=idea.level, mutant=mutant))
    return tuple(sorted(found.values(), key=lambda one: (one.mutant.start_byte, one.mutant.end_byte, one.mutant.after)))


def _in(mutant: Mutant, function: Function) -> bool:
    return function.node.start_byte <= mutant.start_byte and mutant.end_byte <= function.node.end_byte


def _ideas(method: _Method, draw: Draw) -> Iterator[_Idea]:
    statements = method.statements()
    yield from _layout(method, statements, draw)
    yield from (_Idea("names", "rename", edit) for edit in renamings(method.data, method.words, method.node, draw))
    sites = draw.shuffled(list(_sites(method)))
    constants = [site for site in sites if site[0].type in _CONSTANT_KINDS]
    others = [site for site in sites if site[0].type not in _CONSTANT_KINDS]
    for site in constants[:_CONSTANTS]:
        yield _Idea("constants", "constant-conditional", _conditional(*site, draw))
    for site in others[:_INSTRUCTIONS]:
        yield _Idea("instructions", "conditional", _conditional(*site, draw))
    yield from _guarded(method, draw)
    yield from _unused(method, statements, constants, draw)
    yield from _swapped(method, statements)


def _layout(method: _Method, statements: Sequence[Node], draw: Draw) -> Iterator[_Idea]:
    remark = f"// {draw.choice(_REMARKS)}"
    for node in draw.shuffled([one for one in statements if method.ends_line(one)])[:1]:
        yield _Idea("text", "comment", Edit(node.end_byte, node.end_byte, f" {remark}"))
    for node in draw.shuffled([one for one in statements if method.ends_line(one)])[:1]:
        yield _Idea("text", "white-space", Edit(node.end_byte, node.end_byte, " " * (1 + draw.below(3))))
    for node in statements[:1]:
        indent = method.indent(node)
        line = f"{remark}{method.newline}{indent}" if draw.below(2) else f"{method.newline}{indent}"
        yield _Idea("lines", "line", Edit(node.start_byte, node.start_byte, line))


def _sites(method: _Method) -> Iterator[tuple[Node, str, str]]:
    """Small expressions with their text and a real mutant's; each once."""
    seen: set[tuple[int, int]] = set()
    for mutant in method.mutants:
        if mutant.family not in _TYPED_ALIKE:
            continue
        node = enclosing(method.tree, mutant.start_byte, mutant.end_byte)
        if not node.is_named and node.parent is not None:
            node = node.parent
        before, after = text(node), method.after(node, mutant)
        span = (node.start_byte, node.end_byte)
        if not node.type.endswith(("_expression", "_literal", "true", "false", "identifier", "invocation")):
            continue
        if node.type in {"assignment_expression", "parenthesized_expression"} or span in seen:
            continue
        if "\n" in before + after or len(before) > _LONGEST or _in_text(node):
            continue
        seen.add(span)
        yield node, before, after


def _in_text(node: Node) -> bool:
    """Part of a concatenation: javac may have computed it, and then the text is one object for all."""
    current: Node | None = node
    top = node
    while current is not None and current.type in {"binary_expression", node.type}:
        top, current = current, current.parent
    return top.type == "binary_expression" and '"' in text(top)


def _conditional(node: Node, before: str, after: str, draw: Draw) -> Edit:
    if draw.below(2):
        code = f"({opaque(draw, value=True)} ? ({before}) : ({after}))"
    else:
        code = f"({opaque(draw, value=False)} ? ({after}) : ({before}))"
    return Edit(node.start_byte, node.end_byte, code)


def _guarded(method: _Method, draw: Draw) -> Iterator[_Idea]:
    """Whole statements under a condition; what a real mutant makes of them is the dead branch."""
    found: dict[tuple[int, int], tuple[Node, str]] = {}
    for mutant in method.mutants:
        node: Node | None = enclosing(method.tree, mutant.start_byte, mutant.end_byte)
        while node is not None and node.type not in _SIMPLE and node != method.node:
            node = node.parent
        if node is None or node.type not in {"expression_statement", "return_statement", "throw_statement"}:
            continue
        after = method.after(node, mutant)
        if node.parent is not None and node.parent.type in _BLOCKS and "\n" not in text(node) + after:
            found.setdefault((node.start_byte, node.end_byte), (node, after))
    for node, after in draw.shuffled(list(found.values()))[:_INSTRUCTIONS]:
        if draw.below(2):
            code = f"if ({opaque(draw, value=True)}) {{ {text(node)} }} else {{ {after} }}"
        else:
            code = f"if ({opaque(draw, value=False)}) {{ {after} }} else {{ {text(node)} }}"
        yield _Idea("instructions", "guarded", Edit(node.start_byte, node.end_byte, code))


def _unused(
    method: _Method, statements: Sequence[Node], constants: Sequence[tuple[Node, str, str]], draw: Draw
) -> Iterator[_Idea]:
    """Before a statement, a constant of a real mutant goes to a variable that nothing reads."""
    typed = [(_LITERALS[node.type], after) for node, _, after in constants if node.type in _LITERALS]
    kind, value = draw.choice([one for one in typed if not one[1].upper().endswith("L")] or [("int", "1")])
    for node in draw.shuffled(statements)[:1]:
        name = fresh_name(method.words, draw, "value")
        line = f"{kind} {name} = {value};{method.newline}{method.indent(node)}"
        yield _Idea("instructions", "unused-assignment", Edit(node.start_byte, node.start_byte, line))


def _swapped(method: _Method, statements: Sequence[Node]) -> Iterator[_Idea]:
    """Neighbouring declarations of variables with constants, exchanged."""
    for first, second in pairwise(statements):
        if first.next_named_sibling == second and _is_constant(first) and _is_constant(second):
            between = method.data[first.end_byte : second.start_byte].decode("utf-8")
            edit = Edit(first.start_byte, second.end_byte, text(second) + between + text(first))
            yield _Idea("instructions", "swapped", edit)
            return


def _is_constant(statement: Node) -> bool:
    if statement.type != "local_variable_declaration":
        return False
    declarators = statement.children_by_field_name("declarator")
    values = [one.child_by_field_name("value") for one in declarators]
    return bool(values) and all(value is not None and value.type in _CONSTANT_KINDS for value in values)
