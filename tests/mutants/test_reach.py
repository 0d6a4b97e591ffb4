"""A mutant whose reach lines did not run changes nothing."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from testmark.mutants import apply, generate, reach_lines

HEADERS = """\
@deco(1,
      2)
def f(a=3,
      b=4):
    if (a and
            5):
        g(6,
          7)
    elif a == 8:
        pass
    try:
        g(9)
    except (KeyError,
            ValueError):
        g(10)
    while True:
        break
    with open(11) as x, \\
            open(12):
        g(13)
    match a:
        case 14:
            g(15)
        case _ if b == 16:
            g(17)
    return [h for h in a
            if h > 18]
"""
LINES = {
    "1": {1, 2, 3, 4},
    "2": {1, 2, 3, 4},
    "3": {1, 2, 3, 4},
    "4": {1, 2, 3, 4},
    "5": {5, 6},
    "6": {7, 8},
    "8": {9},
    "9": {12},
    "10": {15},
    "11": {18, 19},
    "12": {18, 19},
    "13": {20},
    "14": {21, 22, 24},
    "15": {23},
    "16": {21, 22, 24},
    "17": {25},
    "18": {26, 27},
}


@pytest.mark.parametrize("number", LINES)
def test_lines(number: str) -> None:
    one = next(one for one in generate("m.py", HEADERS) if one.before == number)
    assert reach_lines(HEADERS, one) == LINES[number]


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("except-never", set(range(11, 16))),
        ("except-narrow", set(range(11, 16))),
        ("loop-exit", {16, 17}),
        ("loop-never", {16, 17}),
    ],
)
def test_wider_lines(operator: str, expected: set[int]) -> None:
    one = next(one for one in generate("m.py", HEADERS) if one.operator == operator)
    assert reach_lines(HEADERS, one) == expected


PROGRAM = """\
def work(n, log):
    total = 0
    for i in range(n):
        if i == 2:
            continue
        if i > 4:
            break
        total += i
    else:
        total = -total
    while n:
        n -= 1
        if n % 2 and (
            n > 3
        ):
            pass
    try:
        if total == 3:
            raise KeyError(total)
        if total == 1:
            raise ValueError(
                total,
            )
    except KeyError as error:
        log.append(("key",
                    error.args))
    except (ValueError, TypeError):
        log.append("value")
        return None
    finally:
        log.append("end")
    def helper(x=total or 5):
        return [y * 2
                for y in range(x)
                if y]
    if total < 0:
        return
    if total > 100: return helper()
    value = (
        helper(3)
        if total
        else None
    )
    assert total != 8
    log[0:1] = sorted(map(str, log), reverse=True)
    return value, log
"""


def _outcome(source: str, argument: int, executed: set[int] | None) -> str:
    def trace(frame: FrameType, event: str, _arg: object) -> Any:
        if frame.f_code.co_filename == "traced.py":
            if event == "line" and executed is not None:
                executed.add(frame.f_lineno)
            return trace
        return None

    space: dict[str, Any] = {}
    exec(compile(source, "traced.py", "exec"), space)
    before = sys.gettrace()
    sys.settrace(trace if executed is not None else None)
    try:
        log: list[object] = []
        return repr((space["work"](argument, log), log))
    except Exception as error:  # noqa: BLE001 - the outcome is whatever happens
        return repr(error)
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("argument", [0, 1, 2, 3, 4, 7])
def test_unreached_mutants_change_nothing(argument: int) -> None:
    executed: set[int] = set()
    expected = _outcome(PROGRAM, argument, executed)
    unreached = 0
    for one in generate("m.py", PROGRAM):
        mutated = apply(PROGRAM, one)
        if reach_lines(PROGRAM, one) & (executed | {1}):
            continue
        unreached += 1
        assert _outcome(mutated, argument, None) == expected, one
    assert unreached
