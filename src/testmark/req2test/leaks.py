"""Looks for hidden code where an agent could find it: as text, as byte code, in archives, installed, in history.

What counts as found is said in `leak_text` (bodies, quoted in any form), `leak_bytecode` (compiled modules),
`leak_places` (installed copies) and the room `leaks` (history, links, what is unpacked and its limits).
"""

from __future__ import annotations

import io
import tokenize
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from testmark.leaks.archives import Budget
from testmark.leaks.contents import Contents, hits_in
from testmark.leaks.found import Finding, Hit, Leak
from testmark.leaks.walk import walk
from testmark.req2test.leak_needles import Needles
from testmark.req2test.leak_places import checkouts_named_in, compiled_library, installed_copy
from testmark.req2test.leak_text import HiddenBody, hidden_body

__all__ = ["HiddenBody", "Leak", "LeakScanner", "Needles", "check_file", "check_tree", "hidden_body"]

_BYTE_CODE = (".pyc", ".pyo")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_HEAD = 8192


def check_file(name: str, data: bytes, needles: Needles, budget: Budget | None = None) -> Iterator[tuple[str, str]]:
    """Kind and detail of each leak in one file, archives opened in memory; `budget` notes what was not read."""
    for hit in hits_in(_Look(needles), name, data, budget or Budget()):
        yield hit.kind, hit.detail


class _Look:
    """Everything hidden in one content, its archive's members aside."""

    def __init__(self, needles: Needles) -> None:
        self._needles = needles

    def __call__(self, name: str, data: bytes, packed: bool) -> Iterator[Hit]:  # noqa: FBT001 - the form of `Look`
        if name.endswith(_BYTE_CODE):
            yield from self._needles.hits_in_byte_code(name, data)
            return
        library = compiled_library(name, self._needles.files)
        if library:
            yield Hit("byte code", library, f"a compiled library of {library}")
        # A file that is called an archive but reads as text is looked at as text too.
        if not packed or b"\0" not in data[:_HEAD]:
            for text in _readings(data):
                yield from self._needles.hits_in_text(name, text)


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
    """

    def __init__(self, needles: Needles, *, modules: Collection[str] = ()) -> None:
        self._modules = frozenset(modules)
        self._contents = Contents(_Look(needles), _class_of)
        self._projects: dict[Path, list[Finding]] = {}

    @property
    def notes(self) -> list[str]:
        """What could not be looked into: archives that unpack to too much, damaged ones, devices."""
        return self._contents.notes

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
            found += self._contents.search(path, text.encode("utf-8", "surrogateescape"))
        return [finding.leak(label) for finding in found if finding.belongs_to(owners)]

    def _scan(self, root: Path, skip: Callable[[str], bool]) -> Iterator[Finding]:
        base = root.resolve()
        for entry in walk(root):
            if isinstance(entry, Finding):
                yield entry
            elif not skip(entry.relative):
                yield from self._file(entry.relative, entry.path, base)

    def _file(self, relative: str, path: Path, base: Path) -> Iterator[Finding]:
        installed = installed_copy(relative, self._modules)
        if installed:
            yield Finding("installed copy", relative, f"the module {installed} is installed here")
        data = self._contents.read(relative, path)
        if data is None:
            return
        for place in checkouts_named_in(relative, data, base):
            yield Finding("editable install", relative, f"points at {place}")
        yield from self._contents.search(relative, data)


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
