"""`testevo mine` as a function: a repository in, a benchmark folder out."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from pathlib import Path

from testmark.engine.cache import default_cache
from testmark.engine.files import owned, sweep_parts
from testmark.engine.progress import Progress
from testmark.errors import InfraError
from testmark.mutants.candidates import MutatorName
from testmark.sandbox.confinement import Sandbox
from testmark.testevo.assemble import MineSummary, Repository, assemble
from testmark.testevo.history import History
from testmark.testevo.identity import project_name
from testmark.testevo.kits import Built, MadeKit, make_kit
from testmark.testevo.lite import choose_lite
from testmark.testevo.mine import Funnel, MineOptions, Miner
from testmark.testevo.mutation import Mutation
from testmark.testevo.repository import clone_url, open_repository
from testmark.testevo.revisions import BuiltRevision, Revisions
from testmark.testevo.rows import Mined, make_rows
from testmark.testevo.workshop import MavenWorkshop

WORK = ".mine"
"""What mining keeps between runs, below the benchmark folder: trees, builds with their logs, mined pairs, the store."""


@dataclass(frozen=True)
class MiningOptions:
    """How to mine; the rows depend on the history, the window, the seed and the mutator alone."""

    sandbox: Sandbox
    mine: MineOptions = field(default_factory=MineOptions)
    tag: str | None = None
    """The end of the project's name; by default the branch."""
    url: str | None = None
    """What the rows name as the clone's URL; by default the clone's own origin, or its path."""
    mutator: MutatorName = "universal"
    seed: int = 0
    cache: Path | None = None


@dataclass(frozen=True)
class MineReport:
    """What was mined."""

    summary: MineSummary
    funnel: Funnel
    repository: Repository


def mine_repository(source: str, out: Path, options: MiningOptions) -> MineReport:
    """Mine a repository into the benchmark folder `out`; run again it goes on where it was.

    Raises `UserError` for a repository or a folder that cannot be used, `ToolMissingError` without JDK or Maven.
    """
    cache = options.cache or default_cache()
    history = open_repository(source, cache)
    url = options.url or clone_url(source, history)
    repository = Repository(project_name(url, options.tag or history.branch()), url)
    workshop = MavenWorkshop(options.sandbox, cache)
    with owned(out, "benchmark"), contextlib.closing(workshop):
        sweep_parts(out)
        revisions = Revisions(history, out / WORK, workshop.toolchains(), workshop.build)
        funnel = Miner(history, out / WORK, revisions, workshop, options.mine).run()
        mined = make_rows(funnel.pairs, repository.name, url)
        lite, lite_dropped = choose_lite(mined, seed=options.seed)
        maker = _KitMaker(history, revisions, workshop, options)
        kits = maker.make(mined)
        summary = assemble(
            out,
            repository=repository,
            mined=mined,
            lite=lite,
            lite_dropped=lite_dropped,
            kits=kits,
            pairs=funnel.pairs,
            dropped=funnel.dropped,
            trees=maker.trees,
            store=revisions.store,
            seed=options.seed,
        )
    return MineReport(summary, funnel, repository)


class _KitMaker:
    """Makes the kits of all tasks, those of one revision with one worker."""

    def __init__(self, history: History, revisions: Revisions, workshop: MavenWorkshop, options: MiningOptions) -> None:
        self._history = history
        self._revisions = revisions
        self._workshop = workshop
        self._options = options
        self.trees: dict[str, Path] = {}
        """The trees that the kits name."""

    def make(self, mined: tuple[Mined, ...]) -> list[MadeKit]:
        by_revision: dict[tuple[str, int], list[Mined]] = {}
        for one in mined:
            by_revision.setdefault((one.row.rev2, one.row.java_version), []).append(one)
        kits: list[MadeKit] = []
        with Progress("choosing mutants", len(mined), quiet=self._options.mine.quiet) as progress:
            for (revision, java), tasks in by_revision.items():
                new = self._built(revision, java)
                assert new.tree is not None  # noqa: S101 - _built saw to it
                with contextlib.closing(self._workshop.worker(new.tree)) as worker:
                    mutation = Mutation(
                        new.tree.tree, new.tree.modules, worker, self._options.mutator, self._options.seed
                    )
                    for one in tasks:
                        kits.append(self._kit(one, new, mutation))
                        progress.step(one.row.task_id)
        return kits

    def _kit(self, one: Mined, new: BuiltRevision, mutation: Mutation) -> MadeKit:
        row, first = one.row, one.tests[0]
        old = self._built(row.rev1, row.java_version)
        old_path = first.old_path
        old_text = self._history.texts(row.rev1, [old_path]).get(old_path) if old_path else None
        new_text = self._history.texts(row.rev2, [row.test_file])[row.test_file]
        return make_kit(one, self._named(old), self._named(new), old_text, new_text, mutation)

    def _built(self, revision: str, java: int) -> BuiltRevision:
        built = self._revisions.get(revision)
        if built.record.java_version != java:
            built = self._revisions.get(revision, java)
        if built.tree is None:
            raise InfraError(f"{revision}: its tree is gone and cannot be built again: {built.record.detail}")
        return built

    def _named(self, built: BuiltRevision) -> Built:
        assert built.tree is not None  # noqa: S101 - _built saw to it
        name = built.tree.tree.name
        self.trees[name] = built.tree.tree
        return Built(built.record, name)
