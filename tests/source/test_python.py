from __future__ import annotations

import ast
import functools
import inspect
import subprocess
import sys
import sysconfig
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from testmark.errors import TaskError
from testmark.source.python import (
    Declaration,
    declaration_at,
    declarations,
    hide_bodies,
    innermost,
    module_name,
    read_source,
    source_lines,
)


def read(source: str) -> dict[str, Declaration]:
    return {d.qualname: d for d in declarations("m.py", source, "m")}


def hide(source: str, *names: str) -> str:
    found = declarations("m.py", source, "m")
    return hide_bodies(source, [d for d in found if not names or d.qualname in names])


KINDS = '''\
import functools

class Shape:
    @property
    def area(self):
        """The area."""
        return self._area

    @area.setter
    def area(self, value):
        self._area = value

    @area.deleter
    def area(self):
        del self._area

    @functools.cached_property
    def edges(self): return 4

    @lazyproperty
    def name(self): return "shape"

    @classmethod
    async def make(cls):
        def inner():
            class Local:
                def method(self): return 1
        return inner

    class Inner:
        def deep(self): return 1

    def _private(self): return 2
    def __len__(self): return 3
    def __mangled(self): return 4

if True:
    def conditional(): return 5
else:
    try:
        def other(): return 6
    finally:
        pass

class _Row:
    def height(self): return 7
'''


def test_names_kinds_and_keys() -> None:
    found = declarations("m.py", KINDS, "pkg.m")
    assert [(d.key, d.kind) for d in found] == [
        (("pkg.m", "Shape.area"), "getter"),
        (("pkg.m", "Shape.area.setter"), "setter"),
        (("pkg.m", "Shape.area.deleter"), "deleter"),
        (("pkg.m", "Shape.edges"), "getter"),
        (("pkg.m", "Shape.name"), "getter"),
        (("pkg.m", "Shape.make"), "method"),
        (("pkg.m", "Shape.make.inner"), "function"),
        (("pkg.m", "Shape.make.inner.Local.method"), "method"),
        (("pkg.m", "Shape.Inner.deep"), "method"),
        (("pkg.m", "Shape._private"), "method"),
        (("pkg.m", "Shape.__len__"), "method"),
        (("pkg.m", "Shape.__mangled"), "method"),
        (("pkg.m", "conditional"), "function"),
        (("pkg.m", "other"), "function"),
        (("pkg.m", "_Row.height"), "method"),
    ]


def test_what_is_public() -> None:
    found = read(KINDS)
    private = {name for name, d in found.items() if not d.public}
    assert private == {"Shape._private", "Shape.__mangled", "Shape.make.inner", "Shape.make.inner.Local.method"}
    assert {name for name, d in found.items() if d.is_nested} == {"Shape.make.inner", "Shape.make.inner.Local.method"}


OVERLOADS = """\
from functools import singledispatch, singledispatchmethod
import functools, atexit, typing

@singledispatch
def area(shape):
    raise NotImplementedError

@area.register
def _(shape: int): return 1

@area.register(str)
def _area_of_text(shape): return 2

@atexit.register
def goodbye(): return 3

class Printer:
    @functools.singledispatchmethod
    def show(self, value): return "?"

    @show.register
    @classmethod
    def _(cls, value: int): return "int"

@typing.overload
def load(x: int) -> int: "An int."; return NotImplemented
def load(x): return x
"""


def test_overloads_belong_to_their_generic_function() -> None:
    found = declarations("m.py", OVERLOADS, "m")
    assert [(d.qualname, d.generic, d.key[1], d.public) for d in found[:6]] == [
        ("area", None, "area", True),
        ("_", "area", "area", True),
        ("_area_of_text", "area", "area", True),
        ("goodbye", None, "goodbye", True),
        ("Printer.show", None, "Printer.show", True),
        ("Printer._", "Printer.show", "Printer.show", True),
    ]
    assert [d.has_code_to_hide for d in found] == [False, True, True, True, True, True, False, True]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("    pass\n", False),
        ("    ...\n", False),
        ("    'doc'\n", False),
        ("    ('doc'\n     'in parts')\n", False),
        ("    '''doc'''\n    # comment\n    pass\n", False),
        ("    raise NotImplementedError\n", False),
        ("    raise NotImplementedError('say so: %s' % (x,))\n", False),
        ("    raise NotImplementedErrorOfOurs\n", True),
        ("    return None\n", True),
        ("    f'no doc'\n", True),
        ("    'doc'\n    x\n", True),
        ("    pass; x\n", True),
    ],
)
def test_code_to_hide(body: str, expected: bool) -> None:
    assert read(f"def f(x):\n{body}")["f"].has_code_to_hide is expected


