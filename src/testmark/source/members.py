"""The members of a Java file that can be left out of it, one by one, without moving any line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from testmark.source.java import parse_java

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPES = frozenset(
    {
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
    }
)
_MEMBERS = _TYPES | {
    "method_declaration",
    "constructor_declaration",
    "compact_constructor_declaration",
    "field_declaration",
    "constant_declaration",
    "annotation_type_element_declaration",
    "static_initializer",
    "block",
    "import_declaration",
}
"""A `block` that stands in a class body is an initializer."""
_BODIES = frozenset({"class_body", "interface_body", "enum_body", "enum_body_declarations", "annotation_type_body"})


@dataclass(frozen=True)
class Member:
    """A member of a class body, a class or an import; 1-based lines, byte offsets of UTF-8."""

    line: int
    end_line: int
    start: int
    end: int


def members(text: str) -> tuple[Member, ...]:
    """All of them, outer ones before those that they hold."""
    return tuple(_walk(parse_java(text).root_node))


def _walk(node: Node) -> Iterator[Member]:
    for child in node.named_children:
        if child.type in _MEMBERS:
            yield Member(child.start_point.row + 1, child.end_point.row + 1, child.start_byte, child.end_byte)
        if child.type in _BODIES or child.type in _TYPES:
            yield from _walk(child)


def innermost(found: Iterable[Member], line: int) -> Member | None:
    """The smallest member that holds the line."""
    holding = [member for member in found if member.line <= line <= member.end_line]
    return min(holding, key=lambda member: member.end - member.start, default=None)


def without(text: str, left_out: Iterable[Member]) -> str:
    """The text with these members blank: line ends stay, so that every other line keeps its number."""
    data = bytearray(text.encode("utf-8"))
    for member in left_out:
        for at in range(member.start, member.end):
            if data[at] not in b"\r\n":
                data[at] = 0x20
    return data.decode("utf-8")
