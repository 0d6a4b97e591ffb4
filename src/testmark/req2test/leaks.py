"""Looks for hidden code where an agent could find it: as text, as byte code, in archives, installed, in history.

A hidden body counts as found where all of its code lines stand in order, comments and blank lines aside, however they
are indented, quoted in HTML, or marked by a diff; and, as short bodies stand in many places by themselves, only where
the `def` of the same name stands within a few lines before, or the body is long enough to be recognised alone.
"""

from __future__ import annotations

import bz2
import gzip
import html
import io
import json
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_LONE_LINES = 3
_LONE_CHARACTERS = 100
_DEF_DISTANCE = 15
_MOST_BYTES = 64 << 20
_MOST_MEMBERS = 20_000
_DEEPEST = 4
_HISTORY = {".git", ".hg", ".svn", ".bzr", "CVS", "_darcs"}
_BUNDLE = b"# v2 git bundle"
_BYTE_CODE = (".pyc", ".pyo")
_MARK = re.compile(r"^[+\-|>#*]+\s")
_PROMPT = re.compile(r"^(?:>>>|\.\.\.)\s?")


@dataclass(frozen=True)
class HiddenBody:
    """One function whose body a view hides."""

    path: str
    name: str
    lines: tuple[str, ...]
    """Its code lines below header and docstring, normalised."""

    @property
    def recognisable_alone(self) -> bool:
        """Long enough to be found without its header."""
        return len(self.lines) >= _LONE_LINES and sum(map(len, self.lines)) >= _LONE_CHARACTERS


@dataclass(frozen=True)
class Leak:
    """One place where something hidden can be found."""

    kind: str
    path: str
    detail: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.path}: {self.detail}"


