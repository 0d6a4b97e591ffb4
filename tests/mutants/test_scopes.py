"""Which mutants one exchanged code object expresses."""

from __future__ import annotations

import types

import pytest

from testmark.mutants import apply, generate, is_swappable, swap_target
from testmark.mutants.language import load_language, parse_source
from testmark.mutants.scopes import all_functions

SOURCE = """\
LIMIT = 10

def plain(a, b=20):
    return a + 30

@deco(40)
def decorated():
    return 50

class A:
    size = 60

    @property
    def prop(self):
        return 70

    class B:
        def deep(self):
            return 80

def outer():
    def inner(c=90):
        return 100
    return lambda: 110

def comprehension(xs):
    return [x + 120 for x in xs]

def lazy(xs):
    return (x + 130 for x in xs)

def inner_class():
    class C:
        value = 140
    return C

class D(A):
    def cell(self):
        super().go(150)
        return 160
"""
TARGETS = {
    "10": None,
    "20": None,
    "30": ("plain", 3),
    "40": None,
    "50": ("decorated", 6),
    "60": None,
    "70": ("A.prop", 13),
    "80": ("A.B.deep", 18),
    "90": None,
    "100": None,
    "110": None,
    "120": ("comprehension", 26),
    "130": None,
    "140": None,
    "150": ("D.cell", 38),
    "160": ("D.cell", 38),
}


@pytest.mark.parametrize("number", TARGETS)
def test_target(number: str) -> None:
    one = next(one for one in generate("m.py", SOURCE) if one.before == number and one.operator == "number-change")
    assert swap_target(SOURCE, one) == TARGETS[number]
    assert is_swappable(SOURCE, one) == (TARGETS[number] is not None)


def test_a_lost_class_cell_is_not_swappable() -> None:
    deleted = next(one for one in generate("m.py", SOURCE) if one.before == "super().go(150)" and one.after == "pass")
    assert not is_swappable(SOURCE, deleted)


def _codes(code: types.CodeType) -> dict[tuple[str, int], types.CodeType]:
    found = {(code.co_name, code.co_firstlineno): code}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _codes(constant)
    return found


def test_targets_are_code_objects_with_the_same_free_variables() -> None:
    before = _codes(compile(SOURCE, "m.py", "exec"))
    for one in generate("m.py", SOURCE):
        target = swap_target(SOURCE, one)
        if target is not None:
            key = (target[0].rpartition(".")[2], target[1])
            after = _codes(compile(apply(SOURCE, one), "m.py", "exec"))
            assert before[key].co_freevars == after[key].co_freevars


def test_functions_by_name_and_first_line() -> None:
    functions = all_functions(parse_source("m.py", SOURCE, "python"), load_language("python"))
    names = [(one.qualname, one.line) for one in functions]
    assert names[:5] == [("plain", 3), ("decorated", 6), ("A.prop", 13), ("A.B.deep", 18), ("outer", 21)]
    assert ("outer.inner", 22) in names
