"""Predictions as unified diffs against the view: parsed by `unidiff`, applied to the letter."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchedFile, PatchSet

from testmark.records.base import FileText

_SPECIAL = re.compile(
    r"^(?:new file mode 120000|new mode 120000|old mode |new file mode 160000|GIT binary patch|Binary files |"
    r"rename (?:from|to) |copy (?:from|to) |Subproject commit )",
    re.MULTILINE,
)
_SECTION = re.compile(r"^diff --git ", re.MULTILINE)
_TARGET = re.compile(r"^\+\+\+ (?!/dev/null)(?P<name>[^\t\r\n]+)", re.MULTILINE)
_SOURCE = re.compile(r"^--- (?!/dev/null)(?P<name>[^\t\r\n]+)", re.MULTILINE)
_QUOTED = re.compile(rb"\\([0-7]{3}|[abfnrtv\"\\])")
_LETTERS = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_HEADER = re.compile(r"^(?:--- |\+\+\+ |@@ )", re.MULTILINE)


class PatchRefusal(Exception):
    """A patch that is not taken, and the rule."""

    def __init__(self, rule: str, detail: str) -> None:
        super().__init__(detail)
        self.rule = rule
        self.detail = detail


def apply_patch(text: str, view_text: Callable[[str], str | None]) -> list[FileText]:
    """The files that a patch makes or changes, whole; an empty patch gives none. Raises `PatchRefusal`."""
    return [_apply(file, view_text) for file in _parsed(text)] if text.strip() else []


def apply_to_one(text: str, path: str, before: str | None) -> tuple[FileText | None, tuple[str, ...]]:
    """One file as the patch leaves it, None where the patch leaves it alone, and the names of the patch's other files.

    The others may be anything, links and binaries too: nothing of them is read. Raises `PatchRefusal`.
    """
    starts = [match.start() for match in _SECTION.finditer(text)]
    if not starts:
        patch = _parsed(text) if text.strip() else PatchSet("")
        named = [(_name(file), file) for file in patch]
        own = [file for name, file in named if name == path]
        others = [name for name, _ in named if name != path]
    else:
        sections = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
        names = [_section_name(section) for section in sections]
        own = [file for name, section in zip(names, sections, strict=True) if name == path for file in _parsed(section)]
        others = [name for name in names if name != path]
    if len(own) > 1:
        raise PatchRefusal("patch-malformed", f"{path!r}: is in the patch {len(own)} times")
    return (_apply(own[0], lambda _: before) if own else None), tuple(others)


def _section_name(section: str) -> str:
    """The file that a section of git's is about: its name behind the change, before it for a deleted file."""
    for pattern in (_TARGET, _SOURCE):
        match = pattern.search(section)
        if match is not None:
            return _bare(match["name"])
    return section.splitlines()[0].rpartition(" b/")[2]


def _name(file: PatchedFile) -> str:
    return _bare(file.source_file if file.is_removed_file else file.target_file)


def _parsed(text: str) -> PatchSet:
    special = _SPECIAL.search(text)
    if special is not None:
        line = text.count("\n", 0, special.start()) + 1
        raise PatchRefusal(
            "patch-not-plain",
            f"line {line}: `{special.group().strip()}`: only plain edits are taken, no links, modes, renames, binaries",
        )
    try:
        patch = PatchSet(text)
    except (UnidiffParseError, ValueError, IndexError) as error:
        raise PatchRefusal("patch-malformed", f"is not a unified diff ({error})") from error
    if not patch:
        if _HEADER.search(text):
            raise PatchRefusal("patch-malformed", "is not a unified diff")
        raise PatchRefusal("patch-malformed", "holds no hunk")
    return patch


def _apply(file: PatchedFile, view_text: Callable[[str], str | None]) -> FileText:
    path = _name(file)
    if file.is_removed_file:
        raise PatchRefusal("patch-deletes", f"{path!r}: a prediction adds tests, it deletes nothing")
    if not file.is_added_file and _bare(file.source_file) != path:
        raise PatchRefusal("patch-not-plain", f"{path!r}: renames are not taken")
    before = view_text(path)
    if file.is_added_file and before is not None:
        raise PatchRefusal("patch-does-not-apply", f"{path!r}: exists in the view already")
    if not file.is_added_file and before is None:
        raise PatchRefusal("patch-does-not-apply", f"{path!r}: is not in the view")
    return FileText(path=path, content=_patched(path, file, _lines(before or "")))


def _lines(text: str) -> list[str]:
    """Lines with their ends, as patches count them: a line feed ends one and nothing else does."""
    return list(io.StringIO(text, newline="\n"))


def _patched(path: str, file: PatchedFile, lines: list[str]) -> str:
    out: list[str] = []
    position = 0
    for hunk in file:
        start = hunk.source_start - 1 if hunk.source_length else hunk.source_start
        if start < position or start > len(lines):
            raise PatchRefusal(
                "patch-does-not-apply", f"{path!r}: line {hunk.source_start} is not where a hunk can stand"
            )
        out += lines[position:start]
        position = start
        for line in hunk:
            if line.is_added:
                out.append(line.value)
            elif line.is_context or line.is_removed:
                have = lines[position] if position < len(lines) else None
                if have is None or have.rstrip("\r\n") != line.value.rstrip("\r\n"):
                    raise PatchRefusal(
                        "patch-does-not-apply", f"{path!r}: line {position + 1} of the view differs from the patch"
                    )
                if line.is_context:
                    out.append(have)
                position += 1
            elif out and line.line_type == "\\" and out[-1].endswith("\n"):
                out[-1] = out[-1].rstrip("\r\n")
    return "".join([*out, *lines[position:]])


def _bare(name: str) -> str:
    """The path without the `a/` or `b/` that git puts before it, and without the quotes around letters beyond ASCII."""
    if len(name) > 1 and name[0] == name[-1] == '"':
        name = _QUOTED.sub(_unquoted, name[1:-1].encode("utf-8", "replace")).decode("utf-8", "replace")
    return name[2:] if name.startswith(("a/", "b/")) else name


def _unquoted(match: re.Match[bytes]) -> bytes:
    """What an escape of git's stands for: a byte by its octal number, or a letter as C has it."""
    escape = match[1]
    return bytes([int(escape, 8) & 0xFF]) if escape.isdigit() else _LETTERS.get(escape, escape)