def test_lines_are_those_of_the_interpreter(tmp_path: Path) -> None:
    source = (
        "import functools\n\n\n@functools.lru_cache(\n    maxsize=1,\n)\n# why\n@functools.wraps(len)\ndef f(\n    x,\n):\n"
        "    # first\n    'doc'\n    return x\n    # tail\n\n\nclass A:\n    @staticmethod\n    def g(): return 1\n"
    )
    f, g = declarations("m.py", source, "m")
    code = [c for c in compile(source, "m.py", "exec").co_consts if isinstance(c, types.CodeType)]
    assert f.line == code[0].co_firstlineno == 4
    assert (f.def_line, f.body_start_line) == (9, 13)
    assert (g.line, g.def_line, g.body_start_line, g.end_line) == (19, 20, 20, 20)
    assert declaration_at((f, g), 4) is f
    assert declaration_at((f, g), 9) is None
    assert innermost((f, g), 14) is f
    assert innermost((f, g), 18) is None


def test_innermost_of_nested_functions() -> None:
    found = declarations("m.py", "def f():\n    def g():\n        return 1\n    return g\n", "m")
    assert [innermost(found, line).qualname for line in (1, 2, 3, 4)] == ["f", "f.g", "f.g", "f"]


def test_the_text_shown_to_agents() -> None:
    source = (
        "class A:\n\t@deco(\n\t\t1,\n\t)\n\tasync def f(\n\t\tself, x: 'a:b' = lambda: 1,\n\t) -> dict[str, int]:  # why\n"
        '\t\t"""Says.\n\n\t\tMore.\n\t\t"""\n\t\treturn secret\n\n\tdef g(self): return secret\n'
    )
    found = read(source)
    assert found["A.f"].text == (
        "@deco(\n\t1,\n)\nasync def f(\n\tself, x: 'a:b' = lambda: 1,\n) -> dict[str, int]:  # why\n"
        '\t"""Says.\n\n\tMore.\n\t"""'
    )
    assert found["A.g"].text == "def g(self):"
    assert read(source.replace("\n", "\r\n"))["A.f"].text == found["A.f"].text


R = "raise NotImplementedError"

HIDDEN = {
    "block": ("def f():\n    x = 1\n    return x\ny = 2\n", f"def f():\n    {R}\ny = 2\n"),
    "one line": ("def f(): return 1\ny = 2\n", f"def f(): {R}\ny = 2\n"),
    "one line, several": ("def f(): x = 1; return x;\n", f"def f(): {R}\n"),
    "one line with docstring": ('def f(): "d"; return 1\n', f'def f(): "d"; {R}\n'),
    "last without newline": ("def f():\n    return 1", f"def f():\n    {R}"),
    "docstring": (
        'def f():\n    """D.\n\n    more\n    """\n    return 1\n',
        f'def f():\n    """D.\n\n    more\n    """\n    {R}\n',
    ),
    "docstring in brackets": (
        "def f():\n    ('a'\n     'b')\n    return 1\n",
        f"def f():\n    ('a'\n     'b')\n    {R}\n",
    ),
    "docstring only": ("def f():\n    'd'\n", f"def f():\n    'd'\n    {R}\n"),
    "code behind the docstring": ("def f():\n    'd'; return 1  # c\n", f"def f():\n    'd'\n    {R}\n"),
    "comment behind the docstring": (
        "def f():\n    'd'  # noqa\n    return 1\n",
        f"def f():\n    'd'  # noqa\n    {R}\n",
    ),
    "f-string is no docstring": ("def f():\n    f'd'\n    return 1\n", f"def f():\n    {R}\n"),
    "comments": (
        "def f(x):  # type: (int) -> int\n    # first\n    return x  # last\n\n    # tail\n        # deep\n# out\ny = 1\n",
        f"def f(x):  # type: (int) -> int\n    {R}\n# out\ny = 1\n",
    ),
    "comment of the class": (
        "class A:\n    def f(self):\n        return 1\n    # of A\n",
        f"class A:\n    def f(self):\n        {R}\n    # of A\n",
    ),
    "windows": (
        "def f():\r\n    'd'\r\n    x = 1\r\n    return x\r\ny = 2\r\n",
        f"def f():\r\n    'd'\r\n    {R}\r\ny = 2\r\n",
    ),
    "old mac": ("def f():\r    return 1\ry = 2\r", f"def f():\r    {R}\ry = 2\r"),
    "tabs": ("class A:\n\tdef f(self):\n\t\treturn 1\n\n\tx = 1\n", f"class A:\n\tdef f(self):\n\t\t{R}\n\n\tx = 1\n"),
    "generator": ("async def f():\n    async for x in y:\n        yield x\n", f"async def f():\n    {R}\n"),
    "decorators": ("@a\n# c\n@b(lambda: 1)\ndef f(): return 1\n", f"@a\n# c\n@b(lambda: 1)\ndef f(): {R}\n"),
    "continued line": ("def f(): \\\n  return 1\ny = 2\n", f"def f(): {R}\ny = 2\n"),
    "continued at the margin": ("def f(): \\\nreturn 1\ny = 2\n", f"def f(): {R}\ny = 2\n"),
    "nested": ("def f():\n    def g():\n        return 1\n    return g\n", f"def f():\n    {R}\n"),
    "not ASCII": ("é = 'ü'\ndef f(): return 'ß'\nz = '☃'\n", f"é = 'ü'\ndef f(): {R}\nz = '☃'\n"),
    "form feed": ("\x0cdef f():\n    return 1\n\x0cy = 1\n", f"\x0cdef f():\n    {R}\n\x0cy = 1\n"),
    "colons before the body": (
        "def f(x={1: 2}, y=lambda: 3) -> 'a:b': return x\n",
        f"def f(x={{1: 2}}, y=lambda: 3) -> 'a:b': {R}\n",
    ),
    "multi-line string at the margin": (
        "def f():\n    return '''\n# not a comment\nx'''\ny = 1\n",
        f"def f():\n    {R}\ny = 1\n",
    ),
}


