"""What measurements of TestEvo share: the developers' tests of a mined benchmark on the mutants of their kits."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from testmark.records.base import FileText
from testmark.records.evokit import EvoKit, KitTarget
from testmark.records.kit import Mutant
from testmark.runtimes.maven.protocol import BuiltTree, MethodsRun
from testmark.sandbox import choose
from testmark.source.java import read_java
from testmark.testevo.bench import EvoBench, open_bench
from testmark.testevo.evaluate import Courts, EvoOptions
from testmark.testevo.judging import Mutated, methods_of, mutated_line, time_of, with_mutant
from testmark.testevo.placing import NotPlaced, place
from testmark.testevo.sides import Asked, Side, ask

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Pair:
    """One reference test on one mutant that it reaches, compiled."""

    kit: EvoKit
    target: KitTarget
    mutant: Mutant
    asked: Asked
    overlay: Mapping[str, bytes]
    compiling: float
    """Seconds that compiling the mutant took."""


@dataclass(frozen=True)
class Opened:
    """One task with its JVM; only tasks that a JVM of ours runs are opened."""

    kit: EvoKit
    side: Side
    tree: BuiltTree
    plain: Mapping[str, Asked]
    """The run of each target method on the real code, by its name."""

    def pairs(self) -> list[Pair]:
        """Compile the mutants, and give every pair of target and mutant."""
        mutated = Mutated(self.side)
        found = []
        for target in self.kit.targets:
            wanted = frozenset(target.mutants)
            reached = [one for one in self.kit.mutants if one.mutant_id in wanted and _reached(one, target)]
            for mutant in reached:
                began = time.perf_counter()
                classes = mutated.classes(mutant)
                took = time.perf_counter() - began
                assert classes is not None
                asked = with_mutant(self.plain[target.method], mutated.file(mutant), classes)
                found.append(Pair(self.kit, target, mutant, asked, asked.warm.overlay, took))
        return found

    def run(self, asked: Asked) -> MethodsRun:
        """One run in the worker's JVM."""
        run = self.side.run(asked)
        assert run.status != "infra", run.reason
        return run


def _reached(mutant: Mutant, target: KitTarget) -> bool:
    """As the judge has it: the test executes a line of the edit, or the edit stands where no line is executable."""
    lines = {(mutant.path, line) for line in mutated_line(mutant)}
    covered = {(one.path, line) for one in target.dependencies for line in one.covered}
    executable = {(one.path, line) for one in target.dependencies for line in one.lines}
    return bool(lines & covered) or not lines & executable


def open_measured(folder: Path) -> tuple[EvoBench, Courts]:
    """Open the benchmark, and what opens its tasks."""
    bench = open_bench(folder)
    return bench, Courts(bench, EvoOptions(sandbox=choose(), audit_share=0.0, quiet=True))


@contextlib.contextmanager
def opened(bench: EvoBench, courts: Courts, name: str) -> Iterator[Opened | None]:
    """One task with its reference laid over the new revision; None where Maven alone runs its module."""
    kit = bench.kit(name)
    with courts.context(kit, "") as context:
        side = context.new
        if side.only_maven:
            yield None
            return
        file = FileText(path=kit.test_file, content=kit.new_text)
        methods = read_java(kit.new_text).methods
        placed = place(side.worker, side.tree, side.module, file, methods, kit.new.test_file)
        assert not isinstance(placed, NotPlaced), placed.error
        plain = {}
        for target in kit.targets:
            method = methods_of(kit.new_text, target)[0]
            plain[target.method] = ask(
                side, placed, method, built_path=kit.new.test_file, measure=False, time=time_of(target)
            )
        yield Opened(kit, side, courts.tree(kit.new), plain)


def spread(things: Sequence[Thing], number: int) -> list[Thing]:
    """So many of them, evenly over all."""
    step = max(1, len(things) // max(1, number))
    return list(things[::step][:number])