def hidden_body(path: str, text: str) -> HiddenBody | None:
    """The body to look for in a function's full text; None when it has no code of its own."""
    import ast
    import textwrap

    source = textwrap.dedent(text.replace("\r\n", "\n"))
    try:
        (function,) = (n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    except (SyntaxError, ValueError):
        return None
    statements = function.body
    first = statements[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        statements = statements[1:]
    if not statements:
        return None
    begin = min([statements[0].lineno, *(d.lineno for d in getattr(statements[0], "decorator_list", ()))])
    body = normalised("\n".join(source.split("\n")[begin - 1 : function.end_lineno]))
    return HiddenBody(path, function.name, tuple(body)) if body else None


def normalised(text: str) -> list[str]:
    """Code lines with their white space made one, comments and blank lines gone."""
    found = []
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        code = re.sub(r"\s+#\s.*$", "", stripped) if stripped.count("#") == 1 and "'" not in stripped else stripped
        found.append(" ".join(code.split()))
    return found


def _views_of(text: str) -> Iterator[list[str]]:
    """The text as it stands, and as it would be without diff marks, prompts, HTML escapes or notebook quoting."""
    yield normalised(text)
    if "&" in text or "</" in text:
        yield normalised(html.unescape(re.sub(r"</?[a-zA-Z][^<>]*>", "", text)))
    if _MARK.search(text) or re.search(r"^[+\-]", text, re.MULTILINE):
        yield normalised("\n".join(re.sub(r"^[+\- ]", "", line) for line in text.splitlines()))
    if ">>> " in text:
        yield normalised("\n".join(_PROMPT.sub("", line.strip()) for line in text.splitlines()))
    if text.lstrip().startswith("{") and '"cells"' in text:
        yield normalised("".join(_notebook_lines(text)))


def _notebook_lines(text: str) -> Iterator[str]:
    try:
        cells = json.loads(text).get("cells", [])
    except (ValueError, AttributeError):
        return
    for cell in cells:
        source = cell.get("source", []) if isinstance(cell, dict) else []
        yield from [source] if isinstance(source, str) else [str(line) for line in source]
        yield "\n"


class Needles:
    """Everything that must not be found, ready to be looked for in many texts."""

    def __init__(self, hidden: Iterable[HiddenBody], reference: Iterable[tuple[str, str]] = ()) -> None:
        self._hidden = list(dict.fromkeys(hidden))
        self._reference = [(path, tuple(block)) for path, text in reference for block in step_blocks(text)]

    def in_text(self, text: str) -> Iterator[tuple[str, str]]:
        """Kind and detail of each needle in the text."""
        seen: set[tuple[str, str]] = set()
        for lines in _views_of(text):
            joined = "\n" + "\n".join(lines) + "\n"
            for body in self._hidden:
                if ("hidden body", body.name) not in seen and _holds(joined, body):
                    seen.add(("hidden body", body.name))
                    yield "hidden body", f"the body of {body.name} ({body.path})"
            for path, block in self._reference:
                if ("reference step", path) not in seen and "\n" + "\n".join(block) + "\n" in joined:
                    seen.add(("reference step", path))
                    yield "reference step", f"step definitions of {path}"

    def in_byte_code(self, name: str, data: bytes) -> Iterator[tuple[str, str]]:
        """Hidden functions in a compiled module: its file is named like their module and holds their names."""
        stem = name.rsplit("/", 1)[-1].split(".", 1)[0]
        for body in self._hidden:
            own = body.path.partition(":")[0].rsplit("/", 1)[-1].removesuffix(".py")
            package = body.path.partition(":")[0].rsplit("/", 2)[-2] if own == "__init__" else own
            if stem in {own, package} and body.name.encode() in data:
                yield "byte code", f"compiled code of {body.name} ({body.path})"


def _holds(joined: str, body: HiddenBody) -> bool:
    block = "\n" + "\n".join(body.lines) + "\n"
    start = joined.find(block)
    while start >= 0:
        if body.recognisable_alone:
            return True
        before = joined[:start].split("\n")[-_DEF_DISTANCE:]
        if any(re.match(rf"(?:async )?def {re.escape(body.name)}\b", line) for line in before):
            return True
        start = joined.find(block, start + 1)
    return False


def step_blocks(text: str) -> Iterator[list[str]]:
    """Each decorated function of a step file from its decorator through its body, normalised."""
    import ast

    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    lines = text.splitlines()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.decorator_list:
            start = min(decorator.lineno for decorator in node.decorator_list)
            block = normalised("\n".join(lines[start - 1 : node.end_lineno]))
            if block:
                yield block


def check_tree(
    root: Path, needles: Needles, *, label: str = "", skip: Callable[[str], bool] = lambda _path: False
) -> list[Leak]:
    """Leaks in a folder; paths for which `skip` holds are not read. Links out of the folder are leaks themselves."""
    leaks = []
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root).as_posix()
        shown = f"{label}{relative}"
        parts = relative.split("/")
        if set(parts) & _HISTORY:
            if parts[-1] in _HISTORY:
                leaks.append(Leak("history", shown, "version control"))
            continue
        if path.is_symlink():
            if not path.resolve().is_relative_to(root.resolve()):
                leaks.append(Leak("link", shown, f"points outside, to {path.readlink()}"))
            continue
        if path.is_file() and not skip(relative):
            leaks += [Leak(kind, shown, detail) for kind, detail in check_file(relative, path.read_bytes(), needles)]
    return leaks


def check_file(name: str, data: bytes, needles: Needles, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Kind and detail of each leak in one file, archives opened in memory."""
    if data.startswith(_BUNDLE):
        yield "history", "a bundle of version control"
        return
    if name.endswith(_BYTE_CODE):
        yield from needles.in_byte_code(name, data)
        return
    if depth < _DEEPEST:
        members = list(_members(name, data))
        if members:
            for inner, content in members:
                for kind, detail in check_file(inner, content, needles, depth + 1):
                    yield kind, f"{detail}, in its member {inner}"
            return
    if len(data) <= _MOST_BYTES:
        yield from needles.in_text(data.decode("utf-8", "replace"))


def _members(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """The files of an archive; none when it is no archive. What is too large or damaged is left out."""
    budget = _MOST_BYTES
    try:
        if data.startswith(b"PK\x03\x04"):
            with zipfile.ZipFile(io.BytesIO(data)) as bundle:
                for entry in bundle.infolist()[:_MOST_MEMBERS]:
                    if not entry.is_dir() and entry.file_size <= budget:
                        budget -= entry.file_size
                        yield entry.filename, bundle.read(entry)
        elif name.endswith((".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")):
            with tarfile.open(fileobj=io.BytesIO(data)) as tape:
                for member in tape:
                    handle = tape.extractfile(member) if member.isfile() and member.size <= budget else None
                    if handle is not None:
                        budget -= member.size
                        yield member.name, handle.read()
        else:
            for magic, opener, suffix in _COMPRESSED:
                if data.startswith(magic):
                    with opener(io.BytesIO(data)) as stream:
                        yield name.removesuffix(suffix), stream.read(_MOST_BYTES)
    except (
        OSError,
        EOFError,
        ValueError,
        zlib.error,
        lzma.LZMAError,
        zipfile.BadZipFile,
        tarfile.TarError,
        NotImplementedError,
        RuntimeError,
    ):
        # Damaged, encrypted or in a form that nobody here can read.
        return


_COMPRESSED: Sequence[tuple[bytes, Callable[[io.BytesIO], io.BufferedIOBase], str]] = (
    (b"\x1f\x8b", lambda stream: gzip.GzipFile(fileobj=stream), ".gz"),
    (b"BZh", bz2.BZ2File, ".bz2"),
    (b"\xfd7zXZ\x00", lzma.LZMAFile, ".xz"),
)
