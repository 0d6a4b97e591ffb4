"""Functions of a Python file by tree-sitter: what is declared where, and which bytes are a body that can be hidden."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Literal

from testmark.errors import TaskError
from testmark.source.typeparams import without_defaults

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

Kind = Literal["function", "method", "getter", "setter", "deleter"]

_ACCESSORS: dict[str, Kind] = {"getter": "getter", "setter": "setter", "deleter": "deleter"}
_DISPATCHERS = frozenset({"singledispatch", "singledispatchmethod"})
_CONTAINERS = frozenset(
    {
        "module",
        "block",
        "if_statement",
        "elif_clause",
        "else_clause",
        "for_statement",
        "while_statement",
        "try_statement",
        "except_clause",
        "except_group_clause",
        "finally_clause",
        "with_statement",
        "match_statement",
        "case_clause",
    }
)
"""Nodes that hold statements: definitions stand nowhere else, so expressions, however deep, are not walked."""
_LONE_RETURN = re.compile(rb"\r(?!\n)")
_NOT_IMPLEMENTED = re.compile(r"raise\s+NotImplementedError\s*(\(.*\))?", re.DOTALL)
_CONTINUED = re.compile(rb"\\\n|\\\r\n")


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
    body_start_line: int
    """Line of its first statement, the docstring if it has one."""
    end_line: int
    text: str
    """Decorators, signature and docstring, dedented, lines ended by `\\n`: what an agent is shown."""
    public: bool
    """Reachable by public names: private ones start with one underscore; nested functions are not public; a class
    whose name starts with one keeps its methods public; an overload is as public as its generic function."""
    is_nested: bool
    """Defined inside another function, itself or its class."""
    has_code_to_hide: bool
    """False for `pass`, `...`, a docstring or `raise NotImplementedError` alone, and for a `typing.overload`."""
    generic: str | None
    """Qualified name of the generic function of this file that it is registered with (`functools.singledispatch`)."""
    hide_from: int
    """Byte of the UTF-8 text where the code to hide begins, after header and docstring."""
    hide_to: int
    """Byte where it ends: comments at the depth of the body belong to it."""
    indent: str
    """White space before the hidden body's first line; empty when the body stands on the header's line."""

    @property
    def key(self) -> tuple[str, str]:
        """Module and qualified name; setters and deleters end in their kind, overloads have their generic's name."""
        suffix = f".{self.kind}" if self.kind in {"setter", "deleter"} else ""
        return self.module, (self.generic or self.qualname) + suffix


def declarations(path: str, source: str, module: str) -> tuple[Declaration, ...]:
    """All functions of a file in order; raises `TaskError` naming the line that cannot be parsed."""
    # The parser knows no line that ends in a carriage return alone; the interpreter does.
    data = _LONE_RETURN.sub(b"\n", source.encode("utf-8", "surrogatepass"))
    root = _parser().parse(data).root_node
    if root.has_error:
        root = _parser().parse(without_defaults(data)).root_node
    if root.has_error:
        raise TaskError(f"{path}:{_error_line(data, root)}: cannot be parsed as Python; correct the syntax there")
    found = list(_Reader(path, module, data).read(root))
    generics = {one.qualname: one for one, decorators in found if _called(decorators) & _DISPATCHERS}
    return tuple(_registered(one, decorators, generics) for one, decorators in found)


def _registered(declaration: Declaration, decorators: Sequence[str], generics: dict[str, Declaration]) -> Declaration:
    """The declaration, with its generic function when a decorator registers it with one of this file."""
    scope = declaration.qualname.split(".")[:-1]
    for decorator in decorators:
        owner, _, last = _callee(decorator).rpartition(".")
        if last != "register" or not owner:
            continue
        # The name is looked up as Python would: in the innermost scope first.
        for depth in range(len(scope), -1, -1):
            generic = generics.get(".".join((*scope[:depth], owner)))
            if generic is not None:
                return replace(declaration, generic=generic.qualname, public=generic.public)
    return declaration


def _called(decorators: Sequence[str]) -> set[str]:
    """Last names of the decorators: `functools.singledispatch` gives `singledispatch`."""
    return {_callee(decorator).rpartition(".")[2] for decorator in decorators}


def _callee(decorator: str) -> str:
    return decorator.partition("(")[0].strip()


@dataclass(frozen=True)
class _Place:
    """A node to be read and what surrounds it."""

    node: Node
    scope: tuple[str, ...]
    in_class: bool
    nested: bool


