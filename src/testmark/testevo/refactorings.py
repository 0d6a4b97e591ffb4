"""Whether a method's change is a refactoring and nothing else; in doubt it is not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from testmark.runtimes.maven.refactoring_tool import Place, Refactoring
from testmark.testevo.changes import ChangedMethod
from testmark.testevo.extraction import Extraction, extraction, with_mark
from testmark.testevo.inlining import inlined
from testmark.testevo.renaming import compare, renamings
from testmark.testevo.tokens import Token, declared, tokens
from testmark.testevo.versions import Version, methods_of, version_at, version_of

_MOVED = {"Rename Method", "Move Method", "Move And Rename Method", "Pull Up Method", "Push Down Method"}
_MOVED_CLASSES = {"Move Class", "Rename Class", "Move And Rename Class"}
_METHOD = "METHOD_DECLARATION"


def only_refactored(
    change: ChangedMethod, refactorings: Sequence[Refactoring], before: Mapping[str, str], after: Mapping[str, str]
) -> str:
    """Why the change of a method is refactoring alone, in words; empty when something else changed, or may have.

    `refactorings` are those between `before` and `after`, the texts of the pair's changed files by path. A method that
    was moved or renamed is compared with what it was. RefactoringMiner says what became what; that nothing else changed
    is decided here: the two texts are the same but for layout, access, redundant braces and type arguments, names of
    the method's own variables, its own name and its classes', extracted or inlined variables, and calls in place of the
    very statements that are now the called method.
    """
    extractions = [found for one in refactorings if (found := extraction(one, before, after)) is not None]
    old = version_of(change.old_path, before, change.old) if change.old is not None else None
    new = version_of(change.path, after, change.new) if change.new is not None else None
    if old is None and new is not None:
        old = _moved(new, ((one.new, one.old, one.kind) for one in refactorings), before)
        return _compared(old, new, refactorings, extractions) if old else _whole("Extract Method", new, extractions)
    if new is None and old is not None:
        new = _moved(old, ((one.old, one.new, one.kind) for one in refactorings), after)
        return _compared(old, new, refactorings, extractions) if new else _whole("Inline Method", old, extractions)
    return _compared(old, new, refactorings, extractions) if old is not None and new is not None else ""


def _whole(kind: str, version: Version, extractions: Iterable[Extraction]) -> str:
    """The refactoring that made, or took away, the whole method."""
    found = any(one.kind == kind and _is(one.callee, version) for one in extractions)
    return kind if found else ""


def _is(one: Version, other: Version) -> bool:
    return (one.path, one.method.line, one.method.name) == (other.path, other.method.line, other.method.name)


_Sides = tuple[Sequence[Place], Sequence[Place], str]


def _moved(own: Version, found: Iterable[_Sides], texts: Mapping[str, str]) -> Version | None:
    """What a method was, or became, on the other side: alone, or with its class."""
    sides = list(found)
    for here, there, kind in sides:
        if kind in _MOVED and any(place.type == _METHOD and own.holds(place) for place in here):
            return version_at(next((place for place in there if place.type == _METHOD), None), texts)
    for here, there, kind in sides:
        around = [p for p in here if p.path == own.path and p.line <= own.method.line <= p.end_line]
        if kind in _MOVED_CLASSES and around:
            for place in there:
                same = _same_in(own, place, texts)
                if same is not None:
                    return same
    return None


def _same_in(own: Version, place: Place, texts: Mapping[str, str]) -> Version | None:
    """The method of the same name and parameters in a class."""
    for method in methods_of(texts.get(place.path, "")):
        inside = place.line <= method.line and method.end_line <= place.end_line
        same_name = method.name == own.method.name or (method.is_constructor and own.method.is_constructor)
        if inside and same_name and method.parameters == own.method.parameters:
            return version_of(place.path, texts, method)
    return None


def _compared(
    old: Version, new: Version, refactorings: Sequence[Refactoring], extractions: Iterable[Extraction]
) -> str:
    put_in = list(_variables(refactorings, "Inline Variable", "inlined variable declaration", old, new))
    taken_out = list(_variables(refactorings, "Extract Variable", "extracted variable declaration", new, old))
    left: list[Token] | None = inlined(old.node, put_in) if put_in else tokens(old.node)
    right: list[Token] | None = inlined(new.node, taken_out) if taken_out else tokens(new.node)
    kinds = {"Inline Variable"} if put_in else set()
    kinds |= {"Extract Variable"} if taken_out else set()
    for number, one in enumerate(extractions):
        mark = f"<{number}>"
        if one.kind == "Extract Method" and _is(one.whole, old) and _is(one.caller, new):
            left, right = with_mark(left, one.code, mark), with_mark(right, one.call, mark)
        elif one.kind == "Inline Method" and _is(one.caller, old) and _is(one.whole, new):
            left, right = with_mark(left, one.call, mark), with_mark(right, one.code, mark)
        else:
            continue
        kinds.add(one.kind)
    if left is None or right is None:
        return ""
    found = compare(left, right, (declared(old.node), declared(new.node)), renamings(refactorings, old))
    if found is None:
        return ""
    kinds |= found.kinds
    kinds |= {one.kind for one in refactorings if one.kind in _MOVED and _holds(old, one.old) and _holds(new, one.new)}
    return ", ".join(sorted(kinds)) or "layout"


def _holds(version: Version, places: Iterable[Place]) -> bool:
    return any(version.holds(place) for place in places)


def _variables(
    refactorings: Iterable[Refactoring], kind: str, role: str, declaring: Version, other: Version
) -> Iterator[str]:
    """The variables of a method that were extracted, or inlined; those that it had before too are none of them."""
    for one in refactorings:
        for place in (*one.old, *one.new) if one.kind == kind else ():
            name = place.element.partition(" : ")[0]
            if place.role == role and declaring.holds(place) and name not in declared(other.node):
                yield name
