"""Candidates of both mutators, and the choice among those that compile."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from testmark.errors import TaskError, TestmarkError, ToolMissingError, UserError
from testmark.mutants import apply
from testmark.mutants import universal as tool
from testmark.mutants.candidates import candidates, choose_valid
from testmark.records.kit import Mutant
from tests.mutants.javac import SAMPLE, judged

SMALL = "class A {\n int x = 5;\n int m(int a) {\n  // a + 1\n  return a + 1;\n }\n int n() { return 2; }\n}\n"
METHOD = (3, 6)


@pytest.fixture(scope="module")
def universal() -> None:
    try:
        tool.universal_wheel()
    except TestmarkError as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("universal")
@pytest.mark.network
def test_the_universal_mutator_makes_edits_of_the_asked_lines_alone() -> None:
    (found,) = candidates("A.java", SMALL, [METHOD], "universal")
    made = {apply(SMALL, one).split("\n")[4]: one.operator for one in found}
    assert made["  return a - 1;"] == "\\+ ==> -"
    assert made["  return a % 1;"] == "\\+ ==> %"
    assert made["  return a + 0;"].startswith("(\\D)(\\d+)(\\D)")
    assert made["  /*return a + 1;*/"].startswith("(^")
    assert {one.line for one in found} <= {3, 5, 6}
    assert {(one.family, one.path) for one in found} == {("universal", "A.java")}
    assert {(one.function, one.function_line) for one in found if one.line == 5} == {("A.m", 3)}
    assert len({apply(SMALL, one) for one in found}) == len(found)
    smallest = next(one for one in found if apply(SMALL, one).split("\n")[4] == "  return a - 1;")
    assert (smallest.before, smallest.after, smallest.column) == ("+", "-", 11)


@pytest.mark.usefixtures("universal")
@pytest.mark.network
def test_offsets_are_bytes_and_line_ends_stay() -> None:
    source = 'class Ä {\r\n  String ü(int a) {\r\n    return "ö" + (a + 1);\r\n  }\r\n}\r\n'
    (found,) = candidates("A.java", source, [(2, 4)], "universal")
    assert found
    for mutant in found:
        text = apply(source, mutant)
        # A mutant that adds a line brings its own end.
        assert text.count("\r\n") == source.count("\r\n")
        assert text.split("\r\n")[0] == "class Ä {"


@pytest.mark.usefixtures("universal")
@pytest.mark.network
def test_nothing_is_asked_for_outside_a_file() -> None:
    assert candidates("A.java", SMALL, [(100, 120)], "universal") == [()]
    assert candidates("A.java", SMALL, [], "universal") == []
    assert candidates("A.java", "", [(1, 1)], "universal") == [()]


@pytest.mark.usefixtures("universal")
@pytest.mark.network
def test_methods_asked_for_together_get_what_each_gets_alone() -> None:
    # For the Universal Mutator a comment has begun in the first method, which would hide the second.
    source = 'class A {\n String m() { return "/*"; }\n int n(int a) { return a + 1; }\n}\n'
    together = candidates("A.java", source, [(2, 2), (3, 3)], "universal")
    assert together == [candidates("A.java", source, [span], "universal")[0] for span in ((2, 2), (3, 3))]
    assert {one.line for one in together[1]} == {3}


def test_a_mutator_that_does_not_exist() -> None:
    with pytest.raises(UserError, match="universal, ast"):
        candidates("A.java", SMALL, [METHOD], "random")  # type: ignore[arg-type]


def test_a_text_that_is_no_utf8() -> None:
    source = b"class A { char m() { return '\xe4'; } }".decode("utf-8", "surrogateescape")
    with pytest.raises(TaskError, match="not UTF-8"):
        candidates("A.java", source, [(1, 1)], "ast")


def test_a_wheel_that_is_not_the_pinned_one_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / tool._SHA256[:16]
    folder.mkdir()
    (folder / tool._WHEEL).write_bytes(b"something else")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(ToolMissingError, match="--mutator ast"):
        tool.universal_wheel(tmp_path)


def digest_of(valid: dict[str, str], asked: list[str]):
    def digest(mutant: Mutant) -> str | None:
        asked.append(mutant.mutant_id)
        return valid.get(mutant.mutant_id)

    return digest


def test_only_as_many_are_compiled_as_it_takes() -> None:
    (mutants,) = candidates("Sample.java", SAMPLE, [(1, 60)], "ast")
    asked: list[str] = []
    everything = {one.mutant_id: one.mutant_id for one in mutants}
    choice = choose_valid(mutants, limit=10, seed=3, original="", digest=digest_of(everything, asked))
    assert len(choice.chosen) == len(asked) == 10
    assert {reason for _, reason in choice.dropped} == {"not-selected"}
    assert len(choice.dropped) == len(mutants) - 10
    assert list(choice.chosen) == sorted(choice.chosen, key=lambda one: (one.start_byte, one.end_byte, one.mutant_id))
    # Families take turns.
    assert min(Counter(one.family for one in choice.chosen).values()) == 1
    assert len({one.family for one in choice.chosen}) >= 8


def test_the_choice_depends_on_the_seed_and_the_set_alone() -> None:
    (mutants,) = candidates("Sample.java", SAMPLE, [(1, 60)], "ast")
    everything = {one.mutant_id: one.mutant_id for one in mutants}

    def chosen(offered, seed):
        return choose_valid(offered, limit=10, seed=seed, original="", digest=digest_of(everything, [])).chosen

    assert chosen(mutants, 1) == chosen(mutants[::-1], 1)
    assert chosen(mutants, 1) != chosen(mutants, 2)


def test_each_dropped_mutant_has_its_reason() -> None:
    (mutants,) = candidates("A.java", SMALL, [METHOD], "ast")
    original, invalid, first, second, *rest = mutants
    known = {first.mutant_id: "x", second.mutant_id: "x", original.mutant_id: "same"}
    known |= {one.mutant_id: one.mutant_id for one in rest}
    choice = choose_valid(mutants, limit=100, seed=1, original="same", digest=digest_of(known, []))
    reasons = {one.mutant_id: reason for one, reason in choice.dropped}
    assert reasons.pop(original.mutant_id) == "equal-to-original"
    assert reasons.pop(invalid.mutant_id) == "invalid"
    assert list(reasons.values()) == ["duplicate"]
    assert len(choice.chosen) == len(rest) + 1


def test_nothing_to_choose_from() -> None:
    assert choose_valid([], limit=10, seed=1, original="", digest=lambda _: "x").chosen == ()


@pytest.mark.slow
@pytest.mark.usefixtures("universal")
@pytest.mark.network
@pytest.mark.parametrize(("mutator", "least"), [("ast", 0.8), ("universal", 0.25)])
def test_enough_of_what_is_made_compiles(mutator: str, least: float) -> None:
    (mutants,) = candidates("Sample.java", SAMPLE, [(18, 125)], mutator)  # type: ignore[arg-type]
    answers = judged([apply(SAMPLE, one) for one in mutants], execute=False)
    valid = [one for one in answers if one.digest]
    assert len(valid) >= least * len(mutants)
    assert len({one.digest for one in valid}) >= 0.8 * len(valid)
