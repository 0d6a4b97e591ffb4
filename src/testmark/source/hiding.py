"""Hiding bodies: the view's copy of a production file."""

from __future__ import annotations

from collections.abc import Iterable

from testmark.source.declarations import Declaration

_HIDDEN = b"raise NotImplementedError"


def hide_bodies(source: str, hidden: Iterable[Declaration]) -> str:
    """The source with each body replaced by its docstring and `raise NotImplementedError`, nothing else changed.

    `hidden` are declarations of this very text. Lines may shift. A function inside a hidden one is gone with it.
    """
    data = source.encode("utf-8", "surrogatepass")
    newline = _newline(data)
    pieces: list[bytes] = []
    shown_to = 0
    for declaration in sorted(hidden, key=lambda declaration: (declaration.hide_from, -declaration.hide_to)):
        if declaration.hide_from < shown_to:
            continue
        before = data[shown_to : declaration.hide_from]
        pieces += [before, _replacement(declaration, before, newline)]
        shown_to = declaration.hide_to
    return b"".join([*pieces, data[shown_to:]]).decode("utf-8", "surrogatepass")


def _replacement(declaration: Declaration, before: bytes, newline: bytes) -> bytes:
    if declaration.indent:
        return newline + declaration.indent.encode() + _HIDDEN
    # On the header's line the body follows the colon, or the docstring there.
    return (b" " if before.endswith(b":") else b"; ") + _HIDDEN


def _newline(data: bytes) -> bytes:
    """How lines end in most of the text."""
    windows = data.count(b"\r\n")
    unix = data.count(b"\n") - windows
    mac = data.count(b"\r") - windows
    if windows > max(unix, mac):
        return b"\r\n"
    return b"\r" if mac > unix else b"\n"
