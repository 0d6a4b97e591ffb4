"""Everything that must not be found, ready to be looked for in many texts at once."""

from __future__ import annotations

import ast
import contextlib
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from testmark.errors import TaskError
from testmark.leaks.found import Hit
from testmark.leaks.quoting import forms, unix_lines
from testmark.req2test.leak_bytecode import CodeMarks, code_marks
from testmark.req2test.leak_text import HiddenBody, Page, code_lines, hidden_body, python_file

_BYTE_ORDER_MARK = "\ufeff"
_PYTHON = (".py", ".pyi", ".pyw")
_PREFIX = 12
"""Characters by which candidates are found; shorter bodies by all that they have."""


@dataclass(frozen=True)
class _Needle:
    """One run of characters to look for; with a body that is short, only where the rules for short ones hold."""

    kind: str
    owner: str
    detail: str
    squeezed: str
    body: HiddenBody | None = None

    @property
    def hit(self) -> Hit:
        return Hit(self.kind, self.owner, self.detail)


class Needles:
    """Hidden bodies, and reference tests by path and text."""

    def __init__(self, hidden: Iterable[HiddenBody], reference: Iterable[tuple[str, str]] = ()) -> None:
        self._hidden = list(dict.fromkeys(hidden))
        self._reference = list(dict.fromkeys(reference))
        self._index: dict[int, dict[str, list[_Needle]]] = {}
        for needle in (
            *map(_of_body, self._hidden),
            *(n for path, text in self._reference for n in _of_test(path, text)),
        ):
            size = min(_PREFIX, len(needle.squeezed))
            self._index.setdefault(size, {}).setdefault(needle.squeezed[:size], []).append(needle)

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Files that hold hidden bodies."""
        return tuple(dict.fromkeys(body.file for body in self._hidden))

    def in_text(self, text: str, name: str = "") -> Iterator[tuple[str, str]]:
        """Kind and detail of each needle in the text of a file of this name."""
        for hit in self.hits_in_text(name, text):
            yield hit.kind, hit.detail

    def hits_in_text(self, name: str, text: str) -> Iterator[Hit]:
        """Each needle in the text, in any of the forms in which it may be quoted, once."""
        text = unix_lines(text.removeprefix(_BYTE_ORDER_MARK))
        python = python_file(text) if name.endswith(_PYTHON) else None
        found: dict[Hit, None] = {}
        if python is not None:
            found |= dict.fromkeys(self._on_page(Page(text), python.functions))
            text = python.prose
        for form in dict.fromkeys((text, *forms(name, text))):
            found |= dict.fromkeys(self._on_page(Page(form), None))
        yield from found

    def hits_in_byte_code(self, name: str, data: bytes) -> Iterator[Hit]:
        """Each hidden function and reference step in a compiled module."""
        for hit, marks in self._marks:
            if marks.are_in(name, data):
                yield hit

    @cached_property
    def _marks(self) -> list[tuple[Hit, CodeMarks]]:
        found = [
            (Hit("byte code", body.path, f"compiled code of {body.name} ({body.path})"), code_marks(body))
            for body in self._hidden
        ]
        for path, text in self._reference:
            hit = Hit("reference step", path, f"compiled step definitions of {path}")
            found += [(hit, code_marks(body)) for body in _step_bodies(path, text)]
        return found

    def _on_page(self, page: Page, functions: Mapping[int, str] | None) -> Iterator[Hit]:
        text = page.squeezed
        sizes = list(self._index.items())
        for offset in page.places():
            for size, by_prefix in sizes:
                for needle in by_prefix.get(text[offset : offset + size], ()):
                    if text.startswith(needle.squeezed, offset) and _counts(needle, page, offset, functions):
                        yield needle.hit


def _counts(needle: _Needle, page: Page, offset: int, functions: Mapping[int, str] | None) -> bool:
    """Whether what stands at the offset is the needle, not code that only looks like it.

    `functions` are those of a page that is Python code, by their first lines.
    """
    body = needle.body
    if body is None or body.recognisable_alone:
        return True
    if not page.ends_line(offset + len(needle.squeezed)):
        return False
    if functions is None:
        return page.nearest_def(offset) == body.name
    around = functions.get(page.number(offset), "")
    return around == body.qualname if body.qualname else around.rpartition(".")[2] == body.name


def _of_body(body: HiddenBody) -> _Needle:
    return _Needle("hidden body", body.path, f"the body of {body.name} ({body.path})", body.squeezed, body)


def _of_test(path: str, text: str) -> Iterator[_Needle]:
    """A reference file's step definitions; the whole of it when it has none."""
    blocks = ["".join(line for _, line in code_lines(block)) for _, block in step_blocks(text)]
    if not blocks:
        blocks = ["".join(line for _, line in code_lines(unix_lines(text.removeprefix(_BYTE_ORDER_MARK))))]
    for block in blocks:
        if block:
            yield _Needle("reference step", path, f"step definitions of {path}", block)


def _step_bodies(path: str, text: str) -> Iterator[HiddenBody]:
    for line, block in step_blocks(text):
        # What only the interpreter's newest syntax can say is still looked for as text.
        with contextlib.suppress(TaskError):
            body = hidden_body(f"{path}:{line}", block)
            if body is not None:
                yield body


def step_blocks(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of each decorated function of a step file, from its first decorator through its body."""
    text = text.removeprefix(_BYTE_ORDER_MARK)
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    lines = unix_lines(text).split("\n")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.decorator_list:
            start = min(decorator.lineno for decorator in node.decorator_list)
            yield start, "\n".join(lines[start - 1 : node.end_lineno])
