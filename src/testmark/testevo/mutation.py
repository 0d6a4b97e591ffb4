"""Mutants of a task: at most ten a production method that its tests execute, each compiled before it is chosen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path

from testmark.engine.files import digest as digest_of
from testmark.errors import TaskError
from testmark.mutants import apply
from testmark.mutants.candidates import MutatorName, candidates, choose_valid
from testmark.mutants.equivalents.java import java_controls
from testmark.records.base import FileText
from testmark.records.builds import BuiltModule
from testmark.records.evokit import MutantDrop
from testmark.records.kit import Control, Mutant
from testmark.records.mining import Dependency
from testmark.runtimes.maven.protocol import CompileRequest, JavaWorker
from testmark.source.java import JavaHeader, read_headers
from testmark.testevo.encodings import not_utf_8
from testmark.testevo.homes import module_of_code
from testmark.testevo.placing import class_path

PER_METHOD = 10
"""As the published benchmark has it (facts: MutOnPass)."""


@dataclass
class MethodMutants:
    """The mutants of one production method, and those that left."""

    chosen: tuple[Mutant, ...] = ()
    dropped: list[MutantDrop] = field(default_factory=list)
    problem: str = ""
    """Why the method has none: its unchanged file does not compile by itself, say."""


class Mutation:
    """Chooses mutants in one built revision; what it found of a method is kept."""

    def __init__(
        self, tree: Path, modules: Sequence[BuiltModule], worker: JavaWorker, mutator: MutatorName, seed: int
    ) -> None:
        self._tree = tree
        self._modules = modules
        self._worker = worker
        self._mutator = mutator
        self.seed = seed
        self._found: dict[tuple[str, int], MethodMutants] = {}
        self._originals: dict[str, str | None] = {}
        self._controls: dict[tuple[str, int], tuple[Control, ...]] = {}

    def of(self, dependencies: Sequence[Dependency]) -> Mapping[tuple[str, int], MethodMutants]:
        """For each method, by its path and first line, at most ten mutants of its executable lines' code."""
        by_path: defaultdict[str, list[Dependency]] = defaultdict(list)
        for one in dependencies:
            if (one.path, one.line) not in self._found:
                by_path[one.path].append(one)
        for path, methods in by_path.items():
            self._find(path, methods)
        return {(one.path, one.line): self._found[one.path, one.line] for one in dependencies}

    def _find(self, path: str, methods: Sequence[Dependency]) -> None:
        source = self.source(path)
        original = self._original(path, source)
        module = module_of_code(self._modules, path)
        problem = not_utf_8(source, module) if module is not None else ""
        problem = problem or ("its file does not compile by itself" if original is None else "")
        offered: list[tuple[Mutant, ...]] = []
        if original is not None and not problem:
            try:
                offered = candidates(path, source, [(one.line, one.end_line) for one in methods], self._mutator)
            except TaskError as error:
                problem = str(error)
        if original is None or problem:
            self._found |= {(path, method.line): MethodMutants(problem=problem) for method in methods}
            return
        digest = partial(self._digest_of, path, source)
        for method, some in zip(methods, offered, strict=True):
            choice = choose_valid(some, limit=PER_METHOD, seed=self.seed, original=original, digest=digest)
            self._found[path, method.line] = MethodMutants(
                choice.chosen, [MutantDrop(mutant=mutant, reason=reason) for mutant, reason in choice.dropped]
            )

    def controls(self, method: Dependency) -> tuple[Control, ...]:
        """Edits of a method that change no behaviour, one a level at most."""
        key = (method.path, method.line)
        if key not in self._controls:
            self._controls[key] = self._make_controls(method)
        return self._controls[key]

    def _make_controls(self, method: Dependency) -> tuple[Control, ...]:
        source = self.source(method.path)
        original = self._original(method.path, source)
        module = module_of_code(self._modules, method.path)
        if original is None or module is None or not_utf_8(source, module):
            return ()
        span = (method.line, method.end_line)
        digest = partial(self._digest_of, method.path, source)
        try:
            found = java_controls(method.path, source, [span], seed=self.seed, original=original, digest=digest)
        except TaskError:
            return ()  # what cannot be parsed has no mutants either, and they say so
        return one_a_level(found, self.seed)

    def source(self, path: str) -> str:
        """The text of a production file."""
        return (self._tree / path).read_text(encoding="utf-8", errors="surrogateescape")

    def _original(self, path: str, source: str) -> str | None:
        if path not in self._originals:
            self._originals[path] = self._digest(path, source)
        return self._originals[path]

    def _digest_of(self, path: str, source: str, mutant: Mutant) -> str | None:
        """None as well for an edit of a signature: other files, tests among them, may not compile with it."""
        text = apply(source, mutant)
        # What is most likely to say no is asked first: javac of an edit in a body, the syntax tree of one in a header.
        if not _in_body(source, mutant) and _headers(text) != _headers(source):
            return None
        found = self._digest(path, text)
        return found if found is not None and _headers(text) == _headers(source) else None

    def _digest(self, path: str, text: str) -> str | None:
        module = module_of_code(self._modules, path)
        if module is None:
            return None
        compiled = self._worker.compile(
            CompileRequest((FileText(path=path, content=text),), class_path(module), module.compiler)
        )
        return None if compiled.errors else self._worker.digests([compiled.classes])[0]


@lru_cache(maxsize=64)
def _headers(text: str) -> tuple[JavaHeader, ...]:
    return read_headers(text)


def _in_body(source: str, mutant: Mutant) -> bool:
    return any(
        one.body is not None and one.body[0] < mutant.start_byte and mutant.end_byte < one.body[1]
        for one in _headers(source)
    )


def one_a_level(controls: Sequence[Control], seed: int) -> tuple[Control, ...]:
    """One control of each level, drawn by the seed."""
    drawn = sorted(controls, key=lambda one: digest_of(seed, one.mutant.mutant_id))
    return tuple({one.level: one for one in reversed(drawn)}.values())
