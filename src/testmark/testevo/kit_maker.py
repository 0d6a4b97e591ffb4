"""Makes the kits of all mined tasks, side by side; each is kept as soon as it is made, so that none is made twice."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from pydantic import ValidationError

from testmark.engine.files import digest, sha256_file, write_text
from testmark.engine.pool import in_order
from testmark.engine.progress import Progress
from testmark.errors import InfraError
from testmark.mutants.candidates import MutatorName
from testmark.records.evokit import MadeKit
from testmark.runtimes.maven.protocol import BuiltTree
from testmark.testevo.history import History
from testmark.testevo.kits import Built, make_kit, rounded_up
from testmark.testevo.mine import Workshop
from testmark.testevo.mutation import Mutation
from testmark.testevo.revisions import BuiltRevision, Revisions
from testmark.testevo.rows import Mined

_DECIDING = (
    "mutants",
    "source",
    "runtimes/maven/jvm",
    "testevo/encodings.py",
    "testevo/homes.py",
    "testevo/kits.py",
    "testevo/mutation.py",
    "testevo/placing.py",
    "testevo/repeatable.py",
)
"""Code on which a kit depends, relative to the package."""


@dataclass(frozen=True)
class KitSettings:
    """How kits are made; the first two decide what is in them."""

    mutator: MutatorName
    seed: int
    jobs: int
    quiet: bool


class KitMaker:
    """Makes the kits of one repository below `folder`, those of one revision with one worker."""

    def __init__(
        self, history: History, folder: Path, revisions: Revisions, workshop: Workshop, settings: KitSettings
    ) -> None:
        self._history = history
        self._folder = folder
        self._revisions = revisions
        self._workshop = workshop
        self._settings = settings
        self._lock = threading.Lock()
        self.trees: dict[str, Path] = {}
        """The trees that the kits name."""

    def make(self, mined: Sequence[Mined]) -> list[MadeKit]:
        """The kits of all tasks, by revision; raises `InfraError` when a tree or a worker is lost."""
        by_revision: dict[tuple[str, int], list[Mined]] = {}
        for one in mined:
            by_revision.setdefault((one.row.rev2, one.row.java_version), []).append(one)
        with Progress("choosing mutants", len(mined), quiet=self._settings.quiet) as progress:
            made = in_order(
                self._settings.jobs, list(by_revision.values()), lambda tasks: self._of_revision(tasks, progress)
            )
        return [kit for kits in made for kit in kits]

    def _of_revision(self, tasks: Sequence[Mined], progress: Progress) -> list[MadeKit]:
        new = self._built(tasks[0].row.rev2, tasks[0].row.java_version)
        kits = []
        with contextlib.ExitStack() as closing:
            mutation: Mutation | None = None
            for one in tasks:
                old = self._built(one.row.rev1, one.row.java_version)
                place = self._place(one, old, new)
                kit = _kept(place)
                if kit is None:
                    mutation = mutation or self._mutation(self._named(new)[1], closing)
                    kit = self._made(one, old, new, mutation)
                    write_text(place, kit.to_json() + "\n")
                kits.append(kit)
                with self._lock:
                    progress.step(one.row.task_id)
        return kits

    def _place(self, one: Mined, old: BuiltRevision, new: BuiltRevision) -> Path:
        key = digest(
            _code(),
            self._settings.mutator,
            self._settings.seed,
            one.track,
            one.row.model_dump(mode="json", by_alias=True),
            [test.model_dump(mode="json", exclude={"cpu_seconds"}) for test in one.tests],
            [rounded_up(test.cpu_seconds) for test in one.tests],
            [built.record.model_dump(mode="json") for built in (old, new)],
        )
        return self._folder / "kits" / f"{key[:32]}.json"

    def _mutation(self, tree: BuiltTree, closing: contextlib.ExitStack) -> Mutation:
        worker = closing.enter_context(contextlib.closing(self._workshop.worker(tree)))
        return Mutation(tree.tree, tree.modules, worker, self._settings.mutator, self._settings.seed)

    def _made(self, one: Mined, old: BuiltRevision, new: BuiltRevision, mutation: Mutation) -> MadeKit:
        row, old_path = one.row, one.tests[0].old_path
        old_text = self._history.texts(row.rev1, [old_path]).get(old_path) if old_path else None
        new_text = self._history.texts(row.rev2, [row.test_file])[row.test_file]
        return make_kit(one, self._named(old)[0], self._named(new)[0], old_text, new_text, mutation)

    def _built(self, revision: str, java: int) -> BuiltRevision:
        named = None if self._revisions.record(revision).java_version == java else java
        built = self._revisions.get(revision, named)
        self._named(built)
        return built

    def _named(self, built: BuiltRevision) -> tuple[Built, BuiltTree]:
        tree = built.tree
        if tree is None:
            raise InfraError(
                f"{built.record.revision}: its tree is gone and cannot be built again: {built.record.detail}"
            )
        self.trees[tree.tree.name] = tree.tree
        return Built(built.record, tree.tree.name), tree


def _kept(place: Path) -> MadeKit | None:
    try:
        return MadeKit.from_json(place.read_bytes())
    except (OSError, ValidationError):
        return None


@cache
def _code() -> str:
    """A digest of the code that decides what a kit holds: a number to raise would be forgotten."""
    top = Path(str(files("testmark")))
    found = [
        path for name in _DECIDING for path in ((top / name).rglob("*") if (top / name).is_dir() else [top / name])
    ]
    wanted = sorted(path for path in found if path.is_file() and path.suffix != ".pyc")
    return digest({path.relative_to(top).as_posix(): sha256_file(path) for path in wanted})
