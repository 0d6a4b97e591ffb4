"""Globs over `/`-separated relative paths, the same everywhere in a definition.

`*` and `?` stay within one part of a path, `**` stands for any number of parts (none as well), `[abc]` is one
character of a set. A glob that matches a folder matches all that is in it. (`glob.translate` does this from
Python 3.13 on.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache


def matches(path: str, pattern: str) -> bool:
    """True when `pattern` matches `path` or a folder above it."""
    return _compiled(pattern).fullmatch(path) is not None


def matches_any(path: str, patterns: Sequence[str]) -> bool:
    """True when one of the patterns matches."""
    return any(matches(path, pattern) for pattern in patterns)


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = [part for part in pattern.strip("/").split("/") if part not in {"", "."}]
    regex = ""
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        if part == "**":
            regex += ".+" if last else "(?:[^/]+/)*"
        else:
            regex += _part(part) + ("" if last else "/")
    return re.compile(f"(?s:{regex})(?:/.*)?")


def _part(part: str) -> str:
    regex, at = "", 0
    while at < len(part):
        char = part[at]
        end = part.find("]", at + 2) if char == "[" else -1
        if end > 0:
            body = part[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            regex += f"[^{body[1:]}]" if body.startswith("!") else f"[{body}]"
            at = end
        else:
            regex += {"*": "[^/]*", "?": "[^/]"}.get(char, re.escape(char))
        at += 1
    return regex
