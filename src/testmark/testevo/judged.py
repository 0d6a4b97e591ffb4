"""Runs of the judge as an audit repeats them, and small records of what a target did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from testmark.engine.files import digest
from testmark.records.evokit import KitTarget
from testmark.records.evoresults import EvoTargetResult
from testmark.records.kit import Mutant, MutantVerdict
from testmark.records.mining import Dependency
from testmark.records.results import MutantResult
from testmark.records.tasks import CellResult
from testmark.runtimes.maven.protocol import MethodsRun
from testmark.testevo.gain import Line
from testmark.testevo.judging import scope_lines
from testmark.testevo.sides import Asked, Side

_NEAR = 2.0
"""Times as slow as Maven's may a JVM of ours be."""


@dataclass(frozen=True)
class JudgedRun:
    """A run that decided something, as an audit repeats it."""

    method: str
    mutant_id: str
    """Empty for the real code."""
    side: Side
    asked: Asked
    kind: str


def sampled(
    judged: Sequence[JudgedRun], task_id: str, share: float, seed: int, most: int | None = None
) -> list[JudgedRun]:
    """A seeded share of the runs of one prediction, so many at most."""
    drawn = {
        at: int(digest("audit", seed, task_id, one.method, one.mutant_id, one.side.revision)[:8], 16) / 0xFFFFFFFF
        for at, one in enumerate(judged)
    }
    chosen = sorted((at for at in drawn if drawn[at] <= share), key=lambda at: drawn[at])[:most]
    return [judged[at] for at in sorted(chosen)]


def kind_of(run: MethodsRun) -> str:
    """What a run showed, as warm and cold ones must agree on it."""
    if run.status == "failed":
        return "killed" if any(case.assertion for case in run.cases) else "killed_error"
    return run.status


def agrees(one: JudgedRun, cold: MethodsRun) -> bool:
    """Whether Maven shows what the warm run has shown.

    A limit of time is no line that two JVMs meet at the same place, and Maven's call has seconds for itself: a run that
    was stopped agrees with one that came to its end after so long that it stood near the limit.
    """
    if one.kind == "timeout" and cold.status in {"passed", "failed"}:
        return sum(case.seconds for case in cold.cases) * _NEAR >= one.asked.warm.time.cpu_seconds
    return kind_of(cold) == one.kind


def mutant_verdict(run: MethodsRun) -> MutantVerdict:
    """A test that fails on a mutant kills it; one that is skipped there, or is not found, has noticed nothing.

    What is not found there is the test's own doing, a factory that makes no case of what the mutant returns, say: were
    it our fault, a test could choose the mutants that leave its figures. A run that did not take place says nothing.
    """
    match run.status:
        case "failed":
            return "killed" if any(case.assertion for case in run.cases) else "killed_error"
        case "timeout":
            return "killed_timeout"
        case "passed" | "skipped" | "not-found":
            return "survived"
        case "not-compiled" | "infra":
            return "infra"


def missed(target: KitTarget, new: CellResult, reason: str, progress: float) -> EvoTargetResult:
    """A target that did not get as far as its criterion."""
    return EvoTargetResult(
        test_class=target.test_class, method=target.method, new=new, old=None, reason=reason, success=False,
        progress=progress, covered=0, scope=len(scope_lines(target.dependencies)), gain=None, mutants=(),
    )  # fmt: skip


def gain_of(target: KitTarget, covered: frozenset[Line], scope: frozenset[Line]) -> float | None:
    """For refinement: (covered - covered by the unrefined test) / scope."""
    if target.baseline_covered is None or not scope:
        return None
    return (len(covered) - target.baseline_covered) / len(scope)


def inside(mutant: Mutant, methods: Sequence[Dependency]) -> bool:
    """Whether the mutant's edit begins in one of the methods."""
    return any(one.path == mutant.path and one.line <= mutant.line <= one.end_line for one in methods)


def unreached(mutant: Mutant) -> MutantResult:
    """A mutant that is not run: nothing of it is executed."""
    return MutantResult(
        mutant_id=mutant.mutant_id, verdict="unreached", in_kill_set=True, detail="the test executes no line of it"
    )
