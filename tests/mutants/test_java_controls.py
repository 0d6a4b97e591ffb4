"""Control edits of Java: every one compiles, behaves the same, and differs at the level that it names."""

from __future__ import annotations

from collections import Counter

import pytest

from testmark.mutants import apply
from testmark.mutants.equivalents.java import java_controls
from testmark.records.kit import Control, Mutant
from tests.mutants.javac import SAMPLE, judged

EVERYWHERE = [(1, SAMPLE.count("\n") + 1)]


def proposed(seed: int) -> list[Mutant]:
    """Everything that would be tried."""
    asked: list[Mutant] = []

    def digest(mutant: Mutant) -> str | None:
        asked.append(mutant)
        return None

    assert java_controls("Sample.java", SAMPLE, EVERYWHERE, seed=seed, original="", digest=digest) == ()
    return asked


@pytest.fixture(scope="module")
def checked() -> list[tuple[Control, str, str]]:
    """Controls of several seeds, with what they and the original do."""
    asked = [one for seed in range(4) for one in proposed(seed)]
    answers = judged([SAMPLE, *(apply(SAMPLE, one) for one in asked)], execute=True)
    original, known = answers[0], dict(zip((one.mutant_id for one in asked), answers[1:], strict=True))
    return [
        (control, known[control.mutant.mutant_id].result, original.result)
        for seed in range(4)
        for control in java_controls(
            "Sample.java",
            SAMPLE,
            EVERYWHERE,
            seed=seed,
            original=original.digest,
            digest=lambda mutant: known[mutant.mutant_id].digest or None,
        )
    ]


@pytest.mark.slow
def test_every_control_behaves_as_the_original(checked: list[tuple[Control, str, str]]) -> None:
    for control, result, original in checked:
        assert result == original, (control.mutant.line, control.mutant.before, control.mutant.after)
    assert original.startswith("44-32")


@pytest.mark.slow
def test_there_are_some_at_each_level(checked: list[tuple[Control, str, str]]) -> None:
    levels = Counter(control.level for control, _, _ in checked)
    assert min(levels[level] for level in ("text", "names", "lines", "constants", "instructions")) >= 20, levels


@pytest.mark.slow
def test_they_sit_in_every_method_with_a_body(checked: list[tuple[Control, str, str]]) -> None:
    names = {control.mutant.function for control, _, _ in checked}
    methods = [
        "loops",
        "choose",
        "parse",
        "streams",
        "largest",
        "average",
        "isKnown",
        "rename",
        "later",
        "run",
        "Sample",
    ]
    assert names >= {f"Sample.{name}" for name in methods}


def test_only_the_asked_methods_get_some() -> None:
    first = SAMPLE[: SAMPLE.index("boolean isKnown")].count("\n") + 1
    asked: list[int] = []

    def digest(mutant: Mutant) -> str:
        asked.append(mutant.line)
        return "new"

    java_controls("Sample.java", SAMPLE, [(first, first + 2)], seed=1, original="", digest=digest)
    assert asked
    assert set(asked) <= {first, first + 1, first + 2}


def test_what_keeps_or_changes_the_code_against_its_level_is_left_out() -> None:
    same = java_controls("Sample.java", SAMPLE, EVERYWHERE, seed=1, original="x", digest=lambda _: "x")
    other = java_controls("Sample.java", SAMPLE, EVERYWHERE, seed=1, original="x", digest=lambda _: "y")
    assert {control.level for control in same} == {"text", "names", "lines"}
    assert {control.level for control in other} == {"instructions", "constants"}
