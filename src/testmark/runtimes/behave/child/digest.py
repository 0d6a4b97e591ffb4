"""A digest of a module's byte code that ignores where the code stands: equal digests mean equal behaviour."""

from __future__ import annotations

import hashlib
from types import CodeType
from typing import Any


def code_digest(source: str, filename: str) -> str:
    """SHA-256 over everything that runs; raises `SyntaxError` or `ValueError` when the source does not compile."""
    state = hashlib.sha256()
    _feed(state, compile(source, filename, "exec", dont_inherit=True))
    return state.hexdigest()


def _feed(state: Any, value: Any) -> None:  # noqa: ANN401 - a hash object and any constant
    if isinstance(value, CodeType):
        state.update(b"code(")
        for part in (
            value.co_name,
            value.co_argcount,
            value.co_posonlyargcount,
            value.co_kwonlyargcount,
            value.co_flags,
            value.co_code,
            value.co_names,
            value.co_varnames,
            value.co_freevars,
            value.co_cellvars,
            value.co_consts,
            getattr(value, "co_exceptiontable", b""),
        ):
            _feed(state, part)
        state.update(b")")
    elif isinstance(value, (tuple, frozenset)):
        # A frozenset has no order of its own: sort its members' digests.
        parts = [_digest_of(member) for member in value]
        state.update(type(value).__name__.encode() + b"(")
        for part in sorted(parts) if isinstance(value, frozenset) else parts:
            state.update(part)
        state.update(b")")
    else:
        # The type tells 1, 1.0 and True apart; repr tells 0.0 and -0.0 apart.
        state.update(f"{type(value).__name__}:{value!r};".encode("utf-8", "surrogatepass"))


def _digest_of(value: Any) -> bytes:  # noqa: ANN401
    state = hashlib.sha256()
    _feed(state, value)
    return state.digest()
