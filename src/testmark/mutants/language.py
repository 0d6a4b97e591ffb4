"""A language as the mutation engine sees it: its grammar, and its table of operators and skips."""

from __future__ import annotations

import importlib
import re
import tomllib
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from typing import Any

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Query, QueryCursor, Tree

from testmark.errors import TaskError, UserError
from testmark.source.typeparams import without_defaults

Captures = dict[str, list[Node]]


@dataclass(frozen=True)
class Operator:
    """One row of the table; exactly one of `mapping`, `templates` and `rule` says what replaces `@edit`."""

    name: str
    family: str
    query: str
    mapping: dict[str, tuple[str, ...]]
    templates: tuple[str, ...]
    unless: frozenset[str]
    """Kinds of `@edit` that are left alone."""
    rule: str | None


@dataclass(frozen=True)
class Skip:
    """What is never mutated: the `@skip` captures of a query, by all families or by some."""

    name: str
    query: str
    families: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """The whole table of one language."""

    name: str
    grammar: str
    extensions: tuple[str, ...]
    embedded: frozenset[str]
    no_mutate_comment: re.Pattern[str]
    comments: frozenset[str]
    functions: frozenset[str]
    classes: frozenset[str]
    decorated: str
    """The kind of node that a definition and its decorators make together; empty where there is none."""
    tolerant: bool
    """Whether a file of which some part does not parse is mutated elsewhere: its compiler has the last word."""
    operators: tuple[Operator, ...]
    skips: tuple[Skip, ...]


class Rows:
    """The queries of many rows as one, so that a tree is walked once for all of them."""

    def __init__(self, grammar: Grammar, queries: list[str]) -> None:
        self._starts: list[int] = []
        text = ""
        for query in queries:
            self._starts.append(len(text.encode()))
            text += query + "\n"
        self._query = Query(grammar, text)

    def matches(self, node: Node, within: tuple[int, int] | None = None) -> list[tuple[int, Captures]]:
        """Every match below `node` that touches the bytes `within`, with the index of the row that it belongs to."""
        cursor = QueryCursor(self._query)
        if within is not None:
            cursor.set_byte_range(*within)
        found = cursor.matches(node)
        return [
            (bisect_right(self._starts, self._query.start_byte_for_pattern(pattern)) - 1, captures)
            for pattern, captures in found
        ]


@dataclass(frozen=True)
class Language:
    """A language's grammar and table, ready to parse and to match."""

    table: Table
    grammar: Grammar

    @cached_property
    def operators(self) -> Rows:
        """The operators' queries."""
        return Rows(self.grammar, [row.query for row in self.table.operators])

    @cached_property
    def skips(self) -> Rows:
        """The skips' queries."""
        return Rows(self.grammar, [row.query for row in self.table.skips])

    def parse(self, data: bytes) -> Tree:
        """The syntax tree of UTF-8 text, errors and all."""
        tree = Parser(self.grammar).parse(data)
        if self.table.name == "python" and tree.root_node.has_error:
            return Parser(self.grammar).parse(without_defaults(data))
        return tree

    def parse_valid(self, path: str, data: bytes) -> Tree:
        """The syntax tree; raises `TaskError` with the line when the text is not valid and the table not tolerant."""
        tree = self.parse(data)
        if tree.root_node.has_error and not self.table.tolerant:
            raise TaskError(
                f"{path}:{_first_error_line(tree.root_node)}: this is not valid {self.table.name} for the parser, "
                "so it cannot be mutated; leave the file out of the production roots or correct it"
            )
        return tree


def _first_error_line(node: Node) -> int:
    while True:
        child = next((child for child in node.children if child.has_error), None)
        if child is None or node.is_error:
            return node.start_point.row + 1
        node = child


def _table(data: dict[str, Any]) -> Table:
    head = data["language"]
    return Table(
        name=head["name"],
        grammar=head["grammar"],
        extensions=tuple(head["extensions"]),
        embedded=frozenset(head["embedded"]),
        no_mutate_comment=re.compile(head["no_mutate_comment"]),
        comments=frozenset(head["comments"]),
        functions=frozenset(head["functions"]),
        classes=frozenset(head["classes"]),
        decorated=head.get("decorated", ""),
        tolerant=head.get("tolerant", False),
        operators=tuple(
            Operator(
                name=row["name"],
                family=row["family"],
                query=row["query"],
                mapping={before: tuple(after) for before, after in row.get("map", {}).items()},
                templates=tuple(row.get("to", ())),
                unless=frozenset(row.get("unless", ())),
                rule=row.get("rule"),
            )
            for row in data["operator"]
        ),
        skips=tuple(
            Skip(name=row["name"], query=row["query"], families=tuple(row.get("families", ()))) for row in data["skip"]
        ),
    )


@cache
def load_language(name: str) -> Language:
    """The language whose table is shipped as `operators/<name>.toml`; raises `UserError` for an unknown one."""
    folder = files("testmark.mutants").joinpath("operators")
    known = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
    if name not in known:
        raise UserError(f"no mutation operators for the language {name!r}; there are some for {', '.join(known)}")
    table = _table(tomllib.loads(folder.joinpath(f"{name}.toml").read_text(encoding="utf-8")))
    return Language(table, Grammar(importlib.import_module(table.grammar).language()))


@lru_cache(maxsize=8)
def parse_source(path: str, source: str, language: str) -> Tree:
    """The tree of a source text, kept for the next question about the same text; raises as `parse_valid`."""
    return load_language(language).parse_valid(path, source.encode("utf-8"))
