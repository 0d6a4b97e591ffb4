"""One version of a method with the file that it stands in, and RefactoringMiner's places in that file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from testmark.runtimes.maven.refactoring_tool import Place
from testmark.source.java import JavaMethod, read_java
from testmark.testevo.tokens import method_node

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True)
class Version:
    """A method in one revision."""

    path: str
    method: JavaMethod
    node: Node
    text: str

    def holds(self, place: Place) -> bool:
        """Whether a piece of code stands in it."""
        inside = self.method.line <= place.line and place.end_line <= self.method.end_line
        return place.path == self.path and inside

    def span(self, place: Place) -> tuple[int, int]:
        """The byte offsets of a place of its file."""
        lines = self.text.split("\n")

        def offset(line: int, column: int) -> int:
            return len("\n".join((*lines[: line - 1], lines[line - 1][: column - 1])).encode("utf-8"))

        return offset(place.line, place.column), offset(place.end_line, place.end_column)


def version_of(path: str, texts: Mapping[str, str], method: JavaMethod) -> Version | None:
    """A method of one of the texts; None where the text is not there, or not understood."""
    text = texts.get(path)
    node = method_node(text, method) if text is not None else None
    if text is None or node is None or node.has_error:
        return None
    return Version(path, method, node, text)


@lru_cache(maxsize=16)
def methods_of(text: str) -> tuple[JavaMethod, ...]:
    """The methods of a file."""
    return read_java(text).methods


def version_at(place: Place | None, texts: Mapping[str, str]) -> Version | None:
    """The method whose declaration a place is; with or without the comment above it."""
    if place is None or place.path not in texts:
        return None
    methods = methods_of(texts[place.path])
    inside = [one for one in methods if place.line <= one.line and one.end_line <= place.end_line]
    outermost = min(inside, key=lambda one: one.line, default=None)
    return version_of(place.path, texts, outermost) if outermost is not None else None
