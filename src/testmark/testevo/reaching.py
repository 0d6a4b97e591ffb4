"""The part of a test file that one of its tests can reach.

A test is run in a JVM of its own when its file names what could reach from one run into the next. Most files do so in
one test and hold many others. So other tests, and helpers that nobody names any more, are blanked: what is left, if it
still compiles, is all that runs when this one test runs, as long as nobody calls methods by names that are not in the
text. Where that cannot be ruled out, nothing is blanked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from testmark.source.java import JavaFile, JavaMethod, parse_java, read_java
from testmark.source.members import Member, members, without
from testmark.testevo.changes import is_fixture, is_test_method

_ESCAPE = re.compile(r"\\u+00[0-7]")
"""A letter of ASCII written as its number: names and braces may then be others than they look."""
_PLAIN_ANNOTATIONS = frozenset(
    {
        "Test", "Before", "After", "BeforeClass", "AfterClass", "BeforeEach", "AfterEach", "BeforeAll", "AfterAll",
        "BeforeMethod", "AfterMethod", "DataProvider", "Nested", "Disabled", "Ignore", "DisplayName", "Tag", "Timeout",
        "Rule", "ClassRule", "TempDir", "ParameterizedTest", "ValueSource", "EnumSource", "CsvSource", "NullSource",
        "EmptySource", "NullAndEmptySource", "RepeatedTest", "Override", "SuppressWarnings", "Deprecated",
        "SafeVarargs", "FunctionalInterface",
    }
)  # fmt: skip
"""Those by which no framework learns the name of a method, a class to create, or another order of things."""
_PLAIN_SUPERCLASSES = frozenset({"", "Object", "Exception", "RuntimeException", "IOException", "Throwable", "Error"})
"""A subclass of others (`TestCase`) may be asked to run methods of its own by their names."""
_FOR_COMPILERS = frozenset({"SuppressWarnings", "Deprecated", "SafeVarargs"})
_SERIALIZING = frozenset({"readObject", "writeObject"})
"""Private methods that the JVM calls."""
_NAMING = "dependsOn"
"""What names other tests in arguments of TestNG's annotations."""


def reachable(content: str, method: JavaMethod) -> str | None:
    """The text with all that the method cannot reach blank; None when that cannot be told."""
    if _ESCAPE.search(content):
        return None
    file = read_java(content)
    if file.has_errors:
        return None
    text = _without(content, [one for one in file.methods if _is_other_test(one, method, file)])
    while True:
        unnamed = [one for one in read_java(text).methods if _is_helper(one) and not _is_named(one, text)]
        shorter = _without(text, unnamed)
        if shorter == text:
            break
        text = shorter
    left = read_java(text)
    plain = (
        _NAMING not in text
        and set(_annotations(text)) <= _PLAIN_ANNOTATIONS
        and all(cls.superclass in _PLAIN_SUPERCLASSES and cls.kind != "annotation" for cls in left.classes)
    )
    return text if plain and not left.has_errors and any(one.key == method.key for one in left.methods) else None


def _is_other_test(one: JavaMethod, method: JavaMethod, file: JavaFile) -> bool:
    """Of another name, and nothing but a test: what returns something could be asked for it."""
    return one.name != method.name and one.returns == "void" and is_test_method(one, file) and not is_fixture(one)


def _is_helper(one: JavaMethod) -> bool:
    """A private method that only a call in the text can reach: a getter may be read as a property."""
    called = one.is_constructor or one.name in _SERIALIZING
    said = set(one.annotations) <= _FOR_COMPILERS
    return "private" in one.modifiers and bool(one.parameters) and said and not called


def _is_named(one: JavaMethod, text: str) -> bool:
    """Whether its name is anywhere but where it is declared, in a text or a comment say."""
    return len(re.findall(rf"\b{re.escape(one.name)}\b", text)) > 1


def _without(text: str, methods: list[JavaMethod]) -> str:
    spans = [(method.line, method.end_line) for method in methods]
    found = members(text)
    return without(text, [member for span in spans for member in _only(found, span)])


def _only(found: tuple[Member, ...], span: tuple[int, int]) -> list[Member]:
    """The one member of these lines; none where several share them."""
    same = [member for member in found if (member.line, member.end_line) == span]
    return same if len(same) == 1 else []


def _annotations(text: str) -> Iterator[str]:
    """Simple names of all annotations, wherever they stand."""
    todo = [parse_java(text).root_node]
    while todo:
        node = todo.pop()
        if node.type in {"annotation", "marker_annotation"}:
            name = node.child_by_field_name("name")
            yield "" if name is None or name.text is None else name.text.decode("utf-8").rpartition(".")[2].strip()
        todo += node.children
