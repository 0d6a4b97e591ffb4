"""Python programs: their text, their modules' names, and their functions by place."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from testmark.errors import TaskError
from testmark.source.declarations import Declaration, Kind, declarations
from testmark.source.hiding import hide_bodies

__all__ = [
    "Declaration",
    "Kind",
    "declaration_at",
    "declarations",
    "hide_bodies",
    "innermost",
    "module_name",
    "read_source",
    "source_lines",
]


def read_source(path: Path) -> str:
    """The text of a Python file in its declared encoding (PEP 263), line ends as they are, no byte order mark.

    Raises `TaskError` when it cannot be read or decoded.
    """
    try:
        data = path.read_bytes()
        with path.open("rb") as handle:
            encoding, _ = tokenize.detect_encoding(handle.readline)
        return data.decode(encoding)
    except OSError as error:
        raise TaskError(f"{path}: cannot be read ({error.strerror}); check that it exists and its mode") from error
    except (SyntaxError, UnicodeError, LookupError) as error:
        raise TaskError(f"{path}: cannot be decoded ({error}); declare its encoding or save it as UTF-8") from error


def source_lines(text: str) -> list[str]:
    """A program's lines with their ends, as its interpreter counts them: form feeds and the like end none."""
    return list(io.StringIO(text, newline=""))


def module_name(path: str, import_paths: Sequence[str]) -> str:
    """The dotted name under which a file is imported, given the folders on the search path (`.` is the project)."""
    file = PurePosixPath(path)
    inside = [folder for folder in map(PurePosixPath, import_paths) if file.is_relative_to(folder)]
    longest = max(inside, key=lambda folder: len(folder.parts), default=PurePosixPath())
    parts = list(file.relative_to(longest).with_suffix("").parts)
    if len(parts) > 1 and parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


def declaration_at(found: Sequence[Declaration], line: int) -> Declaration | None:
    """The function whose code begins at this line (CPython's `co_firstlineno`)."""
    return next((declaration for declaration in found if declaration.line == line), None)


def innermost(found: Sequence[Declaration], line: int) -> Declaration | None:
    """The innermost function that contains the line."""
    around = [declaration for declaration in found if declaration.line <= line <= declaration.end_line]
    return min(around, key=lambda declaration: declaration.end_line - declaration.line, default=None)
