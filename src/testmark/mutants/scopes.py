"""Which function holds a span, and whether exchanging that function's code object can express an edit of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tree_sitter import Node, Tree

from testmark.mutants.language import Language, load_language, parse_source
from testmark.records.kit import Mutant

MODULE = "<module>"
# Code that runs apart from the function that it stands in: with closures, old code may live on after an exchange.
_DEFERRED = {"lambda", "function_definition", "class_definition", "generator_expression"}
# A function that gains or loses the `__class__` cell cannot take the other's code object.
_CLASS_CELL = re.compile(r"\b(super|__class__)\b")


@dataclass(frozen=True)
class Function:
    """A function that a span stands in: `line` is its first decorator's, as in CPython's `co_firstlineno`."""

    qualname: str
    line: int
    node: Node

    @property
    def body(self) -> Node:
        """The block of statements."""
        return _field(self.node, "body")


def _field(node: Node, name: str) -> Node:
    child = node.child_by_field_name(name)
    assert child is not None, f"{node.type} without {name}"  # noqa: S101 - the grammar promises it
    return child


def whole(node: Node, language: Language) -> Node:
    """A definition with its decorators."""
    parent = node.parent
    return parent if parent is not None and parent.type == language.table.decorated else node


def enclosing(tree: Tree, start: int, end: int) -> Node:
    """The smallest node that holds bytes `start:end`."""
    node = tree.root_node.descendant_for_byte_range(start, end)
    return node if node is not None else tree.root_node


def chain(node: Node, language: Language) -> list[Node]:
    """The functions and classes that hold a node, outermost first; a decorator belongs to what it decorates."""
    held: list[Node] = []
    below: Node | None = None
    current: Node | None = node
    while current is not None:
        if current.type in language.table.functions or current.type in language.table.classes:
            held.append(current)
        elif current.type == language.table.decorated and (below is None or below.type == "decorator"):
            held.append(_field(current, "definition"))
        below, current = current, current.parent
    held.reverse()
    return held


def innermost_function(node: Node, language: Language) -> Function | None:
    """The innermost named function that holds a node, with decorators and signature counted as its own."""
    held = chain(node, language)
    while held and held[-1].type not in language.table.functions:
        held.pop()
    return _function(held, language) if held else None


def outermost_function(node: Node, language: Language) -> Function | None:
    """The outermost function that holds a node: one at module level or in classes only."""
    held = chain(node, language)
    for index, definition in enumerate(held):
        if definition.type in language.table.functions:
            return _function(held[: index + 1], language)
    return None


def _function(held: list[Node], language: Language) -> Function:
    names = [(_field(definition, "name").text or b"").decode("utf-8") for definition in held]
    return Function(".".join(names), whole(held[-1], language).start_point.row + 1, held[-1])


def all_functions(tree: Tree, language: Language) -> list[Function]:
    """Every named function of a module in the order of the text."""
    found: list[Function] = []
    waiting = [tree.root_node]
    while waiting:
        node = waiting.pop()
        if node.type in language.table.functions:
            found.append(_function(chain(node, language), language))
        waiting.extend(reversed(node.named_children))
    return found


def swap_target(source: str, mutant: Mutant, *, language: str = "python") -> tuple[str, int] | None:
    """`(qualname, co_firstlineno)` of the one code object whose exchange expresses the mutant, else None.

    It is that of the outermost function (of a module or a class). None for an edit outside every function body
    (module, class, decorator, default, annotation), inside a nested function, class, lambda or generator, whose code
    objects may live on after the exchange, and where the function gains or loses its `__class__` cell. The answer
    holds for a function that has not begun to run: what ran at import with the old code stays as it was.
    """
    lang = load_language(language)
    tree = parse_source(mutant.path, source, language)
    node = enclosing(tree, mutant.start_byte, mutant.end_byte)
    target = outermost_function(node, lang)
    if target is None:
        return None
    body = target.body
    if not (body.start_byte <= mutant.start_byte and mutant.end_byte <= body.end_byte):
        return None
    current: Node | None = node
    while current is not None and current != target.node:
        if current.type in _DEFERRED:
            return None
        current = current.parent
    if _CLASS_CELL.findall(mutant.before) != _CLASS_CELL.findall(mutant.after):
        return None
    return target.qualname, target.line


def is_swappable(source: str, mutant: Mutant, *, language: str = "python") -> bool:
    """Whether exchanging one function's code object expresses the mutant; see `swap_target`."""
    return swap_target(source, mutant, language=language) is not None
