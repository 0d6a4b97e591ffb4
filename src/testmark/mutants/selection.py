"""The seeded, stratified sample of mutants that a kit keeps."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice

from testmark.records.kit import Mutant

FunctionKey = tuple[str, int]
"""A function by path and first line (its first decorator's)."""


def _draw(seed: int, *parts: object) -> str:
    """A random-looking key that depends on nothing but the seed and the parts: sorting by it shuffles."""
    return hashlib.sha256("\0".join(map(str, (seed, *parts))).encode()).hexdigest()


def _round_robin(queues: Iterable[Iterable[Mutant]]) -> Iterator[Mutant]:
    waiting = [iter(queue) for queue in queues]
    while waiting:
        going = []
        for queue in waiting:
            mutant = next(queue, None)
            if mutant is not None:
                yield mutant
                going.append(queue)
        waiting = going


def _within_function(mutants: Sequence[Mutant], seed: int) -> list[Mutant]:
    """One function's mutants, its operator families in turn, in random order within each."""
    families: defaultdict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        families[mutant.family].append(mutant)
    first = mutants[0]
    names = sorted(families, key=lambda name: _draw(seed, first.path, first.function_line, name))
    return list(
        _round_robin(sorted(families[name], key=lambda mutant: _draw(seed, mutant.mutant_id)) for name in names)
    )


def in_turns(mutants: Iterable[Mutant], seed: int) -> list[Mutant]:
    """The mutants of one method, each once: operator families take turns, the seed decides within each.

    The order depends on the seed and on the set of mutants, not on their order.
    """
    unique = sorted({mutant.mutant_id: mutant for mutant in mutants}.values(), key=lambda one: one.mutant_id)
    unique.sort(key=lambda one: (one.path, one.function_line))
    return _within_function(unique, seed) if unique else []


def _by_function(mutants: Sequence[Mutant], seed: int) -> list[list[Mutant]]:
    """One queue a function, the functions in random order."""
    functions: defaultdict[FunctionKey, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        functions[mutant.path, mutant.function_line].append(mutant)
    keys = sorted(functions, key=lambda key: _draw(seed, *key))
    return [_within_function(functions[key], seed) for key in keys]


def select(
    candidates: Sequence[Mutant], *, limit: int, seed: int, targets: Collection[FunctionKey] = ()
) -> tuple[Mutant, ...]:
    """At most `limit` mutants, in the order of path and text.

    Functions take turns, target functions before the others; a function's operator families take turns; within a family
    the seed decides. Half of the limit (rounded up) is the targets' own as long as they have that many; the rest goes
    to all functions, targets first. The sample depends on the seed and on the set of candidates, not on their order.
    """
    unique = sorted({mutant.mutant_id: mutant for mutant in candidates}.values(), key=lambda one: one.mutant_id)
    wanted = set(targets)
    own = _by_function([one for one in unique if (one.path, one.function_line) in wanted], seed)
    other = _by_function([one for one in unique if (one.path, one.function_line) not in wanted], seed)
    chosen = list(_round_robin(own))[: (limit + 1) // 2]
    reserved = {one.mutant_id for one in chosen}
    rest = _round_robin([*([one for one in queue if one.mutant_id not in reserved] for queue in own), *other])
    chosen += islice(rest, max(0, limit - len(chosen)))
    return tuple(sorted(chosen, key=lambda one: (one.path, one.start_byte, one.end_byte, one.mutant_id)))
