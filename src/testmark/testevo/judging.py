"""Runs of one prediction: its file laid over either revision, on the real code, on mutants and on controls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from testmark.mutants import apply
from testmark.records.base import FileText
from testmark.records.evokit import KitTarget
from testmark.records.kit import Mutant
from testmark.records.mining import Dependency
from testmark.runtimes.maven.protocol import CompileRequest, MethodsRun
from testmark.runtimes.protocol import TimeLimits
from testmark.source.java import JavaMethod, read_java
from testmark.testevo.executed import Executed, Sources, executed_methods
from testmark.testevo.gain import Line
from testmark.testevo.homes import module_of_code
from testmark.testevo.placing import class_path
from testmark.testevo.sides import Asked, Side
from testmark.testevo.variants import TIME

_LEAST_CPU, _FACTOR = 10, 10
_WALL_FACTOR = 6


def time_of(target: KitTarget) -> TimeLimits:
    """Ten times the CPU that the reference took, at least ten seconds; else as much as it had when it was mined."""
    cpu = max(_LEAST_CPU, round(target.cpu_seconds * _FACTOR + 0.5))
    return TimeLimits(cpu, TIME.idle_seconds, max(float(cpu * _WALL_FACTOR), TIME.wall_seconds))


def time_on_mutants(limits: TimeLimits, real: MethodsRun) -> TimeLimits:
    """The limits once it is known how long the test takes by the clock: a mutant may wait and poll for ever."""
    known = max(float(limits.cpu_seconds * _WALL_FACTOR), real.wall_seconds * _FACTOR)
    return replace(limits, wall_seconds=min(known, limits.wall_seconds))


def methods_of(content: str, target: KitTarget) -> tuple[JavaMethod, ...]:
    """The methods of that class and name in a test file; several when it is overloaded."""
    return tuple(
        method
        for method in read_java(content).methods
        if method.owner.binary_name == target.test_class and method.name == target.method
    )


def scope_lines(dependencies: Sequence[Dependency]) -> frozenset[Line]:
    """Executable lines of the developer's dependency methods."""
    return frozenset((one.path, line) for one in dependencies for line in one.lines)


def covered_lines(run: MethodsRun, sources: Sources, scope: frozenset[Line]) -> frozenset[Line]:
    """Lines of the scope that a measured run covered."""
    found: tuple[Executed, ...] = executed_methods(run.coverage, sources)
    return frozenset((one.path, line) for one in found for line in one.covered) & scope


def production_lines(run: MethodsRun, sources: Sources) -> frozenset[Line]:
    """Every production line that a measured run executed."""
    return frozenset(
        (path, line)
        for part in run.coverage
        for path, _ in sources.find(part.owner.rpartition(".")[0], part.source)
        for line in part.covered
    )


class Mutated:
    """Compiled mutants of one revision; each is compiled once, whatever targets it belongs to."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self._sources: dict[str, str] = {}
        self._classes: dict[str, Mapping[str, bytes] | None] = {}

    def classes(self, mutant: Mutant) -> Mapping[str, bytes] | None:
        """The classes of the mutated file; None when they do not compile, which the kit rules out."""
        if mutant.mutant_id not in self._classes:
            self._classes[mutant.mutant_id] = self._compile(mutant)
        return self._classes[mutant.mutant_id]

    def _compile(self, mutant: Mutant) -> Mapping[str, bytes] | None:
        side = self._side
        module = module_of_code(side.siblings, mutant.path)
        if module is None:
            return None
        done = side.worker.compile(CompileRequest((self.file(mutant),), class_path(module), module.compiler))
        return None if done.errors else done.classes

    def file(self, mutant: Mutant) -> FileText:
        """The mutated file."""
        return FileText(path=mutant.path, content=apply(self.source(mutant.path), mutant))

    def source(self, path: str) -> str:
        """The unchanged text of a production file."""
        if path not in self._sources:
            place = Path(self._side.tree) / path
            self._sources[path] = place.read_text(encoding="utf-8", errors="surrogateescape")
        return self._sources[path]


def with_mutant(asked: Asked, file: FileText, classes: Mapping[str, bytes], limits: TimeLimits) -> Asked:
    """The same run with one production file changed; the test's own classes stay as they are."""
    warm = replace(asked.warm, overlay={**classes, **asked.warm.overlay}, measure=(), time=limits)
    return replace(asked, warm=warm, files=(*asked.files, file))


def mutated_line(mutant: Mutant) -> range:
    """The lines that the mutant's edit touches."""
    return range(mutant.line, mutant.end_line + 1)
