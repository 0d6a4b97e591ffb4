"""The few replacements that a template cannot say. A rule gets the captures of one match and yields edits."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from tree_sitter import Node

from testmark.mutants.language import Captures


@dataclass(frozen=True)
class Edit:
    """Bytes `start:end` become `after`."""

    start: int
    end: int
    after: str


Rule = Callable[[Captures], Iterator[Edit]]


def text(node: Node) -> str:
    """The source text of a node."""
    return (node.text or b"").decode("utf-8")


def _replace(node: Node, *texts: str) -> Iterator[Edit]:
    for after in texts:
        yield Edit(node.start_byte, node.end_byte, after)


def number(captures: Captures) -> Iterator[Edit]:
    """Neighbours of a number literal: n + 1 always, n - 1 for 1 (0 and 1 are where code branches)."""
    node = captures["edit"][0]
    try:
        value = ast.literal_eval(text(node))
    except (SyntaxError, ValueError):  # a literal of Python 2
        return
    if isinstance(value, int):
        yield from _replace(node, str(value + 1), *(["0"] if value == 1 else []))
    elif isinstance(value, float) and value + 1 != value:
        yield from _replace(node, repr(value + 1))
    elif isinstance(value, complex):
        yield from _replace(node, f"{value.imag + 1!r}j")


def string(captures: Captures) -> Iterator[Edit]:
    """A string becomes empty, or longer at its front; an f-string keeps its fields, an empty string gets text."""
    node = captures["edit"][0]
    opening, closing = node.children[0], node.children[-1]
    fields = any(child.type == "interpolation" for child in node.children)
    yield Edit(opening.start_byte, opening.end_byte, text(opening) + "XX")
    if not fields and opening.end_byte != closing.start_byte:
        yield from _replace(node, text(opening) + text(closing))


_SPLATS = {"list_splat", "dictionary_splat", "generator_expression"}


def arguments(captures: Captures) -> Iterator[Edit]:
    """Arguments dropped (named ones, splats, the last positional one), neighbours swapped, each one `None`."""
    node = captures["edit"][0]
    if node.type != "argument_list" or not node.children or node.children[0].type != "(":
        return
    args = [child for child in node.named_children if child.type != "comment"]
    plain = [child for child in args if child.type not in {"keyword_argument", *_SPLATS}]
    for index, arg in enumerate(args):
        if arg in plain and (arg != plain[-1] or len(plain) == 1):
            continue
        if index + 1 < len(args):
            yield Edit(arg.start_byte, args[index + 1].start_byte, "")
        elif index:
            yield Edit(args[index - 1].end_byte, arg.end_byte, "")
        else:
            yield Edit(arg.start_byte, node.children[-1].start_byte, "")
    source = node.text or b""
    for left, right in pairwise(args):
        if left in plain and right in plain:
            between = source[left.end_byte - node.start_byte : right.start_byte - node.start_byte].decode("utf-8")
            yield Edit(left.start_byte, right.end_byte, text(right) + between + text(left))
    for arg in plain:
        if arg.type not in {"none", "true", "false", "integer", "float", "string"}:
            yield from _replace(arg, "None")


def shorter_tuples(captures: Captures) -> Iterator[Edit]:
    """A tuple without one of its members, for each of them."""
    node = captures["edit"][0]
    members = [text(child) for child in node.named_children if child.type != "comment"]
    if len(members) < 2:  # noqa: PLR2004 - one member dropped of one is the empty tuple, another operator's edit
        return
    for index in range(len(members)):
        kept = members[:index] + members[index + 1 :]
        yield from _replace(node, f"({', '.join(kept)},)")


RULES: dict[str, Rule] = {
    "number": number,
    "string": string,
    "arguments": arguments,
    "shorter_tuples": shorter_tuples,
}

_FIELD = re.compile(r"\{(\w+)\}")


def fill(template: str, captures: Captures) -> str:
    """The template with each `{name}` replaced by the text of the capture `@name`."""
    return _FIELD.sub(lambda match: text(captures[match[1]][0]), template)
