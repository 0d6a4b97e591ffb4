"""The replacements of Java that a template cannot say: literals, arguments, and what depends on a declared type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from testmark.mutants.language import Captures
from testmark.mutants.rules import Edit, Rule, text

_INTEGER = re.compile(r"(0[xX]|0[bB]|0(?=[0-7_]))?([0-9a-fA-F_]+)([lL]?)")
_RADIX = {"0x": 16, "0b": 2, "0": 8}
_LARGEST = {False: 0x7FFFFFFF, True: 0x7FFFFFFFFFFFFFFF}
_FLOAT = re.compile(r"([0-9_]*\.?[0-9_]*(?:[eE][+-]?[0-9_]+)?)([fFdD]?)")
_LITERALS = {
    "null_literal", "true", "false", "decimal_integer_literal", "hex_integer_literal", "octal_integer_literal",
    "binary_integer_literal", "decimal_floating_point_literal", "hex_floating_point_literal", "string_literal",
    "character_literal",
}  # fmt: skip
_COMMENTS = {"line_comment", "block_comment"}
_INTEGRAL = {"byte", "short", "int", "long", "char"}
_FLOATING = {"float", "double"}
_BOXED = {"Integer": "0", "Long": "0L", "Short": "(short) 0", "Byte": "(byte) 0", "Double": "0.0", "Float": "0.0f"}
# What else than null such a method may return; full names, as the file need not import them.
_EMPTY = {
    "String": ('""',),
    "CharSequence": ('""',),
    "Boolean": ("true", "false"),
    "Object": ("null",),
    "Optional": ("java.util.Optional.empty()",),
    "OptionalInt": ("java.util.OptionalInt.empty()",),
    "OptionalLong": ("java.util.OptionalLong.empty()",),
    "OptionalDouble": ("java.util.OptionalDouble.empty()",),
    "List": ("java.util.Collections.emptyList()",),
    "Collection": ("java.util.Collections.emptyList()",),
    "Iterable": ("java.util.Collections.emptyList()",),
    "Set": ("java.util.Collections.emptySet()",),
    "Map": ("java.util.Collections.emptyMap()",),
    "Iterator": ("java.util.Collections.emptyIterator()",),
    "Stream": ("java.util.stream.Stream.empty()",),
}
_FUNCTIONS = {"method_declaration", "constructor_declaration", "compact_constructor_declaration", "lambda_expression"}


def _replace(node: Node, *texts: str) -> Iterator[Edit]:
    for after in texts:
        yield Edit(node.start_byte, node.end_byte, after)


def java_integer(captures: Captures) -> Iterator[Edit]:
    """Neighbours of a whole number in its own radix: n + 1, n - 1 for 1 and for the largest number."""
    node = captures["edit"][0]
    match = _INTEGER.fullmatch(text(node))
    if match is None:
        return
    prefix, digits, suffix = match[1] or "", match[2].replace("_", ""), match[3]
    radix = _RADIX.get(prefix.lower(), 10)
    value = int(digits, radix)
    after = [value - 1 if value >= _LARGEST[bool(suffix)] else value + 1]
    if value == 1:
        after.append(0)
    for number in after:
        yield from _replace(node, prefix + _digits(number, radix) + suffix)


def _digits(number: int, radix: int) -> str:
    return format(number, {16: "X", 2: "b", 8: "o", 10: "d"}[radix])


def java_float(captures: Captures) -> Iterator[Edit]:
    """A floating-point number and one more; left alone where that is the same number."""
    node = captures["edit"][0]
    match = _FLOAT.fullmatch(text(node))
    if match is None or not match[1]:
        return
    value = float(match[1].replace("_", ""))
    if value + 1 != value:
        yield from _replace(node, repr(value + 1) + match[2])


def java_string(captures: Captures) -> Iterator[Edit]:
    """A string becomes empty, or longer at its front."""
    node = captures["edit"][0]
    code = text(node)
    if code.startswith('"""'):
        opening = code[: code.index("\n") + 1]
        yield Edit(node.start_byte, node.start_byte + len(opening.encode("utf-8")), opening + "XX")
        yield from _replace(node, '""')
        return
    yield Edit(node.start_byte, node.start_byte + 1, '"XX')
    if code != '""':
        yield from _replace(node, '""')


def java_character(captures: Captures) -> Iterator[Edit]:
    """A letter or digit becomes its neighbour; any other character a letter."""
    node = captures["edit"][0]
    inside = text(node)[1:-1]
    if len(inside) == 1 and inside.isascii() and inside.isalnum():
        after = {"z": "a", "Z": "A", "9": "0"}.get(inside) or chr(ord(inside) + 1)
    else:
        after = "X"
    yield from _replace(node, f"'{after}'")


