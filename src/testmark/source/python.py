"""Python programs by tree-sitter: functions with their declarations, and hiding their bodies."""

from __future__ import annotations

import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from testmark.errors import TaskError

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

Kind = Literal["function", "method", "getter", "setter", "deleter"]

_ACCESSORS: dict[str, Kind] = {"getter": "getter", "setter": "setter", "deleter": "deleter"}


@dataclass(frozen=True)
class Declaration:
    """One function or method of a file."""

    path: str
    module: str
    qualname: str
    """As Python's `__qualname__`, without `<locals>`."""
    kind: Kind
    line: int
    """First line of its code: of its first decorator, or of `def` (CPython's `co_firstlineno`)."""
    def_line: int
    end_line: int
    text: str
    """Decorators, signature and docstring, dedented: what an agent is shown."""
    public: bool
    """Private names start with one underscore; a class whose name does keeps its methods public."""
    is_nested: bool
    """Defined inside another function."""
    has_code_to_hide: bool
    """False for a body of `pass`, `...`, a docstring or `raise NotImplementedError` alone."""
    generic: str | None
    """Qualified name of the generic function that this is an overload of (`functools.singledispatch`)."""
    hide_from: int
    """Byte where the code to hide begins, after header and docstring."""
    hide_to: int
    indent: str
    """White space before the hidden body's first line; empty when the body stands on the header's line."""

    @property
    def key(self) -> tuple[str, str]:
        """Module and qualified name; setters and deleters end in their kind, as their decorators do."""
        suffix = f".{self.kind}" if self.kind in {"setter", "deleter"} else ""
        return self.module, self.qualname + suffix


def read_source(path: Path) -> str:
    """The text of a Python file in its declared encoding (PEP 263), line ends as they are.

    Raises `TaskError` when it cannot be decoded.
    """
    data = path.read_bytes()
    try:
        with path.open("rb") as handle:
            encoding, _ = tokenize.detect_encoding(handle.readline)
        return data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise TaskError(f"{path}: cannot be decoded ({error}); declare its encoding or save it as UTF-8") from error


def module_name(path: str, import_paths: Sequence[str]) -> str:
    """The dotted name under which a file is imported, given the folders on the search path."""
    inside = [
        p.rstrip("/") for p in import_paths if p.rstrip("/") not in {"", "."} and path.startswith(p.rstrip("/") + "/")
    ]
    longest = max(inside, key=len, default="")
    bare = path[len(longest) + 1 :] if longest else path
    return bare.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def declarations(path: str, source: str, module: str) -> tuple[Declaration, ...]:
    """All functions of a file in order; raises `TaskError` naming the line that cannot be parsed."""
    data = source.encode("utf-8", "surrogatepass")
    root = _parser().parse(data).root_node
    if root.has_error:
        raise TaskError(f"{path}:{_error_line(root)}: cannot be parsed as Python")
    return tuple(_Reader(path, module, data).read(root, (), nested=False))


def declaration_at(found: Sequence[Declaration], line: int) -> Declaration | None:
    """The function whose code begins at this line."""
    return next((declaration for declaration in found if declaration.line == line), None)


def innermost(found: Sequence[Declaration], line: int) -> Declaration | None:
    """The innermost function that contains the line."""
    around = [declaration for declaration in found if declaration.line <= line <= declaration.end_line]
    return min(around, key=lambda declaration: declaration.end_line - declaration.line, default=None)


def hide_bodies(source: str, hidden: Sequence[Declaration]) -> str:
    """The source with each body replaced by its docstring and `raise NotImplementedError`, nothing else changed."""
    data = source.encode("utf-8", "surrogatepass")
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    end = len(data)
    # From the back, so that offsets stay right; a function inside a hidden one is gone with it.
    outer = [
        h
        for h in hidden
        if not any(o is not h and o.hide_from <= h.hide_from and h.hide_to <= o.hide_to for o in hidden)
    ]
    for declaration in sorted(outer, key=lambda declaration: declaration.hide_from, reverse=True):
        body = b"raise NotImplementedError"
        if declaration.indent:
            body = newline + declaration.indent.encode() + body
        else:
            body = (b"; " if data[: declaration.hide_from].rstrip().endswith((b'"', b"'")) else b" ") + body
        data = data[: declaration.hide_from] + body + data[min(declaration.hide_to, end) :]
    return data.decode("utf-8", "surrogatepass")


