"""Whether every line that a change touched is one that RefactoringMiner names as part of a refactoring.

This is how the published benchmark tells a change that is refactoring only (measured on its tasks: bench/oracle.py). It
is coarser than `only_refactored`: a line that was refactored and changed besides is explained as well, unless
RefactoringMiner itself finds the refactoring impure. A method that is new, or gone, is never explained by lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher

from testmark.runtimes.maven.refactoring_tool import Place, Refactoring
from testmark.source.java import JavaMethod
from testmark.testevo.changes import ChangedMethod

_WHOLE = frozenset({"METHOD_DECLARATION", "TYPE_DECLARATION"})
"""Places that say where something happened, not what: the method out of which something was extracted, say."""
_OF_METHODS = frozenset({"Extract Method", "Inline Method", "Extract And Move Method", "Move And Inline Method"})
"""Here the whole method is refactored, where RefactoringMiner finds that nothing else happened (`pure`)."""
_NO_REFACTORINGS = ("Add ", "Change ", "Modify ", "Remove ")
"""RefactoringMiner reports other types, annotations, modifiers and parameters as well; who follows them is updated."""


def explained_by_lines(
    change: ChangedMethod, refactorings: Sequence[Refactoring], before: Mapping[str, str], after: Mapping[str, str]
) -> str:
    """The kinds of refactoring that hold all changed lines of a method, in words; empty when one is left over.

    `before` and `after` are the texts of the pair's changed files by path.
    """
    if change.old is None or change.new is None or change.old_path not in before or change.path not in after:
        return ""
    old = _lines(before[change.old_path], change.old)
    new = _lines(after[change.path], change.new)
    gone, came = _differing(old, new)
    old_kinds = _kinds(((one, place) for one in refactorings for place in one.old), change.old_path)
    new_kinds = _kinds(((one, place) for one in refactorings for place in one.new), change.path)
    if not (gone or came) or not (gone <= old_kinds.keys() and came <= new_kinds.keys()):
        return ""
    kinds = {kind for line in gone for kind in old_kinds[line]} | {kind for line in came for kind in new_kinds[line]}
    return ", ".join(sorted(kinds))


def _lines(text: str, method: JavaMethod) -> dict[int, str]:
    """Lines of code of a method by their number, without layout and comments that stand alone."""
    lines = text.split("\n")[method.line - 1 : method.end_line]
    stripped = {number: line.strip() for number, line in enumerate(lines, method.line)}
    return {number: line for number, line in stripped.items() if line and not line.startswith(("//", "/*", "*"))}


def _differing(old: Mapping[int, str], new: Mapping[int, str]) -> tuple[set[int], set[int]]:
    left, right = list(old.items()), list(new.items())
    matcher = SequenceMatcher(None, [text for _, text in left], [text for _, text in right], autojunk=False)
    gone: set[int] = set()
    came: set[int] = set()
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            gone.update(number for number, _ in left[i1:i2])
            came.update(number for number, _ in right[j1:j2])
    return gone, came


def _kinds(places: Iterable[tuple[Refactoring, Place]], path: str) -> dict[int, set[str]]:
    """What is refactored on each line of a file."""
    kinds: dict[int, set[str]] = {}
    for one, place in places:
        if place.path == path and _says_what(one, place):
            for line in range(place.line, place.end_line + 1):
                kinds.setdefault(line, set()).add(one.kind)
    return kinds


def _says_what(one: Refactoring, place: Place) -> bool:
    if one.pure is False or one.kind.startswith(_NO_REFACTORINGS):
        return False
    return place.type not in _WHOLE or (one.kind in _OF_METHODS and one.pure is True)
