"""The digest of compiled code."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from testmark.mutants import digest
from testmark.mutants.digest import code_digest


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 1", "\n\n# comment\nx  =  1  # more"),
        ("if a is not b: f()", "if not (a is b): f()"),
        ("def f():\n    return 1", "def f():\n\n    return (1)"),
        ("class A:\n    x = 'a'", "\n\n\nclass A:\n    x = 'a'"),
        ("class A:\n    x = 'a'", "\n" * 400 + "class A:\n    x = 'a'"),
        ("x in {1, 2, 3}", "x in {3, 2, 1}"),
    ],
)
def test_equal(one: str, other: str) -> None:
    assert code_digest(one, "a.py") == code_digest(other, "b.py")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 1", "x = True"),
        ("x = 1", "x = 1.0"),
        ("x = 0.0", "x = -0.0"),
        ("x = 0j", "x = -0j"),
        ("x = 'a'", "x = b'a'"),
        ("x = (1,)", "x = (True,)"),
        ("x = y in {1, 2}", "x = y in {1, 2.0}"),
        ("def f(): return 1", "def f(): return 2"),
        ("def f(a): return 1", "def f(b): return 1"),
        ("def f(*a): pass", "def f(a): pass"),
        ("def f(): pass", "async def f(): pass"),
        ("try: a()\nexcept A: b()", "try: a()\nexcept B: b()"),
        ("def f():\n    'doc'", "def f():\n    'other'"),
        ("class A:\n    x = 5", "class A:\n    x = 6"),
    ],
)
def test_different(one: str, other: str) -> None:
    assert code_digest(one, "a.py") != code_digest(other, "a.py")


@pytest.mark.parametrize("source", ["x = (", "x = '\0'", "return 1", "\ud800"])
def test_what_does_not_compile(source: str) -> None:
    with pytest.raises((SyntaxError, ValueError)):
        code_digest(source, "a.py")


def test_as_a_program_of_its_own() -> None:
    requests = "".join(json.dumps([source, "a.py"]) + "\n" for source in ("x = 1", "x = (", "\nx = 1"))
    done = subprocess.run(
        [sys.executable, "-I", digest.__file__], input=requests, capture_output=True, text=True, check=True
    )
    first, second, third = map(json.loads, done.stdout.splitlines())
    assert first == third == code_digest("x = 1", "a.py")
    assert second is None