class _Reader:
    """Walks one file's tree."""

    def __init__(self, path: str, module: str, data: bytes) -> None:
        self._path = path
        self._module = module
        self._data = data

    def read(self, node: Node, scope: tuple[str, ...], *, nested: bool) -> Iterator[Declaration]:
        for child in node.named_children:
            if child.type == "decorated_definition":
                inner = child.child_by_field_name("definition")
                if inner is not None:
                    yield from self._definition(inner, child, scope, nested=nested)
            else:
                yield from self._definition(child, child, scope, nested=nested)

    def _definition(self, node: Node, whole: Node, scope: tuple[str, ...], *, nested: bool) -> Iterator[Declaration]:
        name = self._text(node.child_by_field_name("name"))
        body = node.child_by_field_name("body")
        if node.type == "class_definition" and body is not None:
            yield from self.read(body, (*scope, name), nested=nested)
        elif node.type == "function_definition" and body is not None:
            yield self._function(node, whole, body, (*scope, name), nested=nested)
            yield from self.read(body, (*scope, name), nested=True)
        else:
            # Definitions stand inside `if`, `try`, `with` and the like too.
            yield from self.read(node, scope, nested=nested)

    def _function(self, node: Node, whole: Node, body: Node, names: tuple[str, ...], *, nested: bool) -> Declaration:
        decorators = [self._text(child)[1:].strip() for child in whole.children if child.type == "decorator"]
        kind, generic = self._role(decorators, names, in_class=_is_in_class(whole))
        statements = [child for child in body.named_children if child.type != "comment"]
        docstring = statements[0] if statements and self._is_string(statements[0]) else None
        code = statements[1:] if docstring is not None else statements
        colon = next(child for child in node.children if child.type == ":")
        shown_to = docstring.end_byte if docstring is not None else colon.end_byte
        hide_from, indent = self._hide_from(colon, docstring, statements[0])
        bare = names[-1]
        return Declaration(
            path=self._path,
            module=self._module,
            qualname=".".join(names),
            kind=kind,
            line=whole.start_point[0] + 1,
            def_line=node.start_point[0] + 1,
            end_line=whole.end_point[0] + 1,
            text=_dedent(self._data[whole.start_byte : shown_to].decode("utf-8", "replace"), whole.start_point[1]),
            public=not bare.startswith("_") or (bare.startswith("__") and bare.endswith("__")),
            is_nested=nested,
            has_code_to_hide=not all(self._is_empty(statement) for statement in code),
            generic=generic,
            hide_from=hide_from,
            hide_to=self._hide_to(body, indent),
            indent=indent,
        )

    def _role(self, decorators: Sequence[str], names: tuple[str, ...], *, in_class: bool) -> tuple[Kind, str | None]:
        kind: Kind = "method" if in_class else "function"
        generic = None
        for decorator in decorators:
            callee = decorator.partition("(")[0].strip()
            owner, _, last = callee.rpartition(".")
            if last in _ACCESSORS and owner == names[-1]:
                kind = _ACCESSORS[last]
            elif last == "register" and owner and "." not in owner:
                generic = ".".join((*names[:-1], owner))
            elif "property" in last.lower() and in_class:
                kind = "getter"
        return kind, generic

    def _hide_from(self, colon: Node, docstring: Node | None, first: Node) -> tuple[int, str]:
        """Where hiding begins: behind the docstring, else behind the header with the comment on its line."""
        if docstring is not None:
            same_line = docstring.start_point[0] == colon.end_point[0]
            return docstring.end_byte, "" if same_line else self._indent_of(docstring)
        if first.start_point[0] == colon.end_point[0]:
            return colon.end_byte, ""
        end = self._data.find(b"\n", colon.end_byte)
        return len(self._data[:end].rstrip(b"\r")), self._indent_of(first)

    def _hide_to(self, body: Node, indent: str) -> int:
        """Where hiding ends: behind the last statement and the comments that follow it at its indentation."""
        end = body.end_byte
        if not indent:
            return end
        while True:
            line_end = self._data.find(b"\n", end)
            if line_end < 0:
                return end
            following = self._data.find(b"\n", line_end + 1)
            line = self._data[line_end + 1 : following if following >= 0 else len(self._data)]
            if not line.lstrip().startswith(b"#") or not line.startswith(indent.encode()):
                return end
            end = line_end + 1 + len(line.rstrip(b"\r"))

    def _indent_of(self, node: Node) -> str:
        start = self._data.rfind(b"\n", 0, node.start_byte) + 1
        return self._data[start : node.start_byte].decode("utf-8", "replace")

    def _is_string(self, statement: Node) -> bool:
        return (
            statement.type == "expression_statement"
            and statement.named_child_count == 1
            and statement.named_children[0].type in {"string", "concatenated_string"}
            and not self._text(statement).lstrip("rRuU").startswith(("f", "F", "b", "B"))
        )

    def _is_empty(self, statement: Node) -> bool:
        text = self._text(statement).strip()
        return text in {"pass", "..."} or text.startswith("raise NotImplementedError") or self._is_string(statement)

    def _text(self, node: Node | None) -> str:
        return "" if node is None else self._data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _is_in_class(node: Node) -> bool:
    parent = node.parent
    while parent is not None and parent.type != "function_definition":
        if parent.type == "class_definition":
            return True
        parent = parent.parent
    return False


def _dedent(text: str, columns: int) -> str:
    """The text with its first line's indentation taken from the lines after it."""
    lines = text.replace("\r\n", "\n").split("\n")
    pad = " " * columns
    return "\n".join([lines[0], *(line.removeprefix(pad) for line in lines[1:])])


def _error_line(root: Node) -> int:
    todo = [root]
    while todo:
        node = todo.pop(0)
        if node.type == "ERROR" or node.is_missing:
            return node.start_point[0] + 1
        todo += [child for child in node.children if child.has_error or child.is_missing]
    return root.start_point[0] + 1


@cache
def _parser() -> Parser:
    import tree_sitter_python
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_python.language()))
