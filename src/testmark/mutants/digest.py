"""A digest of what a source text compiles to, to find mutants that are equal to the original or to each other.

Uses the standard library only, imports nothing of testmark and runs on Python 3.9 to 3.14, so that the interpreter of
the project can execute it (`python digest.py` reads requests from stdin, see `main`). Digests of different Python
versions do not compare.
"""

from __future__ import annotations

import dis
import hashlib
import json
import sys
import warnings
from types import CodeType
from typing import Any


def code_digest(source: str, filename: str) -> str:
    """SHA-256 of everything that runs and of nothing that only says where it stands.

    Left out: file names, line numbers and positions. Constants are told apart by type and by sign of zero (`1`, `True`
    and `1.0`; `0.0` and `-0.0`). Raises `SyntaxError` or `ValueError` when the source does not compile, and
    `RecursionError` when it is nested too deeply.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(source, filename, "exec", dont_inherit=True)
    return hashlib.sha256(_canonical(code).encode("utf-8", "surrogatepass")).hexdigest()


def _parts(code: CodeType) -> tuple[Any, ...]:
    return (
        code.co_name,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_flags,
        _without_first_line(code),
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        _constants(code),
        getattr(code, "co_exceptiontable", b""),
    )


_FIRST_LINE = "__firstlineno__"


def _without_first_line(code: CodeType) -> bytes:
    """The instructions, less what loads the line that the body of a class stores in itself since Python 3.13."""
    if _FIRST_LINE not in code.co_names:
        return code.co_code
    instructions = bytearray(code.co_code)
    before = None
    for instruction in dis.get_instructions(code):
        if instruction.opname == "STORE_NAME" and instruction.argval == _FIRST_LINE and before is not None:
            instructions[before.offset : before.offset + 2] = bytes(2)
        before = instruction
    return bytes(instructions)


def _constants(code: CodeType) -> tuple[Any, ...]:
    if _FIRST_LINE not in code.co_names:
        return code.co_consts
    line = code.co_firstlineno
    return tuple(_FIRST_LINE if type(value) is int and value == line else value for value in code.co_consts)


def _canonical(value: object) -> str:
    """A text that two values share when they mean the same: `repr` tells types and signs of zero apart."""
    if isinstance(value, CodeType):
        return "code(" + ",".join(map(_canonical, _parts(value))) + ")"
    if isinstance(value, tuple):
        return "(" + ",".join(map(_canonical, value)) + ",)"
    if isinstance(value, frozenset):
        return "frozenset(" + ",".join(sorted(map(_canonical, value))) + ")"
    if isinstance(value, slice):  # a constant since Python 3.14
        return "slice" + _canonical((value.start, value.stop, value.step))
    return repr(value)


def main() -> None:
    """Answer requests, one JSON array `[source, filename]` a line, with one JSON value a line.

    The value is the digest, or null when the source does not compile.
    """
    for line in sys.stdin:
        source, filename = json.loads(line)
        try:
            answer: str | None = code_digest(source, filename)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            answer = None
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
