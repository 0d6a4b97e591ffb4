"""What several measurements share: the requests of a benchmark's reference tests on their mutants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from testmark.engine.cache import default_cache
from testmark.engine.pool import Gate
from testmark.records.kit import KitInstance, Mutant
from testmark.req2test.bench import Bench, open_bench
from testmark.req2test.judge import JudgeContext, instance_runs
from testmark.req2test.killing import mutant_request
from testmark.req2test.production import Production
from testmark.req2test.runtime import open_project
from testmark.runtimes.protocol import RunRequest, RuntimeProject


@dataclass(frozen=True)
class Pair:
    """One reference test on one mutant."""

    kit: KitInstance
    mutant: Mutant
    request: RunRequest


@dataclass(frozen=True)
class Measured:
    """An opened benchmark, ready to run pairs of it."""

    bench: Bench
    project: RuntimeProject
    production: Production

    def pairs(self) -> Iterator[Pair]:
        """Every reference test on every mutant of its instance."""
        context = JudgeContext(
            self.bench.project, self.production, self.bench.mutants, seed=0, audit_share=0.0, gate=Gate()
        )
        references = {row.instance_id: row.files for row in self.bench.references()}
        for row in self.bench.rows():
            kit = self.bench.kit(row.instance_id)
            runs = instance_runs(kit, context)
            for name in kit.mutants:
                mutant = self.bench.mutants[name]
                yield Pair(kit, mutant, mutant_request(runs, references[row.instance_id], mutant))


def open_measured(folder: Path) -> Measured:
    """Open the benchmark and its project's environment."""
    bench = open_bench(folder)
    opened = open_project(bench.definition(), default_cache(), preload=bench.project.preload)
    layout = bench.project.definition.layout
    production = Production(opened.runtime_project.base, layout.production_roots, layout.import_paths)
    return Measured(bench, opened.runtime_project, production)


def spread(pairs: list[Pair], number: int) -> list[Pair]:
    """So many of the pairs, evenly over all."""
    step = max(1, len(pairs) // number)
    return pairs[::step][:number]
