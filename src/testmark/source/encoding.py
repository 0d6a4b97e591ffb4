"""The bytes of a program's text. It runs inside the projects' interpreters too, so it depends on nothing else."""

from __future__ import annotations

import io
import tokenize


def encode(path: str, text: str) -> bytes:
    """UTF-8, but a Python file that declares another encoding (PEP 263) is written in that one.

    What cannot be written so stays UTF-8, with undecodable bytes as they were (PEP 383); compiling it shows the fault.
    """
    plain = text.encode("utf-8", "surrogateescape")
    if not path.endswith(".py"):
        return plain
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(plain).readline)
        return plain if encoding.startswith("utf-8") else text.encode(encoding)
    except (SyntaxError, UnicodeError, LookupError):
        return plain
