"""The forms in which a text may quote another one."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator

_BREAK = re.compile(r"<(?:br|/p|/div|/li|/tr|/pre)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_HUNK = re.compile(r"^(?:@@ |diff |--- |\*\*\* |Index: )", re.MULTILINE)
_MARK = re.compile(r"^\s*(?:>>>|\.\.\.|//+|[+\-|>*#]+|\d+[:.|)]?(?=\s|$))[ \t]?")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_MARKED = re.compile(r"^\s*(?:>>>|//|[+\-|>*#]|\d+[:.|)]?\s)", re.MULTILINE)


def unix_lines(text: str) -> str:
    """The text with `\n` at the end of every line, so that all texts are compared line by line alike."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def forms(name: str, text: str) -> Iterator[str]:
    """A text as it would read without HTML, diff marks, prompts, line numbers, comment signs or quoting in JSON.

    The text itself is not among them.
    """
    if "&" in text or "</" in text:
        yield html.unescape(_TAG.sub("", _BREAK.sub("\n", text)))
    if _HUNK.search(text):
        lines = text.split("\n")
        yield "\n".join(line[1:] for line in lines if not line.startswith("+"))
        yield "\n".join(line[1:] for line in lines if not line.startswith("-"))
    if _MARKED.search(text):
        yield "\n".join(_MARK.sub("", line) for line in text.split("\n"))
    if name.endswith(".ipynb"):
        yield "".join(_notebook_lines(text))
    if "\\n" in text:
        # Halves of a pair of UTF-16 that stand as two escapes are one letter.
        halves = _ESCAPE.sub(_unescaped, text)
        yield halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _unescaped(found: re.Match[str]) -> str:
    letter = found[1]
    return chr(int(letter[1:], 16)) if len(letter) > 1 else _LETTERS.get(letter, letter)


def _notebook_lines(text: str) -> Iterator[str]:
    try:
        cells = json.loads(text).get("cells", [])
    except (ValueError, AttributeError):
        return
    for cell in cells if isinstance(cells, list) else []:
        source = cell.get("source", []) if isinstance(cell, dict) else []
        yield from [source] if isinstance(source, str) else [str(line) for line in source]
        yield "\n"
