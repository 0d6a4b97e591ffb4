"""From a mined task to its kit and view: both sides, the reference, mutants of what the tests execute."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from testmark.engine.files import digest
from testmark.records.builds import BuildRecord, BuiltModule
from testmark.records.evokit import EvoKit, EvoView, KitSide, KitTarget, MadeKit, MutantDrop
from testmark.records.kit import Control, Mutant
from testmark.records.mining import ChangedTest
from testmark.testevo.homes import counterpart, module_of_test
from testmark.testevo.mutation import MethodMutants, Mutation
from testmark.testevo.repeatable import unrepeatable
from testmark.testevo.rows import Mined

_MOST_CONTROLLED = 6
"""Methods of a task that have control edits, of each level one."""


@dataclass(frozen=True)
class Built:
    """One revision's build with the name of its tree."""

    record: BuildRecord
    tree: str


def make_kit(mined: Mined, old: Built, new: Built, old_text: str | None, new_text: str, mutation: Mutation) -> MadeKit:
    """Everything that judging the task needs, its mutants chosen in the new revision."""
    dropped: dict[str, MutantDrop] = {}
    problems: dict[str, None] = {}
    mutants: dict[str, Mutant] = {}
    targets = []
    for test in mined.tests:
        varies = unrepeatable(new_text, test.code, test.dependencies, mutation.source)
        if varies:
            problems |= {f"{mined.row.task_id}#{test.method}: two runs of it may differ: {varies}": None}
        found = mutation.of(() if varies else test.dependencies)
        own = [mutant.mutant_id for one in found.values() for mutant in one.chosen]
        for key, one in found.items():
            mutants |= {mutant.mutant_id: mutant for mutant in one.chosen}
            dropped |= {drop.mutant.mutant_id: drop for drop in one.dropped}
            problems |= _problem(key, one)
        targets.append(_target(test, own))
    first = mined.tests[0]
    home = module_of_test(new.record.modules, mined.row.test_file)
    kit = EvoKit(
        task_id=mined.row.task_id,
        track=mined.track,
        project=mined.row.project_name,
        test_file=mined.row.test_file,
        old_text=old_text,
        new_text=new_text,
        old=_side(old, None if home is None else counterpart(old.record.modules, home, first.old_path), first.old_path),
        new=_side(new, home, mined.row.test_file),
        targets=tuple(targets),
        mutants=tuple(sorted(mutants.values(), key=lambda one: (one.path, one.start_byte, one.end_byte, one.after))),
        controls=_controls(mined, mutation),
    )
    return MadeKit(kit=kit, view=_view(mined, first), dropped=tuple(dropped.values()), problems=tuple(problems))


def _controls(mined: Mined, mutation: Mutation) -> tuple[Control, ...]:
    """Of some of the methods that the tests execute, drawn by the seed: those that test code calls itself first."""
    methods = {(one.path, one.line): one for test in mined.tests for one in test.dependencies}
    drawn = sorted(methods.values(), key=lambda one: (not one.direct, digest(mutation.seed, one.path, one.line)))
    found = {
        control.mutant.mutant_id: control for one in drawn[:_MOST_CONTROLLED] for control in mutation.controls(one)
    }
    return tuple(sorted(found.values(), key=lambda one: (one.mutant.path, one.mutant.start_byte, one.mutant.mutant_id)))


def _problem(key: tuple[str, int], found: MethodMutants) -> dict[str, None]:
    return {f"{key[0]}:{key[1]}: {found.problem}": None} if found.problem else {}


def _target(test: ChangedTest, mutants: Sequence[str]) -> KitTarget:
    refined = test.track == "refinement" and test.gain is not None
    return KitTarget(
        test_class=test.test_class,
        method=test.method,
        code=test.code,
        dependencies=test.dependencies,
        baseline_covered=test.gain.baseline_covered if refined and test.gain is not None else None,
        cpu_seconds=rounded_up(test.cpu_seconds),
        mutants=tuple(mutants),
    )


def rounded_up(seconds: float) -> float:
    """To a power of two, at least 1: two minings measure different times and shall give the same kit."""
    return 2.0 ** max(0, math.ceil(math.log2(seconds))) if seconds > 0 else 1.0


def _side(built: Built, module: BuiltModule | None, path: str) -> KitSide:
    return KitSide(
        revision=built.record.revision,
        tree=built.tree,
        build=built.record,
        module=module.path if module is not None else None,
        test_file=path or None,
    )


def _named(test: ChangedTest, first: ChangedTest) -> str:
    """A target as the prompt names it: with its class where that is another one than the prompt's."""
    if test.test_class == first.test_class:
        return test.method
    return f"{test.test_class.rpartition('.')[2].replace('$', '.')}.{test.method}"


def _view(mined: Mined, first: ChangedTest) -> EvoView:
    row = mined.row
    project = f" -pl {first.module} -am" if first.module else ""
    by_class: dict[str, dict[str, None]] = {}
    for test in mined.tests:
        by_class.setdefault(test.junit_selector.partition("#")[0], {})[test.method] = None
    selectors = ",".join(f"{name}#{'+'.join(methods)}" for name, methods in by_class.items())
    return EvoView(
        task_id=row.task_id,
        track=mined.track,
        project=row.project_name,
        rev1=row.rev1,
        rev2=row.rev2,
        test_file=row.test_file,
        test_class=first.test_class,
        module=first.module or ".",
        methods=tuple(dict.fromkeys(_named(test, first) for test in mined.tests)),
        java_version=row.java_version,
        build_command=f"mvn -o -q -B test-compile{project}",
        test_command=f"mvn -o -q -B test{project} -Dtest='{selectors}' -DfailIfNoTests=false "
        "-Dsurefire.failIfNoSpecifiedTests=false",
    )
