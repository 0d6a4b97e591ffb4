"""A project of a few lines, with one Scenario, and ways to run predictions on it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from testmark.records.base import FileText
from testmark.records.definition import LimitsTable
from testmark.records.kit import ExpectedPickle, ExpectedStep
from testmark.runtimes.protocol import RunRequest, RuntimeProject, TimeLimits
from testmark.sandbox.confinement import Mount

FEATURE = """\
Feature: Adding

  Scenario: Two numbers
    Given the numbers 2 and 3
    When they are added
    Then the sum is 5
"""
PRODUCTION = '''\
"""Sums."""

LIMIT = 100


def add(a, b):
    """The sum, never above LIMIT."""
    total = a + b
    if total > LIMIT:
        return LIMIT
    return total


class Counter:
    """Counts."""

    def __init__(self, start=0):
        self._value = start

    @property
    def value(self):
        return self._value

    def increment(self, by=1):
        self._value = add(self._value, by)
        return self._value
'''
STEPS = """\
from behave import given, when, then
from sums.core import add


@given("the numbers {a:d} and {b:d}")
def numbers(context, a, b):
    context.numbers = (a, b)


@when("they are added")
def added(context):
    context.sum = add(*context.numbers)


@then("the sum is {total:d}")
def check(context, total):
    assert context.sum == total, context.sum
"""
ENVIRONMENT = """\
def before_all(context):
    context.ready = True
"""
FEATURE_PATH = "features/adding.feature"
STEPS_PATH = "features/steps/adding_steps.py"
PICKLES = (
    ExpectedPickle(
        line=3,
        steps=(
            ExpectedStep(line=4, text="the numbers 2 and 3"),
            ExpectedStep(line=5, text="they are added"),
            ExpectedStep(line=6, text="the sum is 5"),
        ),
    ),
)
TIME = TimeLimits(cpu_seconds=5, idle_seconds=3.0, wall_seconds=60.0)
LIMITS = LimitsTable(memory_mib=512, processes=32, disk_mib=32, output_kib=256)


def write_project(folder: Path, extra: Mapping[str, str] | None = None) -> Path:
    """Write the tiny project below `folder` and return its root."""
    root = folder / "tiny"
    files = {
        FEATURE_PATH: FEATURE,
        STEPS_PATH: STEPS,
        "features/environment.py": ENVIRONMENT,
        "src/sums/__init__.py": "",
        "src/sums/core.py": PRODUCTION,
        **(extra or {}),
    }
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return root


def runtime_project(root: Path, limits: LimitsTable = LIMITS) -> RuntimeProject:
    """The project on the interpreter and environment that run the tests."""
    return RuntimeProject(
        name="tiny",
        base=root,
        prefix=Path(sys.prefix),
        interpreter_mounts=(Mount(Path(sys.base_prefix), sys.base_prefix),),
        root=None,
        production_roots=("src",),
        import_paths=("src",),
        test_roots=("features",),
        environment={},
        preload=(),
        limits=limits,
    )


def request(
    steps: str = STEPS, *, changed: Mapping[str, str] | None = None, extra: Mapping[str, str] | None = None
) -> RunRequest:
    """A run of one prediction: step definitions, and perhaps other files beside them."""
    prediction = {STEPS_PATH: steps, **(extra or {})}
    files = [FileText(path=path, content=text) for path, text in {**(changed or {}), **prediction}.items()]
    return RunRequest(
        feature_path=FEATURE_PATH,
        line=3,
        files=tuple(files),
        remove=(STEPS_PATH,),
        load=tuple(path for path in prediction if path.endswith(".py")),
        test_files=tuple(prediction),
        pickles=PICKLES,
        userdata={},
        time=TIME,
    )


def guarded(asked: RunRequest) -> RunRequest:
    """The same run with production code watched, as runs on real code are."""
    return replace(asked, watch_production=True)
