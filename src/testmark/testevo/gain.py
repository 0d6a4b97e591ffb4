"""Line coverage of the dependency methods: what a test covers of them, and what a newer version covers more."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from testmark.records.tasks import CoverageGain
from testmark.testevo.executed import Executed

Line = tuple[str, int]
"""A line by the path of its file and its number."""


def executable(methods: Iterable[Executed]) -> frozenset[Line]:
    """Executable lines of methods; one that two methods share (a lambda's, say) counts once."""
    return frozenset((one.path, line) for one in methods for line in one.lines)


def covered(methods: Iterable[Executed], scope: Collection[Line]) -> frozenset[Line]:
    """Lines of the scope that ran."""
    wanted = frozenset(scope)
    return frozenset((one.path, line) for one in methods for line in one.covered) & wanted


def coverage(methods: Iterable[Executed], scope: Collection[Line]) -> float:
    """Covered lines of the scope / lines of the scope; 0 where there are none."""
    return len(covered(methods, scope)) / len(scope) if scope else 0.0


def gain(old: Iterable[Executed], new: Iterable[Executed], scope: Collection[Line]) -> CoverageGain:
    """The card's `coverage_gain`, all parts: `gain` is (covered by the new - by the old) / lines of the scope."""
    before, after = covered(old, scope), covered(new, scope)
    net = len(after) - len(before)
    return CoverageGain(
        denominator=len(scope),
        baseline_covered=len(before),
        developer_covered=len(after),
        gained=len(after - before),
        lost=len(before - after),
        net=net,
        gain=net / len(scope) if scope else 0.0,
        status="gain" if net > 0 else "loss" if net < 0 else "no-gain",
        version="rev2",
    )
