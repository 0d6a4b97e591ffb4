"""Candidates of either mutator for some methods, and the choice among those that compile to something new."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from testmark.errors import TaskError, UserError
from testmark.mutants.generation import generate
from testmark.mutants.selection import in_turns
from testmark.mutants.universal import universal_mutants
from testmark.records.kit import Mutant

MutatorName = Literal["universal", "ast"]
MUTATORS: tuple[MutatorName, ...] = ("universal", "ast")
Span = tuple[int, int]
"""First and last line of a method, 1-based."""
DropReason = Literal["invalid", "equal-to-original", "duplicate", "not-selected"]


def candidates(path: str, source: str, methods: Sequence[Span], mutator: MutatorName) -> list[tuple[Mutant, ...]]:
    """For each method of a Java file every mutant whose edit stands in it, in the order of the text; not yet compiled.

    Raises `UserError` for an unknown mutator, `TaskError` for a text that is no UTF-8, `ToolMissingError` and
    `InfraError` as the Universal Mutator does.
    """
    try:
        source.encode("utf-8")
    except UnicodeEncodeError as error:
        raise TaskError(f"{path} is not UTF-8, so offsets in it mean nothing; none of it is mutated") from error
    if mutator == "universal":
        return universal_mutants(path, source, [[span] for span in methods])
    if mutator == "ast":
        return [generate(path, source, language="java", spans=[span]) for span in methods]
    raise UserError(f"there is no mutator `{mutator}`; choose one of {', '.join(MUTATORS)}")


@dataclass(frozen=True)
class Choice:
    """What was chosen, in the order of the text, and why the others were not."""

    chosen: tuple[Mutant, ...]
    dropped: tuple[tuple[Mutant, DropReason], ...]
    """In the order in which they were looked at; what was never looked at comes last, as `not-selected`."""


def choose_valid(
    mutants: Sequence[Mutant], *, limit: int, seed: int, original: str, digest: Callable[[Mutant], str | None]
) -> Choice:
    """At most `limit` mutants that compile, to something else than the original and than each other.

    Drawn one by one in a seeded order in which operator families take turns, so only as many are compiled as it takes.
    `digest` compiles one mutant: None when it does not compile, else what tells its byte code from others'; `original`
    is that of the unchanged file. The order depends on the seed and the set of mutants alone.
    """
    chosen: list[Mutant] = []
    dropped: list[tuple[Mutant, DropReason]] = []
    seen: set[str] = set()
    for mutant in in_turns(mutants, seed):
        if len(chosen) >= limit:
            dropped.append((mutant, "not-selected"))
            continue
        found = digest(mutant)
        if found is None:
            dropped.append((mutant, "invalid"))
        elif found == original:
            dropped.append((mutant, "equal-to-original"))
        elif found in seen:
            dropped.append((mutant, "duplicate"))
        else:
            seen.add(found)
            chosen.append(mutant)
    chosen.sort(key=lambda one: (one.path, one.start_byte, one.end_byte, one.mutant_id))
    return Choice(tuple(chosen), tuple(dropped))
