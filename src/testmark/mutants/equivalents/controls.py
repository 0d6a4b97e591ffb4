"""Control edits of Python functions: they change no behaviour, and look like mutants to whoever inspects the code."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Literal

from tree_sitter import Node, Tree

from testmark.mutants.digest import code_digest
from testmark.mutants.equivalents import layout
from testmark.mutants.equivalents.draw import Draw
from testmark.mutants.equivalents.naming import fresh_name, renamings
from testmark.mutants.equivalents.rewriting import (
    CONSTANT_FORMS,
    EXPRESSION_FORMS,
    STATEMENT_FORMS,
    Form,
    Place,
    guard,
    swapped_statements,
    unused_assignment,
)
from testmark.mutants.equivalents.sites import DYNAMIC, Site, indent_of, is_small, own_statements, sites, stands_alone
from testmark.mutants.generation import Positions, generate, make_mutant, parses
from testmark.mutants.language import Language, load_language, parse_source
from testmark.mutants.rules import Edit, text
from testmark.mutants.scopes import Function, all_functions, outermost_function, whole
from testmark.records.kit import Control, Mutant

Level = Literal["text", "names", "lines", "instructions", "constants"]
_INSTRUCTIONS = 4
_CONSTANTS = 2
_WORD = re.compile(r"\w+")
_SAME_CODE = {"text", "lines"}


@dataclass(frozen=True)
class _File:
    """One parsed file and what every control of it needs."""

    path: str
    source: str
    data: bytes
    tree: Tree
    language: Language
    positions: Positions
    words: frozenset[str]
    """Every name and keyword of the text, to find names that are new."""


@dataclass(frozen=True)
class _Unit:
    """The outermost function that a function stands in, compiled alone, behind `head`."""

    start: int
    end: int
    head: bytes
    digest: str | None
    """None when the running Python cannot compile it (a newer syntax)."""


@dataclass(frozen=True)
class _Idea:
    level: Level
    form: str
    edit: Edit


@lru_cache(maxsize=256)
def _mutants_of(path: str, source: str) -> tuple[Mutant, ...]:
    return generate(path, source)


def _digest(path: str, data: bytes) -> str | None:
    try:
        return code_digest(data.decode("utf-8"), path)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _unit(file: _File, function: Function) -> _Unit:
    node = function.node
    outermost = outermost_function(node, file.language)
    if outermost is not None:
        node = whole(outermost.node, file.language)
    indent = indent_of(file.data, node)
    # A method keeps its indentation: something has to stand above it.
    head = f"if 1:\n{indent}".encode() if indent else b""
    digest = _digest(file.path, head + file.data[node.start_byte : node.end_byte])
    return _Unit(node.start_byte, node.end_byte, head, digest)


def controls(path: str, source: str, *, function_lines: Collection[int], seed: int) -> tuple[Control, ...]:
    """Control edits of the functions whose first lines (first decorators') are named, in the order of the text.

    A function gets edits at each level that its body allows: `text` (comments, white space: the same byte code),
    `lines` (the same byte code on other lines), `names` (a renamed local variable), `constants`, and `instructions`
    (equivalent code whose dead part is a real mutant's). Each is one small edit; `seed` decides among sites and forms.
    Raises `TaskError` when the source does not parse.
    """
    language = load_language("python")
    data = source.encode("utf-8")
    tree = parse_source(path, source, "python")
    file = _File(path, source, data, tree, language, Positions(data), frozenset(_WORD.findall(source)))
    wanted = set(function_lines)
    by_function: defaultdict[int, list[Mutant]] = defaultdict(list)
    for mutant in _mutants_of(path, source):
        by_function[mutant.function_line].append(mutant)
    found: dict[str, Control] = {}
    for function in all_functions(tree, language):
        if function.line not in wanted:
            continue
        unit = _unit(file, function)
        own = [mutant for mutant in by_function[function.line] if mutant.function == function.qualname]
        for idea in _ideas(file, function, own, seed):
            control = _control(file, unit, idea)
            if control is not None:
                found.setdefault(control.mutant.mutant_id, control)
    return tuple(sorted(found.values(), key=lambda one: (one.mutant.start_byte, one.mutant.end_byte, one.mutant.after)))


def _control(file: _File, unit: _Unit, idea: _Idea) -> Control | None:
    """The record of an idea that keeps its promise: it parses, compiles, and changes the byte code or does not."""
    edit = idea.edit
    if not parses(file.language, file.tree, file.data, edit):
        return None
    if unit.digest is not None:
        before, behind = file.data[unit.start : edit.start], file.data[edit.end : unit.end]
        digest = _digest(file.path, unit.head + before + edit.after.encode("utf-8") + behind)
        if digest is None or (digest == unit.digest) != (idea.level in _SAME_CODE):
            return None
    mutant = make_mutant(
        file.path, file.tree, file.language, file.positions, edit, operator=f"control-{idea.form}", family="control"
    )
    return Control(level=idea.level, mutant=mutant)


def _ideas(file: _File, function: Function, mutants: Sequence[Mutant], seed: int) -> Iterator[_Idea]:
    draw = Draw(seed, file.path, function.line)
    found = list(sites(file.data, file.tree, function, mutants, file.language))
    small = draw.shuffled([site for site in found if is_small(site)])
    hint = small[0].after if small else None
    for form, edits in (
        ("comment", layout.comments(file.data, function, draw, hint)),
        ("white-space", layout.white_space(file.data, function, draw)),
    ):
        yield from (_Idea("text", form, edit) for edit in edits)
    yield from (_Idea("lines", "line", edit) for edit in layout.lines(file.data, function, draw, hint))
    yield from (
        _Idea("names", "rename", edit) for edit in renamings(file.source, file.data, file.words, function, draw)
    )
    around = _around(file, function, draw)
    places = [around(site) for site in small]
    yield from _constant_ideas(places, draw)
    yield from _instruction_ideas(file, function, places, around, draw)


def _around(file: _File, function: Function, draw: Draw) -> Callable[[Site], Place]:
    """What every site of one function may use."""
    dynamic = DYNAMIC.search(text(function.node)) is not None
    return partial(
        Place,
        file.data,
        names=_bound_names(function),
        fresh=None if dynamic else fresh_name(file.words, draw, "value"),
        newline=layout.newline_of(file.data),
    )


def _bound_names(function: Function) -> list[str]:
    """Parameters that stay bound through the whole body."""
    parameters = function.node.child_by_field_name("parameters")
    names = [_parameter_name(child) for child in parameters.named_children] if parameters is not None else []
    unbound = " ".join(_unbinding(function.body))
    return [name for name in names if name and not re.search(rf"\b{re.escape(name)}\b", unbound)]


def _parameter_name(parameter: Node) -> str | None:
    if parameter.type == "identifier":
        return text(parameter)
    name = parameter.child_by_field_name("name")
    if name is None and parameter.type == "typed_parameter":
        name = parameter.named_children[0]
    return text(name) if name is not None and name.type == "identifier" else None


def _unbinding(node: Node) -> Iterator[str]:
    """The texts of what unbinds names: `del`, and the `as` of handlers."""
    if node.type in {"delete_statement", "as_pattern_target"}:
        yield text(node)
    for child in node.named_children:
        yield from _unbinding(child)


def _spread(places: Iterable[Place]) -> Iterator[Place]:
    """One place a node: several mutants of one expression count once."""
    seen: set[tuple[int, int]] = set()
    for place in places:
        span = (place.site.node.start_byte, place.site.node.end_byte)
        if span not in seen:
            seen.add(span)
            yield place


def _idea(level: Level, place: Place, draw: Draw, forms: dict[str, Form]) -> _Idea:
    form = draw.choice(sorted(forms))
    node = place.site.node
    return _Idea(level, form, Edit(node.start_byte, node.end_byte, forms[form](place, draw)))


def _constant_ideas(places: Sequence[Place], draw: Draw) -> Iterator[_Idea]:
    literals = [place for place in places if place.site.is_literal and not place.site.is_statement]
    for place in list(_spread(literals))[:_CONSTANTS]:
        yield _idea("constants", place, draw, CONSTANT_FORMS)


def _instruction_ideas(
    file: _File, function: Function, places: Sequence[Place], around: Callable[[Site], Place], draw: Draw
) -> Iterator[_Idea]:
    expressions = [place for place in places if not place.site.is_statement]
    statements = [place for place in places if place.site.is_statement]
    for place in list(_spread(expressions))[: _INSTRUCTIONS // 2]:
        yield _idea("instructions", place, draw, EXPRESSION_FORMS)
    for place in list(_spread(statements))[: _INSTRUCTIONS // 2]:
        yield _idea("instructions", place, draw, STATEMENT_FORMS)
    yield from _unused(places, draw)
    own = list(own_statements(function))
    for edit in list(swapped_statements(file.data, own, _not_local(function)))[:1]:
        yield _Idea("instructions", "swapped", edit)
    if not places:
        alone = [node for node in own if stands_alone(file.data, node)]
        for node in draw.shuffled(alone)[:1]:
            site = Site(node, text(node), "pass", is_statement=True, deferred=False)
            yield _Idea("instructions", "guarded", Edit(node.start_byte, node.end_byte, guard(around(site), draw)))


def _unused(places: Sequence[Place], draw: Draw) -> Iterator[_Idea]:
    """Before a statement that stands alone, a constant of another real mutant goes to a variable that nothing reads."""
    literals = [place for place in places if place.site.is_literal and not place.site.is_statement]
    alone = [place for place in places if place.site.is_statement and place.fresh is not None]
    if not literals or not alone:
        return
    statement, literal = draw.choice(alone), draw.choice(literals)
    node = statement.site.node
    site = Site(node, statement.site.before, literal.site.after, is_statement=True, deferred=False)
    place = Place(statement.data, site, statement.names, statement.fresh, statement.newline)
    yield _Idea(
        "instructions", "unused-assignment", Edit(node.start_byte, node.end_byte, unused_assignment(place, draw))
    )


def _not_local(function: Function) -> frozenset[str]:
    """Names that the function declares global or nonlocal."""
    declared = re.findall(r"\b(?:global|nonlocal)\b([^\n;#]*)", text(function.node))
    return frozenset(re.findall(r"\w+", " ".join(declared)))
