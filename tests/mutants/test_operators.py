"""Every row of the Python table: what it makes of a small program."""

from __future__ import annotations

import pytest

from testmark.mutants import apply, generate
from testmark.mutants.language import load_language

SAMPLES: dict[str, tuple[str, list[str]]] = {
    "arithmetic-swap": ("x = a // b", ["x = a * b", "x = a / b"]),
    "concatenation-drop": ("x = 'a' + b", ["x = 'a'", "x = b"]),
    "relational-boundary": ("x = a < b", ["x = a <= b"]),
    "relational-negation": ("x = a < b", ["x = a >= b"]),
    "membership-negation": ("x = a not  in b", ["x = a in b"]),
    "identity-negation": ("x = a is b", ["x = a is not b"]),
    "connective-swap": ("x = a and b", ["x = a or b"]),
    "connective-drop": ("x = a and b", ["x = a", "x = b"]),
    "coalescing-drop": ("x = a or b", ["x = a", "x = b"]),
    "conditional-drop": ("x = a if c else b", ["x = a", "x = b"]),
    "unary-drop": ("f(not a, -b)", ["f(a, -b)", "f(not a, b)"]),
    "condition-constant": ("if a: f()", ["if True: f()", "if False: f()"]),
    "condition-negate": ("while a: f()", ["while not (a): f()"]),
    "loop-never": ("while a: f()", ["while False: f()"]),
    "loop-empty": ("for a in b: f()", ["for a in (): f()"]),
    "loop-exit": ("for a in b: break", ["for a in b: continue", "for a in b: pass"]),
    "increment-reverse": ("a += 1", ["a -= 1"]),
    "augmented-swap": ("a *= b", ["a /= b"]),
    "augmented-plain": ("a += 'b'", ["a = 'b'"]),
    "number-change": ("x = 1, 2.5, 3j", ["x = 2, 2.5, 3j", "x = 0, 2.5, 3j", "x = 1, 3.5, 3j", "x = 1, 2.5, 4.0j"]),
    "string-change": ("x = b'a', f'{b}'", ["x = b'XXa', f'{b}'", "x = b'', f'{b}'", "x = b'a', f'XX{b}'"]),
    "boolean-flip": ("x = True", ["x = False"]),
    "none-change": ("x = None", ["x = 0"]),
    "return-none": ("def f(): return a", ["def f(): return None"]),
    "return-drop": ("def f():\n    return", ["def f():\n    pass"]),
    "call-delete": ("a.b()", ["pass"]),
    "statement-delete": ("a.b = c", ["pass"]),
    "assignment-none": ("a = b()", ["a = None"]),
    "argument-change": (
        "f(a, b, k=c)",
        ["f(b, a, k=c)", "f(None, b, k=c)", "f(a, k=c)", "f(a, None, k=c)", "f(a, b)"],
    ),
    "keyword-argument-none": ("f(k=c)", ["f(k=None)"]),
    "default-none": ("def f(a=b): g", ["def f(a=None): g"]),
    "function-twin": ("x = min(a)", ["x = max(a)"]),
    "method-twin": ("x = a.lower()", ["x = a.upper()"]),
    "append-front": ("a.append(b)", ["a.insert(0, b)"]),
    "sort-reverse": ("x = sorted(a)", ["x = sorted(a, reverse=True)"]),
    "sort-method-reverse": ("a.sort()", ["a.sort(reverse=True)"]),
    "absolute-drop": ("x = abs(a)", ["x = (a)"]),
    "range-shrink": ("x = range(a)", ["x = range(1, a)", "x = range((a) - 1)"]),
    "first-last": ("x = a[0] + b[-1]", ["x = a[-1] + b[-1]", "x = a[0] + b[0]"]),
    "slice-open": ("x = a[b:c]", ["x = a[:c]", "x = a[b:]"]),
    "slice-shift": ("x = a[b:c]", ["x = a[(b) + 1:c]", "x = a[b:(c) + 1]"]),
    "raise-delete": ("raise a", ["pass"]),
    "except-never": ("try: a\nexcept b: c", ["try: a\nexcept (): c"]),
    "except-narrow": (
        "try: a\nexcept (b, c) as e: d",
        ["try: a\nexcept (c,) as e: d", "try: a\nexcept (b,) as e: d"],
    ),
    "except-raise": ("try: a\nexcept b: c", ["try: a\nexcept b: raise"]),
    "finally-drop": ("try: a\nfinally: b", ["try: a\nfinally: pass"]),
}
TABLE = load_language("python").table
FAMILIES = {
    "arithmetic", "relational-boundary", "relational-negation", "logical-connective", "condition", "unary", "increment",
    "constant", "return-value", "deleted-call", "argument", "loop-control", "library-twin", "exception",
    "null-coalescing", "membership", "identity", "slice", "augmented-assignment", "default", "deleted-statement",
    "assignment",
}  # fmt: skip


def test_every_operator_has_a_sample() -> None:
    assert {row.name for row in TABLE.operators} == set(SAMPLES)


def test_every_family_is_there() -> None:
    assert {row.family for row in TABLE.operators} == FAMILIES


def test_every_operator_says_in_one_way_what_it_does() -> None:
    for row in TABLE.operators:
        assert [bool(row.mapping), bool(row.templates), row.rule is not None].count(True) == 1, row.name


@pytest.mark.parametrize("name", SAMPLES)
def test_operator(name: str) -> None:
    source, expected = SAMPLES[name]
    texts = [apply(source, one) for one in generate("m.py", source) if one.operator == name]
    assert sorted(texts) == sorted(expected)


@pytest.mark.parametrize(
    ("source", "unwanted"),
    [
        ("x = f'{a[\"k\"]}'", "x = f'{a[\"XXk\"]}X'"),
        ("f(x for x in y)", "f()"),
        ("x = 'a' % b", "x = 'a' * b"),
        ("if a == b: f()", "if not (a == b): f()"),
        ("while a: f()", "while True: f()"),
    ],
)
def test_not_made(source: str, unwanted: str) -> None:
    assert unwanted not in [apply(source, one) for one in generate("m.py", source)]


def test_new_quotes_stay_out_of_f_string_fields() -> None:
    texts = [apply("x = f'{a[k]} {b == None}'", one) for one in generate("m.py", "x = f'{a[k]} {b == None}'")]
    assert "x = f'{a[k]} {b != None}'" in texts
    assert all(text.count("'") == 2 for text in texts)


def test_single_argument_with_trailing_comma() -> None:
    assert "f(*a,)" not in {apply("f(*a,)", one) for one in generate("m.py", "f(*a,)")}
    assert "f()" in {apply("f(*a,)", one) for one in generate("m.py", "f(*a,)")}
