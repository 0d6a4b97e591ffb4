"""Cheating in Java does not pay: every attack ends in its verdict, kills nothing, and leaves the next run unharmed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from testmark.records.evoresults import EvoTaskResult
from testmark.sandbox import choose, tree
from testmark.testevo.bench import open_bench
from testmark.testevo.evaluate import Courts, EvoOptions
from testmark.testevo.judge import judge
from tests.testevo.cheats import CHEATS, HONEST, Cheat

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.xdist_group("testevo")]
Court = Callable[[Cheat], EvoTaskResult]


@pytest.fixture(scope="module")
def court(bench: Path) -> Iterator[Court]:
    """Judges a test file for the task of generation, warm."""
    opened = open_bench(bench)
    (row,) = opened.rows("generation")
    courts = Courts(opened, EvoOptions(sandbox=choose(), audit_share=0.0))
    with courts.context(opened.kit(row.task_id), row.date) as context:
        yield lambda cheat: judge(cheat.text(), cheat.name, (), context)


def kills(result: EvoTaskResult) -> int:
    return sum(mutant.verdict.startswith("killed") for mutant in result.mutant_results())


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.name)
def test_a_cheat_gets_its_verdict_and_kills_nothing(cheat: Cheat, court: Court) -> None:
    result = court(cheat)
    assert (result.verdict, result.reason.startswith(cheat.reason)) == (cheat.verdict, True), result.reason
    assert kills(result) == 0


def test_an_honest_test_kills_after_all_of_them(court: Court) -> None:
    court(HONEST)
    before = len(tree.descendants([os.getpid()]))
    for cheat in CHEATS:
        if cheat.name in {
            "a thread that goes on",
            "a process that goes on",
            "kills everybody",
            "rewrites the class file",
        }:
            court(cheat)
    result = court(HONEST)
    assert (result.verdict, result.reason) == ("success", "")
    assert result.metrics.mut_on_pass is not None
    assert result.metrics.mut_on_pass > 0.5
    assert result.controls_run > 0
    assert len(tree.descendants([os.getpid()])) <= before
    assert not Path("/tmp/n").exists()