class _Reader:
    """Walks one file's statements."""

    def __init__(self, path: str, module: str, data: bytes) -> None:
        self._path = path
        self._module = module
        self._data = data

    def read(self, root: Node) -> Iterator[tuple[Declaration, tuple[str, ...]]]:
        """Each function with the text of its decorators, in the order of the file."""
        todo = [_Place(root, (), in_class=False, nested=False)]
        while todo:
            place = todo.pop()
            whole = node = place.node
            if whole.type == "decorated_definition":
                node = whole.child_by_field_name("definition") or whole
            body = node.child_by_field_name("body")
            scope = (*place.scope, self._text(node.child_by_field_name("name")))
            if node.type == "class_definition" and body is not None:
                todo.append(_Place(body, scope, in_class=True, nested=place.nested))
            elif node.type == "function_definition" and body is not None:
                yield self._function(node, whole, body, replace(place, scope=scope))
                todo.append(_Place(body, scope, in_class=False, nested=True))
            elif node.type in _CONTAINERS:
                todo += [replace(place, node=child) for child in reversed(node.named_children)]

    def _function(self, node: Node, whole: Node, body: Node, place: _Place) -> tuple[Declaration, tuple[str, ...]]:
        decorators = tuple(self._text(child)[1:].strip() for child in whole.children if child.type == "decorator")
        statements = [child for child in body.named_children if child.type != "comment"]
        docstring = statements[0] if self._is_docstring(statements[0]) else None
        code = statements[1:] if docstring is not None else statements
        colon = next(child for child in node.children if child.type == ":")
        hide_from, indent = self._hide_from(colon, docstring, statements[0])
        bare = place.scope[-1]
        declaration = Declaration(
            path=self._path,
            module=self._module,
            qualname=".".join(place.scope),
            kind=_kind(decorators, bare, in_class=place.in_class),
            line=whole.start_point[0] + 1,
            def_line=node.start_point[0] + 1,
            body_start_line=statements[0].start_point[0] + 1,
            end_line=whole.end_point[0] + 1,
            text=self._shown(whole, docstring or colon),
            public=not place.nested and (not bare.startswith("_") or (bare.startswith("__") and bare.endswith("__"))),
            is_nested=place.nested,
            has_code_to_hide="overload" not in _called(decorators) and not all(map(self._is_empty, code)),
            generic=None,
            hide_from=hide_from,
            hide_to=self._hide_to(body, indent),
            indent=indent,
        )
        return declaration, decorators

    def _shown(self, whole: Node, last: Node) -> str:
        """The text from the first decorator through `last`, its lines without the indentation of the first."""
        text = self._data[whole.start_byte : last.end_byte].decode("utf-8", "replace").replace("\r\n", "\n")
        first, *others = text.split("\n")
        pad = self._indent_of(whole)
        return "\n".join([first, *(line.removeprefix(pad) for line in others)])

    def _hide_from(self, colon: Node, docstring: Node | None, first: Node) -> tuple[int, str]:
        """Where hiding begins: behind the docstring, else behind the header, with the comment on that line."""
        between = self._data[colon.end_byte : first.start_byte]
        same_line = b"\n" not in _CONTINUED.sub(b"", between)
        shown = docstring or colon
        if same_line:
            return shown.end_byte, ""
        line_end = self._line_end(shown.end_byte)
        rest = self._data[shown.end_byte : line_end].strip()
        # What follows a docstring on its own line is code, unless it is a comment.
        keeps_line = not rest or rest.startswith(b"#")
        return (line_end if keeps_line else shown.end_byte), self._indent_of(first)

    def _hide_to(self, body: Node, indent: str) -> int:
        """Where hiding ends: behind the last statement and the comments that follow it at its depth."""
        if not indent:
            return body.end_byte
        end = at = self._line_end(body.end_byte)
        while at < len(self._data):
            start = self._data.find(b"\n", at) + 1
            if start == 0:
                break
            at = self._line_end(start)
            line = self._data[start:at]
            if line.strip() and not (line.startswith(indent.encode()) and line.lstrip().startswith(b"#")):
                break
            if line.strip():
                end = at
        return end

    def _line_end(self, offset: int) -> int:
        """The byte where the line at `offset` ends, before `\\r\\n` or `\\n`."""
        end = self._data.find(b"\n", offset)
        end = len(self._data) if end < 0 else end
        return end - 1 if end > offset and self._data[end - 1 : end] == b"\r" else end

    def _indent_of(self, node: Node) -> str:
        """The white space before a node that is the first of its line."""
        start = self._data.rfind(b"\n", 0, node.start_byte) + 1
        before = self._data[start : node.start_byte].decode("utf-8", "replace")
        return before[: len(before) - len(before.lstrip())]

    def _is_docstring(self, statement: Node) -> bool:
        """Whether a statement is a plain string, in brackets or in parts too; bytes and f-strings are none."""
        if statement.type != "expression_statement" or statement.named_child_count != 1:
            return False
        value = statement.named_children[0]
        while value.type == "parenthesized_expression" and value.named_child_count == 1:
            value = value.named_children[0]
        parts = value.named_children if value.type == "concatenated_string" else [value]
        return all(part.type == "string" and not set(self._prefix(part)) & set("bft") for part in parts)

    def _prefix(self, string: Node) -> str:
        return self._text(string.children[0]).rstrip("\"'").lower()

    def _is_empty(self, statement: Node) -> bool:
        text = self._text(statement).strip()
        return text in {"pass", "..."} or _NOT_IMPLEMENTED.fullmatch(text) is not None or self._is_docstring(statement)

    def _text(self, node: Node | None) -> str:
        return "" if node is None else self._data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _kind(decorators: Sequence[str], name: str, *, in_class: bool) -> Kind:
    """What calls the function: attribute access for accessors of `property` and of its likes (`lazyproperty`)."""
    for decorator in decorators:
        owner, _, last = _callee(decorator).rpartition(".")
        if last in _ACCESSORS and owner.rpartition(".")[2] == name:
            return _ACCESSORS[last]
        if in_class and last.lower().endswith("property"):
            return "getter"
    return "method" if in_class else "function"


def _error_line(data: bytes, root: Node) -> int:
    """The line that Python itself complains about; where it does not, the first at which the parser gave up."""
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(data)
    except SyntaxError as error:
        if error.lineno is not None:
            return error.lineno
    except ValueError:
        # NUL bytes, of which older interpreters do not say where they stand.
        return data[: data.find(b"\0")].count(b"\n") + 1
    node = root
    while not (node.type == "ERROR" or node.is_missing):
        inner = next((child for child in node.children if child.has_error or child.is_missing), None)
        if inner is None:
            break
        node = inner
    return node.start_point[0] + 1


@cache
def _parser() -> Parser:
    import tree_sitter_python
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_python.language()))
