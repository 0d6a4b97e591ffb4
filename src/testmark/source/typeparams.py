"""Defaults of type parameters (PEP 696, Python 3.13), which the grammar does not know yet."""

from __future__ import annotations

import re

_HEADER = re.compile(rb"(?m)^[^\S\n]*(?:(?:async[^\S\n]+)?def|class|type)[^\S\n]+[^\W\d]\w*[^\S\n]*\[")
_TOKEN = re.compile(
    rb"(?s)[rRbBuUfFtT]{0,2}(?:'''(?:\\.|.)*?'''|\"\"\"(?:\\.|.)*?\"\"\"|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\")"
    rb"|#[^\n]*|[=!<>:]=|[\[\](){},=]"
)


def without_defaults(data: bytes) -> bytes:
    """The text with blanks for every default, so that each other byte stays where it is.

    For parsing alone, and only where the parser gave up on the text itself: a string that quotes such a header may get
    blanks too.
    """
    masked = bytearray(data)
    for header in _HEADER.finditer(data):
        for start, end in _defaults(data, header.end()):
            masked[start:end] = re.sub(rb"[^\n\r]", b" ", data[start:end])
    return bytes(masked)


def _defaults(data: bytes, position: int) -> list[tuple[int, int]]:
    """Where each `= default` stands in the type parameters that begin at a position; none if they do not end."""
    found: list[tuple[int, int]] = []
    depth, begin = 0, -1
    for token in _TOKEN.finditer(data, position):
        sign = token.group()
        if depth == 0 and begin >= 0 and sign in {b",", b"]"}:
            found.append((begin, token.start()))
            begin = -1
        if depth == 0 and sign == b"]":
            return found
        if sign in {b"[", b"(", b"{"}:
            depth += 1
        elif sign in {b"]", b")", b"}"}:
            depth -= 1
        elif depth == 0 and sign == b"=" and begin < 0:
            begin = token.start()
    return []
