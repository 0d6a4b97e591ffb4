"""Hidden code in compiled modules, by what can be read in their bytes: nothing is loaded or run.

The layout of compiled modules differs between versions of Python, but names and strings stand in all of them as they
are. So a module holds a hidden function when it holds the name of the function, of its class, and every name and
string that the body uses; and, being of this interpreter's version, the very instructions. Dependencies of the project
are compiled too, and short functions look alike everywhere: the file must also be named like the function's own module,
unless the body is long (see `leak_text`) and its instructions are there.
"""

from __future__ import annotations

import importlib.util
import struct
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

from testmark.req2test.leak_text import HiddenBody

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
    recognisable_alone: bool
    """Long enough to be told apart by its instructions, whatever the file is called."""

    def are_in(self, file_name: str, data: bytes) -> bool:
        """Whether a compiled module holds the function."""
        if not all(_holds(data, name) for name in (self.name, *self.names)):
            return False
        own_name = file_name.rsplit("/", 1)[-1].split(".", 1)[0] in self.modules
        if data[:4] == importlib.util.MAGIC_NUMBER and self.instructions:
            return (own_name or self.recognisable_alone) and any(code in data for code in self.instructions)
        return own_name


def code_marks(body: HiddenBody) -> CodeMarks:
    """The marks of a hidden function; without instructions when this interpreter cannot compile it."""
    modules = _compiled_names(body.file)
    codes = [code for level in (0, 1, 2) for code in _compiled(body, level)]
    names = {name for code in codes[:1] for name in _names(code)} | ({_owner(body)} - {""})
    return CodeMarks(
        body.name, frozenset(names), frozenset(code.co_code for code in codes), modules, body.recognisable_alone
    )


def _owner(body: HiddenBody) -> str:
    """The class around the function, when it is known."""
    owner = body.qualname.rpartition(".")[0].rpartition(".")[2]
    return owner if owner.isidentifier() else ""


def _compiled_names(path: str) -> frozenset[str]:
    parts = path.removesuffix(".py").split("/")
    return frozenset({parts[-1], parts[-2]} if parts[-1] == "__init__" and len(parts) > 1 else {parts[-1]})


def _compiled(body: HiddenBody, level: int) -> Iterator[CodeType]:
    """The function compiled in a class of its own class's name, so that private names come out as they did there."""
    owner = _owner(body)
    indented = body.text[:1] in {" ", "\t"}
    header = (f"class {owner}:" if owner else "if True:") if indented else ""
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
