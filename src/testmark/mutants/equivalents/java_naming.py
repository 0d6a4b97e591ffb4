"""Controls that rename one local variable of a Java method, everywhere in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tree_sitter import Node

from testmark.mutants.equivalents.draw import Draw
from testmark.mutants.rules import Edit, text

_PATTERNS = ("{name}Value", "the{Name}", "{name}2", "local{Name}", "{name}Now", "this{Name}")
# Where an identifier is no variable: its kind of parent, and the field that it is there.
_OTHERWISE = (
    ("method_invocation", "name"),
    ("field_access", "field"),
    ("element_value_pair", "key"),
)
_LABELLED = {"break_statement", "continue_statement", "labeled_statement"}


def fresh_name(words: Collection[str], draw: Draw, stem: str) -> str:
    """A name that is none of `words`."""
    for pattern in draw.shuffled(_PATTERNS):
        name = pattern.format(name=stem, Name=stem[0].upper() + stem[1:])
        if name not in words:
            return name
    return next(name for number in range(len(words) + 1) if (name := f"{stem}{number}") not in words)


def renamings(data: bytes, words: Collection[str], method: Node, draw: Draw) -> Iterator[Edit]:
    """One local variable under a new name, as one edit from its first to its last occurrence.

    Only names that are declared once, by a plain declaration, and mean nothing else in the method: no field, no member
    of a class inside, no constant of a `case`.
    """
    nodes = list(_identifiers(method))
    locals_ = [text(node) for node in nodes if _declares(node)]
    for name in draw.shuffled(sorted({name for name in locals_ if locals_.count(name) == 1})):
        own = [node for node in nodes if text(node) == name and not _is_otherwise(node)]
        if any(_is_doubtful(node, method) for node in own):
            continue
        new = fresh_name(words, draw, name).encode("utf-8")
        starts = sorted(node.start_byte for node in own)
        size = len(name.encode("utf-8"))
        parts, last = [], starts[0]
        for start in starts:
            parts += [data[last:start], new]
            last = start + size
        yield Edit(starts[0], last, b"".join(parts).decode("utf-8"))
        return


def _identifiers(node: Node) -> Iterator[Node]:
    if node.type == "identifier":
        yield node
    for child in node.children:
        yield from _identifiers(child)


def _declares(node: Node) -> bool:
    parent = node.parent
    if parent is None or parent.type != "variable_declarator" or parent.child_by_field_name("name") != node:
        return False
    return parent.parent is not None and parent.parent.type == "local_variable_declaration"


def _is_otherwise(node: Node) -> bool:
    parent = node.parent
    if parent is None or parent.type in _LABELLED:
        return True
    if parent.type == "method_reference":
        return parent.named_children[0] != node
    return any(parent.type == kind and parent.child_by_field_name(field) == node for kind, field in _OTHERWISE)


def _is_doubtful(node: Node, method: Node) -> bool:
    current: Node | None = node
    while current is not None and current != method:
        if current.type in {"class_body", "switch_label", "annotation", "marker_annotation", "ERROR"}:
            return True
        current = current.parent
    parent = node.parent
    # Declared once more as something else: a parameter, a lambda's, a handler's, a pattern's.
    return parent is not None and parent.child_by_field_name("name") == node and not _declares(node)
