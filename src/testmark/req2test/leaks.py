"""Looks for hidden code where an agent could find it: as text, as byte code, in archives, installed, in history.

What counts as found is said in `leak_text` (bodies, quoted in any form), `leak_bytecode` (compiled modules),
`leak_archives` (what is unpacked, and its limits) and `leak_places` (history, links, installed copies). Nothing is
extracted to disk, loaded or run, and links are not followed.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import tokenize
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from testmark.req2test.leak_archives import MOST_BYTES, Budget, members
from testmark.req2test.leak_needles import Hit, Needles
from testmark.req2test.leak_places import (
    HISTORY,
    checkouts_named_in,
    compiled_library,
    history_in,
    installed_copy,
    is_bare_repository,
    outside,
)
from testmark.req2test.leak_text import HiddenBody, hidden_body

__all__ = ["HiddenBody", "Leak", "LeakScanner", "Needles", "check_file", "check_tree", "hidden_body"]

_BYTE_CODE = (".pyc", ".pyo")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_HEAD = 8192


@dataclass(frozen=True)
class Leak:
    """One place where something hidden can be found."""

    kind: str
    path: str
    detail: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.path}: {self.detail}"


@dataclass(frozen=True)
class _Finding:
    """A leak of something that not every view hides."""

    kind: str
    path: str
    detail: str
    owner: str = ""

    def belongs_to(self, owners: Collection[str] | None) -> bool:
        return owners is None or not self.owner or self.owner in owners

    def leak(self, label: str) -> Leak:
        return Leak(self.kind, label + self.path, self.detail)


def check_file(name: str, data: bytes, needles: Needles, budget: Budget | None = None) -> Iterator[tuple[str, str]]:
    """Kind and detail of each leak in one file, archives opened in memory; `budget` notes what was not read."""
    for hit in _hits(name, data, needles, budget or Budget(), 0):
        yield hit.kind, hit.detail


def _hits(name: str, data: bytes, needles: Needles, budget: Budget, depth: int) -> Iterator[Hit]:
    history = history_in(data)
    if history:
        yield Hit("history", "", history)
        return
    if name.endswith(_BYTE_CODE):
        yield from needles.hits_in_byte_code(name, data)
        return
    library = compiled_library(name, needles.files)
    if library:
        yield Hit("byte code", library, f"a compiled library of {library}")
    unpacked = members(name, data, budget, depth)
    for inner, content in unpacked or ():
        for hit in _hits(inner, content, needles, budget, depth + 1):
            yield Hit(hit.kind, hit.owner, f"{hit.detail}, in its member {inner}")
    # A file that is called an archive but reads as text is looked at as text too.
    if unpacked is None or b"\0" not in data[:_HEAD]:
        for text in _readings(data):
            yield from needles.hits_in_text(name, text)


def _readings(data: bytes) -> Iterator[str]:
    """The text of a file; where it is not UTF-8, also as it reads in the encoding that it declares, or in Latin-1."""
    if data.startswith(_UTF16):
        yield data.decode("utf-16", "replace")
        return
    try:
        yield data.decode("utf-8-sig")
    except UnicodeDecodeError:
        yield data.decode("utf-8-sig", "replace")
        if b"\0" not in data[:_HEAD]:
            yield data.decode(_declared(data), "replace")


def _declared(data: bytes) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except (SyntaxError, LookupError):
        return "latin-1"
    return "latin-1" if encoding.startswith("utf-8") else encoding


class LeakScanner:
    """Looks through many views of one project: what views have in common is read and searched once.

    `needles` hold everything that any of the views hides; `modules` are the top-level production modules.
    `notes` say what could not be looked into: archives that unpack to too much, damaged ones, devices.
    """

    def __init__(self, needles: Needles, *, modules: Collection[str] = ()) -> None:
        self._needles = needles
        self._modules = frozenset(modules)
        self._by_content: dict[tuple[str, bytes], tuple[tuple[Hit, ...], tuple[str, ...]]] = {}
        self._projects: dict[Path, list[_Finding]] = {}
        self.notes: list[str] = []

    def check_view(
        self,
        root: Path,
        *,
        owners: Collection[str] | None = None,
        label: str = "",
        skip: Callable[[str], bool] = lambda _path: False,
    ) -> list[Leak]:
        """Leaks of a folder as an agent sees it; paths for which `skip` holds are not read.

        `owners` are the hidden bodies (`HiddenBody.path`) and reference files of this view; by default all that the
        scanner knows.
        """
        return [found.leak(label) for found in self._scan(root, skip) if found.belongs_to(owners)]

    def check_overlay(
        self,
        project: Path,
        *,
        removed: Collection[str],
        replaced: Mapping[str, str],
        owners: Collection[str] | None = None,
        label: str = "",
    ) -> list[Leak]:
        """Leaks of a view that is not written: a project folder without some paths and with other texts at others.

        The folder must not change while this scanner lives: it is read once.
        """
        if project not in self._projects:
            self._projects[project] = list(self._scan(project, lambda _path: False))
        gone = {*removed, *replaced}
        found = [finding for finding in self._projects[project] if finding.path not in gone]
        for path, text in sorted(replaced.items()):
            found += self._search(path, text.encode("utf-8", "surrogateescape"))
        return [finding.leak(label) for finding in found if finding.belongs_to(owners)]

    def _scan(self, root: Path, skip: Callable[[str], bool]) -> Iterator[_Finding]:
        base = root.resolve()
        for folder, folders, files in os.walk(root):
            here = Path(folder)
            prefix = "" if here == root else here.relative_to(root).as_posix() + "/"
            if is_bare_repository([*folders, *files]):
                yield _Finding("history", prefix.rstrip("/"), "a git repository")
                folders.clear()
                continue
            folders.sort()
            for name in sorted({*folders, *files}):
                relative, path = prefix + name, here / name
                if name in HISTORY:
                    yield _Finding("history", relative, "version control")
                elif path.is_symlink():
                    target = outside(path, base)
                    if target:
                        yield _Finding("link", relative, f"points outside, to {target}")
                elif name in files and not skip(relative):
                    yield from self._file(relative, path, base)
            folders[:] = [name for name in folders if name not in HISTORY]

    def _file(self, relative: str, path: Path, base: Path) -> Iterator[_Finding]:
        installed = installed_copy(relative, self._modules)
        if installed:
            yield _Finding("installed copy", relative, f"the module {installed} is installed here")
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
            self._note(f"{relative}: not read, it is no plain file or too large")
            return
        try:
            data = path.read_bytes()
        except OSError as error:
            self._note(f"{relative}: not read ({error.strerror})")
            return
        for place in checkouts_named_in(relative, data, base):
            yield _Finding("editable install", relative, f"points at {place}")
        yield from self._search(relative, data)

    def _search(self, relative: str, data: bytes) -> Iterator[_Finding]:
        """Findings in one content, searched when it is seen for the first time under such a name."""
        key = (_class_of(relative), hashlib.blake2b(data, digest_size=20).digest())
        if key not in self._by_content:
            budget = Budget()
            hits = tuple(dict.fromkeys(_hits(relative, data, self._needles, budget, 0)))
            self._by_content[key] = (hits, tuple(budget.notes))
        hits, notes = self._by_content[key]
        for note in notes:
            self._note(f"{relative}: {note}")
        for hit in hits:
            yield _Finding(hit.kind, relative, hit.detail, hit.owner)

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def _class_of(relative: str) -> str:
    """What of a file's name decides how its content is read: byte code is known by its whole name."""
    name = relative.rsplit("/", 1)[-1]
    return name if name.endswith((*_BYTE_CODE, ".so", ".pyd", ".dll", ".dylib")) else Path(name).suffix


def check_tree(
    root: Path,
    needles: Needles,
    *,
    label: str = "",
    skip: Callable[[str], bool] = lambda _path: False,
    modules: Sequence[str] = (),
) -> list[Leak]:
    """Leaks in a folder; paths for which `skip` holds are not read. Links out of the folder are leaks themselves."""
    return LeakScanner(needles, modules=modules).check_view(root, label=label, skip=skip)