@pytest.mark.parametrize("case", HIDDEN)
def test_hiding(case: str) -> None:
    source, expected = HIDDEN[case]
    hidden = hide(source)
    assert hidden == expected
    compile(hidden, case, "exec")


def test_only_what_was_asked_for_is_hidden() -> None:
    hidden = hide(KINDS, "Shape.area", "Shape.make.inner")
    assert hidden.count(R) == 4
    assert "return inner" in hidden
    assert "class Local" not in hidden
    assert "return 4" in hidden


def test_a_nested_function_alone() -> None:
    assert (
        hide("def f():\n    def g():\n        return 1\n    return g\n", "f.g")
        == f"def f():\n    def g():\n        {R}\n    return g\n"
    )


def test_type_parameters() -> None:
    source = "def f[T: (int, str), *Ts, **P](x: T) -> T:\n    return x\nclass C[T]:\n    def m[U](self): return 1\ntype A[T] = list[T]\n"
    assert (
        hide(source)
        == f"def f[T: (int, str), *Ts, **P](x: T) -> T:\n    {R}\nclass C[T]:\n    def m[U](self): {R}\ntype A[T] = list[T]\n"
    )


def test_nothing_to_hide_changes_nothing() -> None:
    assert hide_bodies(KINDS, []) == KINDS


def test_expressions_however_deep_are_read() -> None:
    deep = "x = " + "+".join(["1"] * 5000) + "\ndef f():\n    return " + "[" * 90 + "]" * 90 + "\n"
    assert list(read(deep)) == ["f"]


def stdlib() -> Iterator[Path]:
    """Some of the interpreter's own modules: large, old and odd ones."""
    lib = Path(sysconfig.get_path("stdlib"))
    for name in (
        "argparse",
        "ast",
        "cgitb",
        "dataclasses",
        "enum",
        "functools",
        "inspect",
        "tarfile",
        "turtle",
        "typing",
    ):
        if (lib / f"{name}.py").exists():
            yield lib / f"{name}.py"
    yield from sorted((lib / "asyncio").glob("*.py"))
    yield from sorted((lib / "email").glob("*.py"))
    yield from sorted((lib / "unittest").glob("*.py"))


def first_line(node: ast.stmt) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])


class Hide(ast.NodeTransformer):
    """Hides bodies in a tree, as an oracle."""

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        doc = node.body[:1] if ast.get_docstring(node, clean=False) is not None else []
        node.body = [*doc, ast.Raise(exc=ast.Name("NotImplementedError", ast.Load()))]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - the name is the interface of `ast`


@pytest.mark.parametrize("path", list(stdlib()), ids=lambda path: path.name)
def test_modules_of_the_standard_library(path: Path) -> None:
    source = read_source(path)
    tree = ast.parse(source)
    found = declarations(path.name, source, path.stem)
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert sorted((d.line, d.def_line, d.body_start_line) for d in found) == sorted(
        (first_line(n), n.lineno, first_line(n.body[0])) for n in functions
    )
    for declaration in found:
        (shown,) = ast.parse(declaration.text + ("" if declaration.text[-1] != ":" else " pass")).body
        assert isinstance(shown, ast.FunctionDef | ast.AsyncFunctionDef)
    hidden = hide_bodies(source, found)
    assert ast.dump(ast.parse(hidden)) == ast.dump(Hide().visit(tree))
    compile(hidden, path.name, "exec")


