"""`testevo mine` as a function: a repository in, a benchmark folder out."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from pathlib import Path

from testmark.engine.cache import default_cache
from testmark.engine.files import owned, sweep_parts
from testmark.mutants.candidates import MutatorName
from testmark.sandbox.confinement import Sandbox
from testmark.testevo.assemble import MineSummary, Repository, assemble
from testmark.testevo.identity import project_name
from testmark.testevo.kit_maker import KitMaker, KitSettings
from testmark.testevo.lite import choose_lite
from testmark.testevo.mine import Funnel, MineOptions, Miner
from testmark.testevo.repository import clone_url, open_repository, without_secrets
from testmark.testevo.revisions import Revisions
from testmark.testevo.rows import make_rows
from testmark.testevo.workshop import MavenWorkshop

WORK = ".mine"
"""What mining keeps between runs, below the benchmark folder: trees, builds with their logs, pairs, kits, the store."""


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
    url = without_secrets(options.url) if options.url else clone_url(source, history)
    repository = Repository(project_name(url, options.tag or history.branch()), url)
    workshop = MavenWorkshop(options.sandbox, cache)
    with owned(out, "benchmark"), contextlib.closing(workshop):
        sweep_parts(out)
        revisions = Revisions(history, out / WORK, workshop.toolchains(), workshop.build)
        funnel = Miner(history, out / WORK, revisions, workshop, options.mine).run()
        mined = make_rows(funnel.pairs, repository.name, url)
        lite, lite_dropped = choose_lite(mined, seed=options.seed)
        settings = KitSettings(options.mutator, options.seed, options.mine.jobs, options.mine.quiet)
        maker = KitMaker(history, out / WORK, revisions, workshop, settings)
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
