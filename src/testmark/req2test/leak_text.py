"""Hidden code as text: what is looked for, and the forms in which a text may quote it.

A body is compared without white space and comments, so indentation and line breaks do not matter. A *long* body (at
least 3 lines or 100 characters that way, and 60 in any case) is found wherever it stands. A *short* one stands in many
places by itself (`return self._x`): it counts only as whole lines, and only where the nearest `def` before it has its
name. In Python files, where the class around is known as well, a short body counts in the function of the same
qualified name alone: `B.size` may say what the hidden `A.size` says.
"""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from testmark.leaks.quoting import unix_lines
from testmark.source.declarations import declarations

_LONG_CHARACTERS = 100
_LONG_LINES = 3
_LONG_AT_LEAST = 60
_DEF_DISTANCE = 60
"""Lines between a `def` and the short body that belongs to it: room for a docstring."""
_DEF = re.compile(r"^(?:async\s+)?def\s+(\w+)")
_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[^"\'#]+|#.*|.')


@dataclass(frozen=True)
class HiddenBody:
    """One function whose body a view hides."""

    path: str
    """`path:line` of the original."""
    name: str
    text: str = field(repr=False)
    """The whole function, its lines ended by `\n`."""
    lines: tuple[str, ...]
    """Its code lines below header and docstring, without white space and comments."""
    qualname: str = ""
    """With its class; empty when it is not known."""

    @cached_property
    def squeezed(self) -> str:
        """The body as one run of characters."""
        return "".join(self.lines)

    @property
    def recognisable_alone(self) -> bool:
        """Long enough to be found without its header."""
        size = len(self.squeezed)
        return size >= _LONG_CHARACTERS or (size >= _LONG_AT_LEAST and len(self.lines) >= _LONG_LINES)

    @property
    def file(self) -> str:
        """The path of the file it stands in."""
        path, colon, line = self.path.rpartition(":")
        return path if colon and line.isdigit() else self.path


def hidden_body(path: str, text: str, qualname: str = "") -> HiddenBody | None:
    """The body to look for in a function's full text (its first line indented or not); None when it has no code.

    Raises `TaskError` when the text cannot be parsed.
    """
    text = unix_lines(text)
    source = f"if True:\n{text}" if text[:1] in {" ", "\t"} else text
    found = declarations(path, source, "")
    if not found or not found[0].has_code_to_hide:
        return None
    function = found[0]
    data = source.encode("utf-8", "surrogatepass")
    body = data[function.hide_from : function.hide_to].decode("utf-8", "replace")
    lines = tuple(line for _, line in code_lines(body))
    return HiddenBody(path, function.qualname, text, lines, qualname) if lines else None


def code_lines(text: str) -> Iterator[tuple[int, str]]:
    """1-based number and text of each line that holds more than a comment, without comment and white space."""
    for number, line in enumerate(text.split("\n"), 1):
        bare = _uncommented(line) if "#" in line else line
        squeezed = "".join(bare.split())
        if squeezed:
            yield number, squeezed


def _uncommented(line: str) -> str:
    return _COMMENT.sub(lambda found: "" if found.group().startswith("#") else found.group(), line)


class Page:
    """One text without white space and comments, that knows where its lines begin and which `def` is near."""

    def __init__(self, text: str) -> None:
        self.starts: list[int] = []
        """Offsets in `squeezed` at which lines begin."""
        self._numbers: list[int] = []
        self._inline: list[int] = []
        self._defs: list[tuple[int, str]] = []
        originals = text.split("\n")
        pieces = []
        offset = 0
        for number, squeezed in code_lines(text):
            header = _DEF.match(originals[number - 1].lstrip())
            if header is not None:
                self._defs.append((len(self.starts), header.group(1)))
                self._inline += [offset + i + 1 for i, c in enumerate(squeezed[:-1]) if c == ":"]
            self.starts.append(offset)
            self._numbers.append(number)
            pieces.append(squeezed)
            offset += len(squeezed)
        self.squeezed = "".join(pieces)

    def places(self) -> Iterator[int]:
        """Offsets at which a body may begin: lines, and what follows a `def` on its own line."""
        yield from self.starts
        yield from self._inline

    def number(self, offset: int) -> int:
        """The line of the text in which an offset lies."""
        return self._numbers[self._line(offset)]

    def ends_line(self, offset: int) -> bool:
        """Whether a statement ends at this offset."""
        if offset >= len(self.squeezed) or self.squeezed[offset] == ";":
            return True
        at = bisect_left(self.starts, offset)
        return at < len(self.starts) and self.starts[at] == offset

    def nearest_def(self, offset: int) -> str:
        """Name of the last function whose header stands before the offset, within reach; else empty."""
        line = self._line(offset)
        at = bisect_left(self._defs, (line + 1, "")) - 1
        if at < 0 or line - self._defs[at][0] > _DEF_DISTANCE:
            return ""
        return self._defs[at][1]

    def _line(self, offset: int) -> int:
        return bisect_left(self.starts, offset + 1) - 1


@dataclass(frozen=True)
class PythonFile:
    """What a Python file consists of, to tell its code from what its comments and strings quote."""

    functions: Mapping[int, str]
    """Qualified names by the line of the first statement below the docstring."""
    prose: str
    """Comments and strings of more than one line, without their quotes."""


def python_file(text: str) -> PythonFile | None:
    """None for a text that this interpreter does not read as Python."""
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    functions: dict[int, str] = {}
    strings: list[str] = []
    todo: list[tuple[ast.AST, str]] = [(tree, "")]
    while todo:
        node, scope = todo.pop()
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and "\n" in node.value:
                strings.append(node.value)
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            scope = f"{scope}.{node.name}" if scope else node.name
            if not isinstance(node, ast.ClassDef):
                _add_body(node, scope, functions)
        for value in vars(node).values():
            if isinstance(value, ast.AST):
                todo.append((value, scope))
            elif isinstance(value, list):
                todo += [(child, scope) for child in value if isinstance(child, ast.AST)]
    comments = (line.strip()[1:] for line in text.split("\n") if line.lstrip().startswith("#"))
    return PythonFile(functions, "\n".join([*comments, *strings]))


def _add_body(node: ast.FunctionDef | ast.AsyncFunctionDef, qualname: str, functions: dict[int, str]) -> None:
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    if body:
        decorators: list[ast.expr] = getattr(body[0], "decorator_list", [])
        functions[min([body[0].lineno, *(decorator.lineno for decorator in decorators)])] = qualname
