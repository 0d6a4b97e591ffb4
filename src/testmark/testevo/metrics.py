"""The figures of one task, as the published leaderboard defines them (facts: TestEvo-Bench)."""

from __future__ import annotations

from collections.abc import Sequence

from testmark.records.evoresults import SHARES, EvoTargetResult, EvoTaskMetrics

DOES_NOT_COMPILE, FAILS, MISSES, MEETS = 0.0, 1 / 3, 2 / 3, 1.0
"""Graded progress of one target method."""
_KILLS = ("killed", "killed_error", "killed_timeout")


def task_metrics(targets: Sequence[EvoTargetResult]) -> EvoTaskMetrics:
    """Success: every target meets its criterion.

    CovOnPass and MutOnPass are means over the targets of a solved task: covered lines / executable lines of the
    developer's dependency methods, killed / all mutants. A target without lines or without mutants takes no part in
    that mean; where none is left, the figure is None. Overall is (1 + CovOnPass + MutOnPass) / 3 of a solved task (the
    mean of what there is, where a figure is None), else the mean of its targets' graded progress.
    """
    solved = bool(targets) and all(target.success for target in targets)
    if not solved:
        progress = [target.progress for target in targets]
        return EvoTaskMetrics(
            success=0.0, cov_on_pass=None, mut_on_pass=None, overall=sum(progress) / len(progress) if progress else 0.0
        )
    coverage = _mean([target.covered / target.scope for target in targets if target.scope])
    kills = _mean([kill_share(target) for target in targets if target.mutants])
    parts = [1.0, *(figure for figure in (coverage, kills) if figure is not None)]
    return EvoTaskMetrics(success=1.0, cov_on_pass=coverage, mut_on_pass=kills, overall=sum(parts) / len(parts))


def kill_share(target: EvoTargetResult) -> float:
    """Killed / all mutants of a target, those that it never reaches among them."""
    return sum(mutant.verdict in _KILLS for mutant in target.mutants) / len(target.mutants)


def shares(targets: Sequence[EvoTargetResult]) -> dict[str, float]:
    """Of the target methods, how many Pass, ExecFail, CmplFail and HrnsFail on the new revision."""
    count = len(targets)
    return {name: sum(target.new == name for target in targets) / count if count else 0.0 for name in SHARES}


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