def java_arguments(captures: Captures) -> Iterator[Edit]:
    """Neighbours swapped, each argument left out where an overload may take the others, each one null."""
    node = captures["edit"][0]
    args = [child for child in node.named_children if child.type not in _COMMENTS]
    source = node.text or b""
    for left, right in pairwise(args):
        between = source[left.end_byte - node.start_byte : right.start_byte - node.start_byte].decode("utf-8")
        yield Edit(left.start_byte, right.end_byte, text(right) + between + text(left))
    for index, arg in enumerate(args):
        if len(args) > 1 and index == len(args) - 1:
            yield Edit(args[index - 1].end_byte, arg.end_byte, "")
        elif len(args) > 1:
            yield Edit(arg.start_byte, args[index + 1].start_byte, "")
        if arg.type not in _LITERALS:
            yield from _replace(arg, "null")


def java_call_argument(captures: Captures) -> Iterator[Edit]:
    """A call with one of its arguments in its place: where types agree, the call's work is left out."""
    node, arguments = captures["edit"][0], captures["arguments"][0]
    if _is_statement(node):
        return
    for arg in arguments.named_children:
        if arg.type in _COMMENTS or arg.type in {"lambda_expression", "method_reference"}:
            continue
        yield from _replace(
            node, text(arg) if arg.type in {"identifier", "field_access", *_LITERALS} else f"({text(arg)})"
        )


def java_receiver(captures: Captures) -> Iterator[Edit]:
    """A call with its receiver in its place: fluent calls lose one link."""
    node = captures["edit"][0]
    if not _is_statement(node) or captures["object"][0].type in {"method_invocation", "object_creation_expression"}:
        yield from _replace(node, text(captures["object"][0]))


def _is_statement(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "expression_statement"


def java_step_drop(captures: Captures) -> Iterator[Edit]:
    """A step (`i++`) whose value is used becomes the variable alone."""
    node = captures["edit"][0]
    parent = node.parent
    if parent is None or parent.type in {"expression_statement", "for_statement"}:
        return
    yield from _replace(node, text(captures["operand"][0]))


def java_return(captures: Captures) -> Iterator[Edit]:
    """Other values of the method's declared type; of a lambda nothing is known but that null may do."""
    node = captures["edit"][0]
    owner = node.parent
    while owner is not None and owner.type not in _FUNCTIONS:
        owner = owner.parent
    declared = owner.child_by_field_name("type") if owner is not None else None
    yield from _replace(node, *(("null",) if declared is None else _values(declared)))


def java_initial(captures: Captures) -> Iterator[Edit]:
    """A variable starts with the default of its declared type, in place of what was computed."""
    node, declared = captures["edit"][0], captures["type"][0]
    if node.type not in _LITERALS and text(declared) != "var" and node.type != "array_initializer":
        yield from _replace(node, *_values(declared))


def _values(declared: Node) -> tuple[str, ...]:
    name = text(declared)
    if name in _INTEGRAL:
        return ("0",)
    if name in _FLOATING:
        return ("0",)
    if name == "boolean":
        return ("true", "false")
    simple = re.sub(r"<.*", "", name, flags=re.DOTALL).rpartition(".")[2].strip()
    if simple in _BOXED:
        return (_BOXED[simple], "null")
    return tuple(dict.fromkeys((*_EMPTY.get(simple, ()), "null")))


def java_lost_alternatives(captures: Captures) -> Iterator[Edit]:
    """A handler of several exceptions without one of them."""
    node = captures["edit"][0]
    kinds = [text(child) for child in node.named_children]
    if len(kinds) > 1:
        for index in range(len(kinds)):
            yield from _replace(node, " | ".join(kinds[:index] + kinds[index + 1 :]))


def java_last_round(captures: Captures) -> Iterator[Edit]:
    """A loop ends after its first round: a conditional `break`, so that what follows stays reachable."""
    body = captures["edit"][0]
    if body.named_children:
        yield Edit(body.end_byte - 1, body.end_byte, "if (true) break; }")


JAVA_RULES: dict[str, Rule] = {
    "java_integer": java_integer,
    "java_float": java_float,
    "java_string": java_string,
    "java_character": java_character,
    "java_arguments": java_arguments,
    "java_call_argument": java_call_argument,
    "java_receiver": java_receiver,
    "java_step_drop": java_step_drop,
    "java_return": java_return,
    "java_initial": java_initial,
    "java_lost_alternatives": java_lost_alternatives,
    "java_last_round": java_last_round,
}
