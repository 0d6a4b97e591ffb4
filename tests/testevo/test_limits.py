"""How long a run may take: never shorter than when its task was mined."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from testmark.engine.results import ResultsFolder
from testmark.errors import UserError
from testmark.records.evokit import KitTarget
from testmark.records.evoresults import EvoTaskResult
from testmark.records.results import RunSettings
from testmark.runtimes.maven.protocol import MethodsRun
from testmark.testevo.judging import time_of, time_on_mutants
from testmark.testevo.variants import TIME

TARGET = KitTarget(
    test_class="a.T", method="m", code="", dependencies=(), baseline_covered=None, cpu_seconds=1.0, mutants=()
)


@pytest.mark.parametrize("cpu_seconds", [1.0, 4.0, 16.0])
def test_on_the_real_code_a_test_may_wait_as_long_as_when_it_was_mined(cpu_seconds: float) -> None:
    limits = time_of(TARGET.model_copy(update={"cpu_seconds": cpu_seconds}))
    assert limits.idle_seconds >= TIME.idle_seconds
    assert limits.wall_seconds >= TIME.wall_seconds
    assert limits.cpu_seconds >= 10 * cpu_seconds


@pytest.mark.parametrize(("wall", "expected"), [(0.5, 60.0), (12.0, 120.0), (90.0, 300.0)])
def test_on_mutants_the_clock_follows_what_the_test_took(wall: float, expected: float) -> None:
    limits = replace(time_of(TARGET), cpu_seconds=10)
    assert time_on_mutants(limits, MethodsRun("passed", "", wall_seconds=wall)).wall_seconds == expected


def test_results_of_one_scope_are_not_continued_with_the_other(tmp_path: Path) -> None:
    settings = RunSettings(
        benchmark="testevo", bench="b", bench_id="i", predictions="p", only=(), limit=None, seed=0, sandbox="none",
        testmark_version="1",
    )  # fmt: skip
    folder = ResultsFolder(tmp_path, EvoTaskResult)
    folder.claim(settings)
    folder.claim(settings)
    with pytest.raises(UserError, match="mutation_scope"):
        folder.claim(settings.model_copy(update={"mutation_scope": "changed"}))
