"""The seeded sample."""

from __future__ import annotations

from collections import Counter

import pytest

from testmark.mutants import generate, select

SOURCE = "\n".join(
    f"def f{number}(a, b):\n    if a < {number}:\n        g(a, k=b)\n    return a + b and not a\n"
    for number in range(8)
)
ALL = generate("m.py", SOURCE)
TARGETS = {("m.py", 1), ("m.py", 6)}


def _is_target(one: object) -> bool:
    return (one.path, one.function_line) in TARGETS  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(5))
def test_deterministic_and_independent_of_order(seed: int) -> None:
    chosen = select(ALL, limit=20, seed=seed, targets=TARGETS)
    assert chosen == select([*reversed(ALL), *ALL], limit=20, seed=seed, targets=frozenset(TARGETS))
    assert len(chosen) == len({one.mutant_id for one in chosen}) == 20


def test_seeds_differ() -> None:
    assert len({select(ALL, limit=10, seed=seed) for seed in range(6)}) == 6


@pytest.mark.parametrize("limit", [1, 2, 7, 20])
def test_half_goes_to_targets(limit: int) -> None:
    chosen = select(ALL, limit=limit, seed=3, targets=TARGETS)
    assert sum(map(_is_target, chosen)) >= limit / 2


def test_other_functions_share_the_rest() -> None:
    chosen = select(ALL, limit=20, seed=3, targets=TARGETS)
    others = Counter(one.function for one in chosen if not _is_target(one))
    assert len(others) == 6


def test_families_take_turns() -> None:
    own = [one for one in ALL if one.function == "f0"]
    families = {one.family for one in own}
    chosen = select(own, limit=len(families), seed=1)
    assert {one.family for one in chosen} == families


def test_targets_take_what_others_leave_and_the_other_way_round() -> None:
    own = [one for one in ALL if _is_target(one)]
    others = [one for one in ALL if not _is_target(one)]
    assert len(select(own, limit=12, seed=1, targets=TARGETS)) == 12
    assert len(select(others, limit=12, seed=1, targets=TARGETS)) == 12
    assert len(select([*own[:1], *others], limit=12, seed=1, targets=TARGETS)) == 12


@pytest.mark.parametrize(("limit", "expected"), [(0, 0), (10_000, len(ALL))])
def test_limits(limit: int, expected: int) -> None:
    assert len(select(ALL, limit=limit, seed=1, targets=TARGETS)) == expected
