"""Java files whose text cannot be had as their build reads them; all else is taken for UTF-8, here and by Maven alike.

A worker compiles texts and Maven files. Both compile the same only where the bytes are the same characters to either.
"""

from __future__ import annotations

from testmark.records.builds import BuiltModule

_UTF_8 = frozenset({"utf-8", "utf8"})


def not_utf_8(text: str, module: BuiltModule) -> str:
    """Why a file of a module cannot be rewritten without changing its characters; empty when it can.

    `text` was decoded as UTF-8, with replacement characters or surrogates for bytes that are none.
    """
    if text.isascii():
        return ""
    if any(letter == "\ufffd" or "\ud800" <= letter <= "\udfff" for letter in text):
        return "its bytes are not UTF-8"
    declared = _encoding(module)
    if declared and declared.lower() not in _UTF_8:
        return f"its build reads it as {declared}, and it has letters beyond ASCII"
    return ""


def _encoding(module: BuiltModule) -> str:
    options = (*module.compiler, "")
    return options[options.index("-encoding") + 1] if "-encoding" in options else ""
