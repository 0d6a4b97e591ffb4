"""Built revisions: each exported and built once, kept with its record, whatever pairs use it."""

from __future__ import annotations

import shutil
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from testmark.engine.files import write_text
from testmark.records.builds import BuildRecord
from testmark.runtimes.maven.jdks import declared_major
from testmark.runtimes.maven.maven_home import toolchain_for
from testmark.runtimes.maven.protocol import BuiltTree, Toolchain
from testmark.testevo.history import History
from testmark.testevo.modules import read_modules

_GONE = ".gone-"
"""Begins the name of a tree that is being removed: what a kill leaves of one is never taken for whole."""
Build = Callable[[Path, Path, Sequence[Toolchain], int | None, Path], BuildRecord]
"""Builds the tree in a folder with a store: (tree, store, toolchains in order, declared Java, log)."""


@dataclass(frozen=True)
class BuiltRevision:
    """A record, and where its tree is when it was built."""

    record: BuildRecord
    tree: BuiltTree | None


class Revisions:
    """The built revisions of one repository below one folder; safe to use from several threads."""

    def __init__(self, history: History, folder: Path, toolchains: Sequence[Toolchain], build: Build) -> None:
        self._history = history
        self._folder = folder
        self._toolchains = tuple(toolchains)
        self._build = build
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._guard = threading.Lock()
        for left in (folder / "trees").glob(f"{_GONE}*"):
            shutil.rmtree(left, ignore_errors=True)

    @property
    def store(self) -> Path:
        """The repository's offline store of artifacts."""
        return self._folder / "store"

    def record(self, revision: str, java: int | None = None) -> BuildRecord:
        """How it was built, now or earlier; its tree may be gone. `java` asks for that JDK alone."""
        return self._known(revision, java, with_tree=False)

    def get(self, revision: str, java: int | None = None) -> BuiltRevision:
        """Build it, or find it built with its tree; `java` asks for that JDK alone."""
        record = self._known(revision, java, with_tree=True)
        return BuiltRevision(record, self._tree(_name(revision, java), record))

    def forget_tree(self, revision: str) -> None:
        """Remove a revision's trees; their records stay."""
        for place in (self._folder / "trees").glob(f"{revision}*"):
            gone = place.with_name(f"{_GONE}{place.name}")
            place.rename(gone)
            shutil.rmtree(gone, ignore_errors=True)

    def _known(self, revision: str, java: int | None, *, with_tree: bool) -> BuildRecord:
        name = _name(revision, java)
        with self._guard:
            lock = self._locks[name]
        with lock:
            record = self._stored(name)
            if record is None or (with_tree and record.reason is None and not self._place(name).is_dir()):
                record = self._make(revision, name, java)
        return record

    def _place(self, name: str) -> Path:
        return self._folder / "trees" / name

    def _record_place(self, name: str) -> Path:
        return self._folder / "builds" / f"{name}.json"

    def _stored(self, name: str) -> BuildRecord | None:
        """None as well for one whose JDK is no longer at hand: another may do."""
        try:
            record = BuildRecord.from_json(self._record_place(name).read_bytes())
        except (OSError, ValidationError):
            return None
        return record if record.reason is not None or toolchain_for(record, self._toolchains) is not None else None

    def _make(self, revision: str, name: str, java: int | None) -> BuildRecord:
        tree = self._place(name)
        # The record stands for a whole tree: while one is made there is none.
        self._record_place(name).unlink(missing_ok=True)
        shutil.rmtree(tree, ignore_errors=True)
        missing = self._history.export(revision, tree)
        toolchains = [one for one in self._toolchains if java is None or one.jdk.major == java]
        log = self._folder / "builds" / f"{name}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        self.store.mkdir(parents=True, exist_ok=True)
        built = self._build(tree, self.store, toolchains, self._declared(revision), log)
        record = built.model_copy(update={"revision": revision, "missing_files": tuple(missing)})
        if record.reason is not None:
            shutil.rmtree(tree, ignore_errors=True)
        write_text(self._record_place(name), record.to_json(indent=1) + "\n")
        return record

    def _declared(self, revision: str) -> int | None:
        """The newest Java that any module declares."""
        poms = [path for path in self._history.paths(revision) if path.endswith("pom.xml")]
        modules = read_modules(self._history.texts(revision, poms))
        versions = [declared_major(module.java) for module in modules if module.java]
        return max((version for version in versions if version is not None), default=None)

    def _tree(self, name: str, record: BuildRecord) -> BuiltTree | None:
        if record.reason is not None:
            return None
        toolchain = toolchain_for(record, self._toolchains)
        if toolchain is None:
            return None
        return BuiltTree(self._place(name), self.store, toolchain, record.modules, record.released)


def _name(revision: str, java: int | None) -> str:
    return revision if java is None else f"{revision}-{java}"