def test_qualified_names_are_those_of_python() -> None:
    namespace: dict[str, object] = {"lazyproperty": property, "functools": functools, "__name__": "m"}
    exec(compile(KINDS, "m.py", "exec"), namespace)
    shape = namespace["Shape"]
    assert inspect.isclass(shape)
    names = {shape.Inner.deep.__qualname__, shape.__dict__["__len__"].__qualname__, shape.area.fget.__qualname__}
    assert names <= set(read(KINDS))


@pytest.mark.parametrize(
    ("source", "line"),
    [("x = 1\ndef f(:\n    pass\n", 2), ("def f():\n    return (1\n\nx = 2\n", 2), ("x = 1\n\0\n", 2)],
)
def test_what_cannot_be_parsed_is_named(source: str, line: int) -> None:
    with pytest.raises(TaskError, match=rf"^src/m\.py:{line}: cannot be parsed"):
        declarations("src/m.py", source, "m")


@pytest.mark.parametrize(
    ("path", "folders", "expected"),
    [
        ("src/docx/text/run.py", ["src"], "docx.text.run"),
        ("src/docx/text/__init__.py", ["src/"], "docx.text"),
        ("src/docx/api.py", ["./src", "."], "docx.api"),
        ("src/docx/api.py", [".", "src/docx"], "api"),
        ("pkg/m.py", ["."], "pkg.m"),
        ("pkg/m.py", [], "pkg.m"),
        ("pkg/m.py", ["src"], "pkg.m"),
        ("srcx/m.py", ["src"], "srcx.m"),
        ("__init__.py", ["."], "__init__"),
    ],
)
def test_module_names(path: str, folders: list[str], expected: str) -> None:
    assert module_name(path, folders) == expected


def test_sources_are_decoded_as_they_declare(tmp_path: Path) -> None:
    place = tmp_path / "m.py"
    place.write_bytes(b"# -*- coding: latin-1 -*-\r\nx = '\xe9'\r\n")
    assert read_source(place) == "# -*- coding: latin-1 -*-\r\nx = 'é'\r\n"
    place.write_bytes("\ufeffx = 'é'\n".encode())
    assert read_source(place) == "x = 'é'\n"


@pytest.mark.parametrize("data", [b"x = '\xe9'\n", b"# coding: no-such\n", b"\xef\xbb\xbf# coding: latin-1\n"])
def test_sources_that_cannot_be_decoded_are_named(data: bytes, tmp_path: Path) -> None:
    place = tmp_path / "m.py"
    place.write_bytes(data)
    with pytest.raises(TaskError, match=r"m\.py: cannot be decoded"):
        read_source(place)


def test_a_missing_source_is_named(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"gone\.py: cannot be read"):
        read_source(tmp_path / "gone.py")


def test_reading_costs_no_import_of_the_parser() -> None:
    # `--help` of a verb imports these modules.
    code = (
        "import sys, testmark.source.python, testmark.source.gherkin\n"
        "sys.exit('tree_sitter' in sys.modules or 'gherkin' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


DEFAULTS = '''\
class Box[T = int, *Ts = *tuple[int, ...], **P = [int, str]](Base[T], metaclass=Meta):
    def first[U: (int, str) = "]#", V = dict[str, int]](self, x: U = 1) -> U:
        """Says def f[T = int]."""
        return x

    async def second[
        U = int,  # a default = a comment
    ](self): return 2


type Pair[T = int] = tuple[T, T]


def plain[T](x=[1]):
    return x
'''


def test_defaults_of_type_parameters_are_read_and_stay_where_they_are() -> None:
    found = read(DEFAULTS)
    assert list(found) == ["Box.first", "Box.second", "plain"]
    first = found["Box.first"]
    assert first.text.startswith('def first[U: (int, str) = "]#", V = dict[str, int]](self, x: U = 1) -> U:\n')
    hidden = hide_bodies(DEFAULTS, [first, found["Box.second"]])
    assert hidden == DEFAULTS.replace("return x\n\n    async", "raise NotImplementedError\n\n    async").replace(
        "return 2", "raise NotImplementedError"
    )


def test_what_is_wrong_beside_such_defaults_is_still_named() -> None:
    with pytest.raises(TaskError, match=r"^m\.py:\d+: cannot be parsed"):
        read("def f[T = int](:\n    pass\n")


def test_lines_end_where_the_interpreter_ends_them() -> None:
    text = "a\x0cb\r\nc\x1cd\u2028e\rf\n\x85g"
    assert source_lines(text) == ["a\x0cb\r\n", "c\x1cd\u2028e\r", "f\n", "\x85g"]
    assert source_lines("") == []
