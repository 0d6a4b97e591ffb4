"""Conditions of Java that are always true, or always false, without looking so to javac."""

from __future__ import annotations

from testmark.mutants.equivalents.draw import Draw

_LETTERS = "abcdefghijkmnpqrstuvwxyz"
# Templates over whole numbers 0 < a < b and letters s, t. Only literals, arrays of numbers and methods of string
# literals take part: nothing that a project could redefine, nothing that javac computes by itself.
_TRUE = (
    '"{s}{t}".startsWith("{s}")',
    '"{s}{t}".length() == 2',
    '!"{s}".isEmpty()',
    "\"{s}{t}\".charAt(1) == '{t}'",
    '"{s}{t}".endsWith("{t}")',
    "new int[{a}].length < {b}",
    "new int[] {{{a}, {b}}}[1] == {b}",
    "new int[] {{{b}, {a}}}[0] > {a}",
    '"{s}".equals("{s}")',
    '"{s}".compareTo("{s}{t}") < 0',
)
_FALSE = (
    '"{s}{t}".endsWith("{s}{t}{s}")',
    '"{s}{t}".length() == 1',
    '"{s}".isEmpty()',
    "\"{s}{t}\".charAt(0) != '{s}'",
    '"{s}{t}".isEmpty()',
    "new int[{b}].length < {a}",
    "new int[] {{{a}, {b}}}[0] == {b}",
    "new int[] {{{b}, {a}}}[1] > {a}",
    '"{s}".equals("{s}{t}")',
    '"{s}{t}".compareTo("{s}") < 0',
)


def opaque(draw: Draw, *, value: bool) -> str:
    """The text of a condition that is always `value`; an operand that needs no parentheses beside `?` and `:`."""
    first = draw.below(40) + 1
    second = first + 1 + draw.below(40)
    form = draw.choice(_TRUE if value else _FALSE)
    return form.format(a=first, b=second, s=draw.choice(_LETTERS), t=draw.choice(_LETTERS))
