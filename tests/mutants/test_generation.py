"""The records that generation gives."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import testmark
from testmark.errors import TaskError, UserError
from testmark.mutants import apply, generate
from testmark.mutants.language import load_language

SOURCE = """\
import os

LIMIT = 3


class Outer:
    size = 1

    @property
    def é(self):
        return "ü" + self.x

    @é.setter
    def é(self, value):
        self.x = value

    class Inner:
        def method(self):
            def nested(n=2):
                return n + 1
            return nested
"""
ROOT = Path(testmark.__path__[0])
OWN_FILES = sorted(path for path in (ROOT / "mutants").rglob("*.py"))


def test_places_and_functions() -> None:
    found = {(one.before, one.after): one for one in reversed(generate("a/m.py", SOURCE))}
    module = found["3", "4"]
    assert (module.function, module.function_line, module.line, module.column) == ("<module>", 1, 3, 8)
    class_level = found["1", "0"]
    assert (class_level.function, class_level.line) == ("<module>", 7)
    getter = found['"ü" + self.x', '"ü"']
    assert (getter.function, getter.function_line) == ("Outer.é", 9)
    assert (getter.line, getter.column, getter.end_line, getter.end_column) == (11, 15, 11, 27)
    assert SOURCE.encode()[getter.start_byte : getter.end_byte].decode() == getter.before
    setter = found["self.x = value", "pass"]
    assert (setter.function, setter.function_line) == ("Outer.é", 13)
    default = found["2", "3"]
    assert (default.function, default.function_line) == ("Outer.Inner.method.nested", 19)
    result = found["nested", "None"]
    assert (result.function, result.function_line) == ("Outer.Inner.method", 18)


def test_identifier_is_the_hash_of_path_span_and_replacement() -> None:
    for one in generate("a/m.py", SOURCE):
        key = f"a/m.py\0{one.start_byte}\0{one.end_byte}\0{one.after}"
        assert one.mutant_id == hashlib.sha256(key.encode()).hexdigest()[:12]


def test_columns_count_characters() -> None:
    source = "ä = 'öö' if ü else 1\n"
    one = next(one for one in generate("m.py", source) if one.before == "1" and one.after == "2")
    assert one.column == source.index("1")
    assert one.end_column == source.index("1") + 1


@pytest.mark.parametrize("source", ["x = a < 1\r\ny = (a +\r\n  b)\r\n", "if a:\n\tx = 1", "x = a + 1"])
def test_line_ends_tabs_and_no_last_newline(source: str) -> None:
    found = generate("m.py", source)
    assert found
    for one in found:
        compile(apply(source, one), "m.py", "exec")
        assert source.encode()[one.start_byte : one.end_byte].decode() == one.before


def test_nothing_in_an_empty_file() -> None:
    assert generate("m.py", "") == ()


def test_source_that_does_not_parse_names_file_and_line() -> None:
    with pytest.raises(TaskError, match=r"a/m\.py:2: "):
        generate("a/m.py", "x = 1\ny = (\n")


def test_unknown_language_names_the_known_ones() -> None:
    with pytest.raises(UserError, match=r"cobol.*python"):
        generate("m.cob", "", language="cobol")


@pytest.mark.parametrize("path", OWN_FILES, ids=lambda path: path.name)
def test_every_mutant_of_real_code_is_new_and_compiles(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    found = generate(path.name, source)
    texts = [apply(source, one) for one in found]
    assert len(set(texts)) == len(texts)
    assert source not in texts
    language = load_language("python")
    for text in texts[::7]:
        compile(text, path.name, "exec")
        assert not language.parse(text.encode()).root_node.has_error


def test_order_is_that_of_the_text_and_repeats() -> None:
    found = generate("m.py", SOURCE)
    assert [(one.start_byte, one.end_byte) for one in found] == sorted((one.start_byte, one.end_byte) for one in found)
    assert generate("m.py", SOURCE) == found


def test_defaults_of_type_parameters_are_no_obstacle_and_are_not_mutated() -> None:
    source = "class Box[T = int]:\n    def double[U = dict[str, 3 + 4]](self, x):\n        return x + x\n"
    found = generate("box.py", source)
    assert {mutant.function for mutant in found} == {"Box.double"}
    assert {mutant.line for mutant in found} == {3}
    assert "class Box[T = int]:\n    def double[U = dict[str, 3 + 4]](self, x):\n        return x - x\n" in {
        apply(source, mutant) for mutant in found
    }
