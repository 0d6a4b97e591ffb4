"""Hidden code in compiled modules, by what can be read in their bytes: nothing is loaded or run.

The layout of compiled modules differs between versions of Python, but names and strings stand in all of them as they
are. So a module holds a hidden function when it holds the function's name and every name and string that the body
uses; and, being of this interpreter's version, the very instructions. In a module of another version, where the
instructions cannot be compared, the file must also be named like the function's own module, unless the body uses many
names. A view holds no compiled files at all, so a rule that says too much here does no harm.
"""

from __future__ import annotations

import importlib.util
import struct
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

from testmark.req2test.leak_text import HiddenBody

_MANY = 6
_LONGEST_SHORT = 255
_LEAST_STRING = 2


@dataclass(frozen=True)
class CodeMarks:
    """What a function leaves in a compiled module."""

    name: str
    names: frozenset[str]
    """Names and strings that its body uses."""
    instructions: frozenset[bytes]
    """Its instructions at each level of optimisation, for this interpreter."""
    modules: frozenset[str]
    """What a file compiled from its module is called, before the first dot."""

    def are_in(self, file_name: str, data: bytes) -> bool:
        """Whether a compiled module holds the function."""
        if not all(_holds(data, name) for name in (self.name, *self.names)):
            return False
        if data[:4] == importlib.util.MAGIC_NUMBER and self.instructions:
            return any(code in data for code in self.instructions)
        stem = file_name.rsplit("/", 1)[-1].split(".", 1)[0]
        return stem in self.modules or len(self.names) >= _MANY


def code_marks(body: HiddenBody) -> CodeMarks:
    """The marks of a hidden function; without instructions when this interpreter cannot compile it."""
    modules = _compiled_names(body.file)
    codes = [code for level in (0, 1, 2) for code in _compiled(body, level)]
    names = {name for code in codes[:1] for name in _names(code)}
    return CodeMarks(body.name, frozenset(names), frozenset(code.co_code for code in codes), modules)


def _compiled_names(path: str) -> frozenset[str]:
    parts = path.removesuffix(".py").split("/")
    return frozenset({parts[-1], parts[-2]} if parts[-1] == "__init__" and len(parts) > 1 else {parts[-1]})


def _compiled(body: HiddenBody, level: int) -> Iterator[CodeType]:
    """The function compiled in a class of its own class's name, so that private names come out as they did there."""
    owner = body.qualname.rpartition(".")[0].rpartition(".")[2]
    indented = body.text[:1] in {" ", "\t"}
    header = (f"class {owner}:" if owner.isidentifier() else "if True:") if indented else ""
    try:
        with warnings.catch_warnings(action="ignore"):
            code = compile(f"{header}\n{body.text}", "<hidden>", "exec", dont_inherit=True, optimize=level)
    except (SyntaxError, ValueError):
        return
    todo = [code]
    while todo:
        inner = [const for const in todo.pop().co_consts if isinstance(const, CodeType)]
        for candidate in inner:
            if candidate.co_name == body.name:
                yield candidate
                return
        todo += inner


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    doc = code.co_consts[0] if code.co_consts and isinstance(code.co_consts[0], str) else None
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _names(const)
        elif isinstance(const, str) and const != doc and len(const) >= _LEAST_STRING and const.isascii():
            yield const


def _holds(data: bytes, text: str) -> bool:
    """Whether a marshalled string stands in the data: its length in one byte or in four, then its characters."""
    raw = text.encode()
    short = len(raw) <= _LONGEST_SHORT and bytes([len(raw)]) + raw in data
    return short or struct.pack("<i", len(raw)) + raw in data
