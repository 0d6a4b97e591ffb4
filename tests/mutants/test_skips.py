"""What is never mutated."""

from __future__ import annotations

import pytest

from testmark.mutants import generate

UNTOUCHED = {
    "docstrings": '"""Module 1."""\nclass A:\n    """Class 1."""\n    def f(self):\n        """Function 1."""',
    "attribute docstring": 'class A:\n    a: int\n    "about a"',
    "annotations": "def f(a: 'int', *b: Literal[1]) -> Literal['x']: ...\nx: dict[str, 'A']",
    "type alias": "type A = dict[str, Literal[1]]",
    "imports": "import a.b\nfrom a import b as c\nfrom __future__ import annotations",
    "logger": "logger.info('a %s', b)\nself._logger.error('x')\nlogging.warning('a')\nlog.debug(1)\n_LOG.warning(2)",
    "warnings": "warnings.warn('a', DeprecationWarning, stacklevel=2)\nwarn('x', stacklevel=2)",
    "repr": "class A:\n    def __repr__(self):\n        return '<A %s>' % self.x",
    "type checking": "if TYPE_CHECKING:\n    x = 1\nif typing.TYPE_CHECKING:\n    y = 1",
    "tool names": "__all__ = ['a', 'b']\nclass A:\n    __slots__ = ('a',)",
    "script part": "if __name__ == '__main__':\n    main(1)",
    "type variables": "T = TypeVar('T', bound='A')\nN = typing.NewType('N', int)",
    "overloads": "@overload\ndef f(a: int = 1): ...\n@typing.overload\ndef f(a: str = ''): ...",
    "pragma": "x = a + 1  # pragma: no mutate",
    "abstract": "def f():\n    raise NotImplementedError('x')\ndef g(): ...\ndef h():\n    pass",
    "format specification": "f'{a:>10}' f'{b!r}'",
}


@pytest.mark.parametrize("name", UNTOUCHED)
def test_untouched(name: str) -> None:
    assert generate("m.py", UNTOUCHED[name]) == ()


def test_else_of_type_checking_is_mutated() -> None:
    lines = {one.line for one in generate("m.py", "if TYPE_CHECKING:\n    x = 1\nelse:\n    x = 2")}
    assert lines == {4}


def test_the_type_given_to_cast_stays() -> None:
    befores = {one.before for one in generate("m.py", "x = cast('A', f(1))")}
    assert "1" in befores
    assert "'A'" not in befores


def test_message_of_assert_stays_but_its_condition_does_not() -> None:
    found = generate("m.py", "assert a == 1, 'message'")
    assert all("message" not in one.before for one in found if one.operator != "raise-delete")
    assert {"relational-negation", "constant", "exception"} <= {one.family for one in found}


def test_literals_compared_by_identity_bring_no_warning() -> None:
    assert {one.family for one in generate("m.py", "x = a is None")} == {"identity", "assignment"}


def test_names_of_decorators_stay_and_their_arguments_do_not() -> None:
    found = generate("m.py", "@lower.upper\n@cached(1)\ndef f(): ...")
    assert {one.before for one in found} == {"1"}
