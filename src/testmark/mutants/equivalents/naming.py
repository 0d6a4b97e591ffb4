"""Controls that rename one local variable of a function, everywhere in it."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Collection, Iterator
from functools import lru_cache

from testmark.mutants.equivalents.draw import Draw
from testmark.mutants.equivalents.sites import DYNAMIC
from testmark.mutants.generation import Positions
from testmark.mutants.rules import Edit, text
from testmark.mutants.scopes import Function

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_PATTERNS = ("{name}_", "{name}_value", "the_{name}", "{name}2", "local_{name}", "{name}_now", "this_{name}")


def fresh_name(words: Collection[str], draw: Draw, stem: str) -> str:
    """A name that is none of `words`."""
    for pattern in draw.shuffled(_PATTERNS):
        name = pattern.format(name=stem)
        if name not in words and not keyword.iskeyword(name):
            return name
    return next(name for number in range(len(words) + 1) if (name := f"{stem}_{number}") not in words)


@lru_cache(maxsize=4)
def _definitions(source: str) -> dict[int, ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a module by the line of their `def`; none when the running Python cannot parse it."""
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    return {node.lineno: node for node in ast.walk(module) if isinstance(node, _DEFINITIONS)}


def _definition(source: str, function: Function) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    return _definitions(source).get(function.node.start_point.row + 1)


def _fixed_names(definition: ast.AST) -> set[str]:
    """Names that are bound, or seen, otherwise than by plain variables: they keep their names."""
    fixed: set[str] = set()
    for node in ast.walk(definition):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            fixed.update(node.names)
        elif isinstance(node, ast.arg):
            fixed.add(node.arg)
        elif isinstance(node, ast.alias):
            fixed.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            fixed.add(node.name)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            fixed.add(node.name)
            # Variables of a class body are its attributes, and what it reads may be either.
            if isinstance(node, ast.ClassDef):
                fixed.update(child.id for child in ast.walk(node) if isinstance(child, ast.Name))
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            fixed.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            fixed.add(node.rest)
        elif isinstance(node, ast.JoinedStr):
            # Positions inside f-strings are right since Python 3.12 only, and `{x=}` prints the name.
            fixed.update(child.id for child in ast.walk(node) if isinstance(child, ast.Name))
    return fixed


def _own_variables(definition: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Names stored in the function's own scope (and those of its comprehensions, which are renamed along)."""
    stored: set[str] = set()
    waiting: list[ast.AST] = list(definition.body)
    inner = (*_DEFINITIONS, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    while waiting:
        node = waiting.pop()
        if isinstance(node, inner):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stored.add(node.id)
        waiting.extend(ast.iter_child_nodes(node))
    return stored


def renamings(source: str, data: bytes, words: Collection[str], function: Function, draw: Draw) -> Iterator[Edit]:
    """One local variable under a new name, as one edit from its first to its last occurrence.

    Parameters, global and nonlocal names, imports, handlers' names, definitions, captured patterns and names in
    f-strings stay; so does everything in a function that looks at its own variables, and in a file that is too new for
    the running Python to parse.
    """
    if DYNAMIC.search(text(function.node)):
        return
    definition = _definition(source, function)
    if definition is None:
        return
    fixed = _fixed_names(definition)
    names = sorted(name for name in _own_variables(definition) - fixed if not name.startswith("__") and name != "_")
    for name in draw.shuffled(names)[:1]:
        edit = _rename(data, definition, name, fresh_name(words, draw, name))
        if edit is not None:
            yield edit


def _rename(data: bytes, definition: ast.FunctionDef | ast.AsyncFunctionDef, name: str, new: str) -> Edit | None:
    positions = Positions(data)
    old = name.encode("utf-8")
    starts = sorted(
        positions.offset(node.lineno, node.col_offset)
        for statement in definition.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and node.id == name
    )
    if any(data[start : start + len(old)] != old for start in starts):
        return None  # lines that end in a lone carriage return, or a name written in another Unicode form
    first, end = starts[0], starts[-1] + len(old)
    parts, last = [], first
    for start in starts:
        parts += [data[last:start], new.encode("utf-8")]
        last = start + len(old)
    return Edit(first, end, b"".join(parts).decode("utf-8"))
