"""Intervals and paired tests over instances clustered by project; standard library only, and deterministic.

Sources: B. Efron and R. Tibshirani, *An Introduction to the Bootstrap*, 1993 (percentile intervals); A. C. Davison and
D. V. Hinkley, *Bootstrap Methods and their Application*, 1997, section 3.8 (two-stage resampling of clusters);
Q. McNemar, Psychometrika 12, 1947 (exact test on discordant pairs); R. A. Fisher's sign-flip permutation test.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

RESAMPLES = 2000


@dataclass(frozen=True)
class Interval:
    """A mean over `n` values with a percentile interval."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Paired:
    """The mean of `a - b` over `n` pairs, its interval, and the probability of such a difference by chance."""

    n: int
    difference: float
    low: float
    high: float
    p_value: float
    test: str
    """`mcnemar` for values of 0 and 1 alone, else `sign-flip`."""


def bootstrap_mean(
    clusters: Mapping[str, Sequence[float]], *, seed: int = 0, resamples: int = RESAMPLES, level: float = 0.95
) -> Interval:
    """Mean of all values with a bootstrap interval.

    With several clusters whole clusters are drawn, then values within them; with one, its values. No values give zeros.
    """
    groups = [list(values) for _, values in sorted(clusters.items()) if values]
    values = [value for group in groups for value in group]
    if not values:
        return Interval(0.0, 0.0, 0.0, 0)
    mean = math.fsum(values) / len(values)
    if len(set(values)) == 1:
        return Interval(mean, mean, mean, len(values))
    means = sorted(_resampled(groups, resamples, random.Random(seed)))
    tail = (1 - level) / 2
    return Interval(mean, _quantile(means, tail), _quantile(means, 1 - tail), len(values))


def paired_test(a: Mapping[str, float], b: Mapping[str, float], *, project: Mapping[str, str], seed: int = 0) -> Paired:
    """Compare two runs on the instances that both have; `project` gives each instance's cluster."""
    shared = sorted(a.keys() & b.keys())
    differences = [a[name] - b[name] for name in shared]
    clusters: dict[str, list[float]] = {}
    for name, difference in zip(shared, differences, strict=True):
        clusters.setdefault(project[name], []).append(difference)
    interval = bootstrap_mean(clusters, seed=seed)
    binary = all(value in (0.0, 1.0) for name in shared for value in (a[name], b[name]))
    p_value = mcnemar(differences) if binary else sign_flip(differences, seed=seed)
    return Paired(
        len(shared), interval.value, interval.low, interval.high, p_value, "mcnemar" if binary else "sign-flip"
    )


def mcnemar(differences: Sequence[float]) -> float:
    """Exact two-sided binomial probability over the pairs in which exactly one of the two succeeded."""
    wins = sum(difference > 0 for difference in differences)
    losses = sum(difference < 0 for difference in differences)
    total = wins + losses
    if not total:
        return 1.0
    tail = sum(math.comb(total, k) for k in range(min(wins, losses) + 1))
    return min(1.0, 2.0 * tail / float(2**total))


def sign_flip(differences: Sequence[float], *, seed: int = 0, resamples: int = RESAMPLES) -> float:
    """Two-sided permutation probability: each pair's difference keeps its size and takes a random sign."""
    sizes = [difference for difference in differences if difference]
    if not sizes:
        return 1.0
    observed = abs(math.fsum(sizes))
    chance = random.Random(seed)
    extreme = 0
    for _ in range(resamples):
        signs = chance.getrandbits(len(sizes))
        total = math.fsum(size if signs >> place & 1 else -size for place, size in enumerate(sizes))
        extreme += abs(total) >= observed - 1e-12
    return (extreme + 1) / (resamples + 1)


def _resampled(groups: Sequence[Sequence[float]], resamples: int, chance: random.Random) -> list[float]:
    """Means of resamples. Values repeat a lot, so drawing counts of distinct values is the same and far quicker."""
    means = []
    tables = [_table(group) for group in groups]
    for _ in range(resamples):
        drawn = tables if len(tables) == 1 else chance.choices(tables, k=len(tables))
        total, count = 0.0, 0
        for values, weights, size in drawn:
            total += math.fsum(chance.choices(values, cum_weights=weights, k=size))
            count += size
        means.append(total / count)
    return means


def _table(group: Sequence[float]) -> tuple[list[float], list[int], int]:
    counts: dict[float, int] = {}
    for value in group:
        counts[value] = counts.get(value, 0) + 1
    values = sorted(counts)
    return values, list(accumulate(counts[value] for value in values)), len(group)


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Linear interpolation between order statistics."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
