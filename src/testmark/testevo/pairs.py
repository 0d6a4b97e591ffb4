"""Stages S4 and S5 on one pair of built revisions: its changed tests, run, measured and classified."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from testmark.errors import InfraError
from testmark.records.base import FileText
from testmark.records.builds import BuiltModule
from testmark.records.mining import CellRecord, ChangedTest, Dependency
from testmark.records.tasks import CoverageGain
from testmark.runtimes.maven.cold import ColdRequest
from testmark.runtimes.maven.protocol import BuiltTree, JavaWorker, MethodLines, MethodsRun
from testmark.testevo import classify
from testmark.testevo.changes import ChangedMethod, PairChanges, is_fixture
from testmark.testevo.confirming import refused_by_maven
from testmark.testevo.encodings import not_utf_8
from testmark.testevo.executed import Executed, Sources, executed_methods
from testmark.testevo.gain import coverage, executable, gain
from testmark.testevo.homes import counterpart, module_of_test
from testmark.testevo.identity import junit_selector, line_range, signature
from testmark.testevo.inherited import running_class
from testmark.testevo.sides import Side
from testmark.testevo.variants import Cell, Version, run_cell

Key = tuple[str, str]
"""A method by the path of its file and its own key."""
RUNS = 3


@dataclass(frozen=True)
class Revision:
    """One of the two revisions, ready to run tests of any of its modules."""

    sha: str
    modules: tuple[BuiltModule, ...]
    texts: Mapping[str, str]
    """The changed test files, by path."""
    side: Callable[[BuiltModule], Side]
    sources: Sources
    test_sources: Sources


def revision_of(
    sha: str,
    tree: BuiltTree,
    texts: Mapping[str, str],
    worker: JavaWorker,
    cold: Callable[[BuiltTree, ColdRequest], MethodsRun],
) -> Revision:
    """A built tree as a revision whose tests that worker runs, or Maven where it cannot."""
    modules = tree.modules
    return Revision(
        sha=sha,
        modules=modules,
        texts=texts,
        side=lambda module: Side(sha, tree.tree, module, modules, worker, partial(cold, tree)),
        sources=Sources(tree.tree, [module.main_root for module in modules]),
        test_sources=Sources(tree.tree, [module.test_root for module in modules]),
    )


@dataclass(frozen=True)
class Refactored:
    """What of a pair is refactoring and nothing else."""

    tests: Mapping[Key, str]
    """The reason by method, in the new revision."""
    production: Mapping[Key, str]


NO_REFACTORING = Refactored({}, {})


@dataclass(frozen=True)
class Measured:
    """What one passing run executed."""

    production: tuple[Executed, ...]
    test_code: tuple[Executed, ...]
    test_classes: frozenset[str]
    """Binary names of the classes of test code that ran."""

    def calls(self, one: Executed) -> bool:
        """Whether the test calls it itself, or test code that it calls; what only prepares the test is not its own.

        Where only Maven can run the test nobody tells callers: then it is what test code that ran names with a bracket.
        """
        if any(other.callers for other in (*self.production, *self.test_code)):
            return any(self._is_own(*caller.split("#", 1)) for caller in one.callers)
        use = re.compile(rf"\b{re.escape(one.method.name)}\s*\(")
        return any(
            use.search(test.method.code) for test in self.test_code if test != one and not is_fixture(test.method)
        )

    def _is_own(self, owner: str, name: str) -> bool:
        if owner not in self.test_classes or name in {"<init>", "<clinit>"}:
            return False
        declared = [one.method for one in self.test_code if one.method.owner.binary_name == owner]
        same = [method for method in declared if method.name == name]
        return not same or not all(map(is_fixture, same))


class PairMiner:
    """Mines one pair; nothing is kept between the tests but what the pair changed."""

    def __init__(self, old: Revision, new: Revision, changes: PairChanges, refactored: Refactored) -> None:
        self._old = old
        self._new = new
        self._refactored = refactored
        self._tests = changes.tests
        self._changed = _keys(changes.production)
        self._changed_test_code = _keys(changes.tests) | _keys(changes.test_code)

    def mine(self) -> tuple[ChangedTest, ...]:
        """Every changed test in the order of path and text."""
        found = [self._mine_one(test) for test in self._tests]
        refused = self._refused([test for test, one in zip(self._tests, found, strict=True) if one.track is not None])
        return tuple(_leaves(one, refused.get((test.path, test.method.key)))
                     for test, one in zip(self._tests, found, strict=True))  # fmt: skip

    def _refused(self, tests: Sequence[ChangedMethod]) -> dict[Key, classify.Verdict]:
        """Of the tests that would be tasks, those that Maven itself does not run and pass on the new code."""
        by_class: dict[tuple[str, str], list[ChangedMethod]] = {}
        for test in tests:
            by_class.setdefault((test.path, test.method.owner.binary_name), []).append(test)
        refused: dict[Key, classify.Verdict] = {}
        for (path, _), some in by_class.items():
            side = _side(self._new, path)
            assert side is not None  # noqa: S101 - for the type checker: a test of a track has run on this very side
            try:
                reasons = refused_by_maven(side, _text(self._new, path), [test.method for test in some])
            except InfraError as error:
                refused |= {(path, test.method.key): classify.Verdict(None, "infra", str(error)) for test in some}
                continue
            refused |= {(path, key): classify.Verdict(None, "maven-differs", why) for key, why in reasons.items()}
        return refused

    def _mine_one(self, test: ChangedMethod) -> ChangedTest:
        found = _Findings(test)
        verdict = self._judge(test, found)
        return found.record(verdict)

    def _judge(self, test: ChangedMethod, found: _Findings) -> classify.Verdict:
        """The first reason to leave, or the track; `found` gets all that was seen on the way."""
        version = Version(_text(self._new, test.path), test.method)
        new_side = _side(self._new, test.path)
        if new_side is None:
            return classify.Verdict(None, "new-test-fails", "its module is not part of the build")
        unreadable = not_utf_8(version.file.content, new_side.module)
        if unreadable:
            return classify.Verdict(None, "not-utf-8", unreadable)
        found.run_class = running_class(new_side.tree, new_side.module.test_root, test.method.owner)
        found.new_on_new = run_cell(new_side, version, times=RUNS, measure=True)
        verdict = classify.new_on_new(found.new_on_new)
        if verdict is not None:
            return verdict
        measured = _measured(found.new_on_new.coverage, self._new)
        found.production = measured.production
        found.direct = tuple(one for one in measured.production if measured.calls(one))
        found.changed = tuple(
            one for one in found.direct if (one.path, one.method.key) in self._changed and not one.method.is_constructor
        )
        own = (test.path, test.method.key)
        changed_test_code = [
            one.method.key
            for one in measured.test_code
            if (one.path, one.method.key) in self._changed_test_code - {own} and measured.calls(one)
        ]
        verdict = self._refactored_only(own, found) or classify.dependencies(
            measured.production, found.changed, changed_test_code
        )
        return verdict or self._matrix(test, version, new_side, found)

    def _refactored_only(self, own: Key, found: _Findings) -> classify.Verdict | None:
        if not found.production or not found.changed:
            return None
        if own in self._refactored.tests:
            return classify.Verdict(None, "refactored-test", self._refactored.tests[own])
        reasons = [self._refactored.production.get((one.path, one.method.key)) for one in found.changed]
        if all(reasons):
            return classify.Verdict(None, "refactored-dependencies", "; ".join(dict.fromkeys(map(str, reasons))))
        return None

    def _matrix(self, test: ChangedMethod, version: Version, new_side: Side, found: _Findings) -> classify.Verdict:
        assert found.new_on_new is not None  # noqa: S101 - it has passed
        old_side = _counterpart(self._old, new_side.module, test.old_path)
        if old_side is None:
            found.new_on_old = Cell("HrnsFail", "its module is not part of the old revision's build")
        else:
            found.new_on_old = run_cell(old_side, version, times=RUNS, built_path=test.old_path or None)
        if test.old is not None:
            old_version = Version(_text(self._old, test.old_path), test.old)
            at_home = _side(self._old, test.old_path)
            found.old_on_old = (
                Cell("HrnsFail", "its module is not part of the build")
                if at_home is None
                else run_cell(at_home, old_version, times=RUNS)
            )
            found.old_on_new = run_cell(new_side, old_version, times=RUNS, measure=True, built_path=test.path)
            if found.old_on_new.result == "Pass":
                before = _measured(found.old_on_new.coverage, self._new).production
                found.gain = gain(before, found.production, executable(found.production))
        cells = classify.Matrix(found.old_on_old, found.old_on_new, found.new_on_old, found.new_on_new)
        return classify.matrix(cells, found.gain)


class _Findings:
    """What was seen of one test so far."""

    def __init__(self, test: ChangedMethod) -> None:
        self._test = test
        self.run_class = test.method.owner.binary_name
        """Of what a runner is asked for: a class that inherits the test where its own is abstract."""
        self.new_on_new: Cell | None = None
        self.old_on_old: Cell | None = None
        self.old_on_new: Cell | None = None
        self.new_on_old: Cell | None = None
        self.production: tuple[Executed, ...] = ()
        self.direct: tuple[Executed, ...] = ()
        """What test code calls itself, whatever code of others stands between."""
        self.changed: tuple[Executed, ...] = ()
        """Of these what the pair changed, constructors aside."""
        self.gain: CoverageGain | None = None

    def record(self, verdict: classify.Verdict) -> ChangedTest:
        test, method = self._test, self._test.method
        return ChangedTest(
            path=test.path,
            old_path=test.old_path,
            module=test.module,
            test_class=method.owner.binary_name,
            method=method.name,
            signature=signature(method, self.new_on_new.coverage if self.new_on_new is not None else ()),
            junit_selector=junit_selector(self.run_class, method),
            code=method.code,
            lines=line_range(method),
            old_code=test.old.code if test.old is not None else None,
            old_lines=line_range(test.old) if test.old is not None else "",
            new_on_new=_cell_record(self.new_on_new),
            old_on_old=_cell_record(self.old_on_old),
            old_on_new=_cell_record(self.old_on_new),
            new_on_old=_cell_record(self.new_on_old),
            dependencies=tuple(
                _dependency(one, direct=one in self.direct, changed=one in self.changed) for one in self.production
            ),
            coverage=coverage(self.production, executable(self.production)),
            gain=self.gain,
            cpu_seconds=self.new_on_new.cpu_seconds if self.new_on_new is not None else 0.0,
            track=verdict.track,
            reason=verdict.reason,
            detail=verdict.detail,
        )


def _leaves(test: ChangedTest, verdict: classify.Verdict | None) -> ChangedTest:
    if verdict is None:
        return test
    return test.model_copy(update={"track": None, "reason": verdict.reason, "detail": verdict.detail})


def _keys(methods: Sequence[ChangedMethod]) -> frozenset[Key]:
    return frozenset((one.path, one.new.key) for one in methods if one.new is not None)


def _measured(found: Collection[MethodLines], revision: Revision) -> Measured:
    lines = tuple(found)
    test_code = executed_methods(lines, revision.test_sources)
    paths = {one.path for one in test_code}
    owners = {
        part.owner
        for part in lines
        if any(path in paths for path, _ in revision.test_sources.find(part.owner.rpartition(".")[0], part.source))
    }
    return Measured(executed_methods(lines, revision.sources), test_code, frozenset(owners))


def _text(revision: Revision, path: str) -> FileText:
    return FileText(path=path, content=revision.texts[path])


def _side(revision: Revision, path: str) -> Side | None:
    module = module_of_test(revision.modules, path)
    return None if module is None else revision.side(module)


def _counterpart(revision: Revision, module: BuiltModule, old_path: str) -> Side | None:
    found = counterpart(revision.modules, module, old_path)
    return None if found is None else revision.side(found)


def _cell_record(cell: Cell | None) -> CellRecord | None:
    return None if cell is None else CellRecord(result=cell.result, detail=cell.detail, problem=cell.problem)


def _dependency(one: Executed, *, direct: bool, changed: bool) -> Dependency:
    return Dependency(
        signature=one.signature,
        path=one.path,
        line=one.method.line,
        end_line=one.method.end_line,
        lines=tuple(sorted(one.lines)),
        covered=tuple(sorted(one.covered)),
        direct=direct,
        changed=changed,
    )
