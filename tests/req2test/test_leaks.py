from __future__ import annotations

import base64
import bz2
import difflib
import gzip
import html
import importlib.util
import io
import json
import lzma
import os
import py_compile
import shutil
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from testmark.leaks.archives import Budget
from testmark.req2test.instances import hidden_texts
from testmark.req2test.leaks import HiddenBody, Leak, LeakScanner, Needles, check_file, check_tree, hidden_body
from testmark.req2test.production import Production
from testmark.source.python import declarations, hide_bodies

SHELF = '''\
"""Shelves."""

LIMIT = 10


class Shelf:
    """Holds books."""

    def __init__(self, books):
        self._books = list(books)

    @property
    def size(self):
        """How many books there are."""
        return self._books_total

    def find(self, words: str):
        """Books whose titles hold all words.

        In order.
        """
        wanted = [word.casefold() for word in words.split()]  # no case
        found = []
        # the long way
        for book in self._books:
            title = book.title.casefold()
            if all(word in title for word in wanted):
                found.append(book)

        return sorted(found, key=lambda book: book.title)


class Cellar:
    @property
    def size(self):
        return self._books_total

    def other(self):
        return self._books_total
'''
STEPS = """\
from behave import given, then

from helpers import shelf_of


@given("a shelf of {count:d} books")
def shelf(context, count):
    context.shelf = shelf_of(count)


@then("it holds {count:d}")
def holds(context, count):
    assert context.shelf.size == count, "wrong size"
"""
PATH = "src/library/shelf.py"
STEP_PATH = "features/steps/shelf_steps.py"


def function(qualname: str) -> str:
    (found,) = (d for d in declarations(PATH, SHELF, "m") if d.qualname == qualname)
    return "".join(SHELF.splitlines(keepends=True)[found.line - 1 : found.end_line])


def body(qualname: str, *, known: bool = True) -> HiddenBody:
    (found,) = (d for d in declarations(PATH, SHELF, "m") if d.qualname == qualname)
    made = hidden_body(f"{PATH}:{found.line}", function(qualname), qualname if known else "")
    assert made is not None
    return made


LONG, SHORT = body("Shelf.find"), body("Shelf.size")
NEEDLES = Needles([LONG, SHORT], [(STEP_PATH, STEPS)])


def hidden_source() -> str:
    found = declarations(PATH, SHELF, "m")
    return hide_bodies(SHELF, [d for d in found if d.qualname in {"Shelf.find", "Shelf.size"}])


@pytest.fixture
def view(tmp_path: Path) -> Path:
    """A clean view: the functions hidden, the steps gone, and a lot around them that looks alike."""
    root = tmp_path / "view"
    for path, text in {
        PATH: hidden_source(),
        "src/library/__init__.py": "from library.shelf import Shelf\n",
        "src/library/alike.py": (
            "class Shelf:\n    def find(self, words):\n        return None\n\n"
            "class Box:\n    @property\n    def size(self):\n        return self._books_total\n\n"
            "    def much(self):\n        x = 1\n        return self._books_total\n"
        ),
        "features/steps/other_steps.py": 'from behave import then\n\n\n@then("nothing")\ndef holds(context, count):\n    pass\n',
        "features/environment.py": "def before_all(context):\n    context.size = 0\n",
        "features/shelf.feature": "Feature: Shelves\n  Scenario: a\n    Given a shelf of 3 books\n    Then it holds 3\n",
        "docs/index.rst": "Shelves\n=======\n\n``Shelf.size`` returns self._books_total, and find() finds.\n\n    return self._books_total\n",
        "README.md": "# Library\n\n```python\nshelf.find('a b')\n```\n\n* `def size(self)` says how many.\n",
        "pyproject.toml": '[project]\nname = "library"\n',
        "data/words.json": json.dumps({"words": "a\nb\n", "size": 3}),
    }.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    with zipfile.ZipFile(root / "data/clean.docx", "w") as bundle:
        bundle.writestr("word/document.xml", "<w:p>size</w:p>")
    (root / "data/image.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    (root / "inside.py").symlink_to("src/library/alike.py")
    return root


def kinds(leaks: list[Leak]) -> list[tuple[str, str]]:
    return sorted({(leak.kind, leak.path) for leak in leaks})


def test_a_clean_view_has_no_leaks(view: Path) -> None:
    scanner = LeakScanner(NEEDLES, modules=["library"])
    assert scanner.check_view(view) == []
    assert scanner.notes == []
    assert check_tree(view, NEEDLES, modules=["library"]) == []


def test_without_hiding_every_function_is_found(view: Path) -> None:
    (view / PATH).write_text(SHELF)
    assert [leak.detail for leak in check_tree(view, NEEDLES)] == [
        f"the body of size ({SHORT.path})",
        f"the body of find ({LONG.path})",
    ]


# -- as text ------------------------------------------------------------------------------------------------------------


def moved(text: str, indent: str) -> str:
    return "".join(indent + line.lstrip() if "def" not in line else line for line in text.splitlines(keepends=True))


def reindented(text: str) -> str:
    return "\n".join(line.replace("    ", "\t") for line in text.splitlines())


def stripped(text: str) -> str:
    lines = (line.partition("  #")[0] for line in text.splitlines())
    return "\n".join(line for line in lines if line.strip() and not line.strip().startswith("#"))


def commented(text: str) -> str:
    return "\n".join(f"# {line}" for line in text.splitlines())


def notebook(text: str) -> str:
    return json.dumps({"cells": [{"cell_type": "code", "source": text.splitlines(keepends=True)}], "nbformat": 4})


def highlighted(text: str) -> str:
    escaped = html.escape(text).replace("self", '<span class="bp">self</span>').replace(" ", "&nbsp;")
    return f"<html><body><pre>{escaped}</pre></body></html>"


def numbered(text: str) -> str:
    return "\n".join(f"{number:4}  {line}" for number, line in enumerate(text.splitlines(), 1))


FORMS: dict[str, tuple[str, Callable[[str], str]]] = {
    "a copy": ("src/copy_of_it.py", lambda t: f"class Shelf:\n{t}"),
    "Python that does not parse": ("old/shelf.py2", lambda t: f"print 'x'\n{t}"),
    "re-indented": ("notes.txt", reindented),
    "without comments": ("notes.txt", stripped),
    "with other comments": ("notes.txt", lambda t: t.replace("\n", "  # hm\n")),
    "with blank lines": ("notes.txt", lambda t: t.replace("\n", "\n\n")),
    "windows": ("notes.txt", lambda t: t.replace("\n", "\r\n")),
    "in a document": ("docs/api.rst", lambda t: f"Look::\n\n{t}\n\nEnd.\n"),
    "in Markdown, quoted": ("docs/api.md", lambda t: "".join(f"> {line}" for line in t.splitlines(keepends=True))),
    "commented out": ("src/library/old.py", lambda t: commented(t) + "\nx = 1\n"),
    "in a docstring": ("src/library/doc.py", lambda t: f"def f():\n    '''It was::\n\n{t.replace(chr(39) * 3, '')}\n    '''\n".replace('"""', "``")),
    "in a string": ("src/library/text.py", lambda t: f"OLD = {t!r}\n"),
    "in JSON": ("data/dump.json", lambda t: json.dumps([{"source": t}])),
    "in a notebook": ("docs/try.ipynb", notebook),
    "as HTML": ("docs/_modules/shelf.html", highlighted),
    "with line numbers": ("notes.txt", numbered),
    "with prompts": ("notes.txt", lambda t: "\n".join(f">>> {line}" if "def" in line else f"... {line}" for line in t.splitlines())),
    "as a diff that adds it": ("x.patch", lambda t: "--- a\n+++ b\n@@ -0,0 +1,3 @@\n" + "".join(f"+{line}" for line in t.splitlines(keepends=True))),
    "as the diff that hides it": ("shelf.py.rej", lambda t: "".join(difflib.unified_diff(SHELF.splitlines(keepends=True), hidden_source().splitlines(keepends=True)))),
    "as a backup": ("src/library/shelf.py.orig", lambda t: SHELF),
    "in the middle of bytes": ("data/blob.bin", lambda t: "\x00\x01\n" + t + "\n\x00"),
}  # fmt: skip


@pytest.mark.parametrize("hidden", ["Shelf.find", "Shelf.size"])
@pytest.mark.parametrize("form", FORMS)
def test_bodies_are_found_as_text(view: Path, form: str, hidden: str) -> None:
    path, quote = FORMS[form]
    place = view / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(quote(function(hidden)).encode())
    assert check_tree(view, Needles([body(hidden)])) == [
        Leak("hidden body", path, f"the body of {hidden.partition('.')[2]} ({body(hidden).path})")
    ]


def test_text_in_utf_16_is_read(view: Path) -> None:
    (view / "notes.txt").write_bytes(function("Shelf.find").encode("utf-16"))
    assert kinds(check_tree(view, NEEDLES)) == [("hidden body", "notes.txt")]


def test_a_long_body_is_found_under_another_name_and_on_other_lines(view: Path) -> None:
    text = function("Shelf.find").replace("def find", "def search").replace("if all(word", "if all(\n    word")
    (view / "src/library/again.py").write_text(f"class Other:\n{text}")
    assert kinds(check_tree(view, NEEDLES)) == [("hidden body", "src/library/again.py")]


@pytest.mark.parametrize(
    "text",
    [
        "class Cellar:\n    @property\n    def size(self):\n        return self._books_total\n",
        "class Shelf:\n    def sizes(self):\n        return self._books_total\n",
        "class Shelf:\n    def size(self):\n        return self._books_total + 1\n",
        "class Shelf:\n    def size(self):\n        x = 1\n        return self._books_total\n",
        "class Shelf:\n    def size(self):\n        raise NotImplementedError\n\n    def total(self):\n        return self._books_total\n",
    ],
)
def test_short_bodies_of_other_functions_are_no_leak(view: Path, text: str) -> None:
    (view / "src/library/more.py").write_text(text)
    assert check_tree(view, NEEDLES) == []


@pytest.mark.parametrize(
    "text",
    [
        "def sizes(self):\n    return self._books_total\n",
        "def size(self):\n    ...\n\ndef total(self):\n    return self._books_total\n",
        "It may return self._books_total\n",
        "return self._books_total\n",
        "def size(self):\n    return self._books_total.bit_length()\n",
    ],
)
def test_short_bodies_in_texts_need_their_own_def(view: Path, text: str) -> None:
    (view / "notes.txt").write_text(text)
    assert check_tree(view, NEEDLES) == []


def test_where_the_class_is_not_known_the_name_decides() -> None:
    needles = Needles([body("Shelf.size", known=False)])
    assert list(needles.in_text("class Cellar:\n    def size(self):\n        return self._books_total\n", "m.py"))
    assert not list(needles.in_text("class Cellar:\n    def other(self):\n        return self._books_total\n", "m.py"))


def test_one_line_functions_are_found() -> None:
    made = hidden_body("m.py:1", "def limit(x: int = 1): return x + LIMIT\n", "limit")
    assert made is not None
    assert list(Needles([made]).in_text("def limit(x: int = 1): return x + LIMIT\n", "m.py"))
    assert list(Needles([made]).in_text("def limit(x):\n  return x + LIMIT", "notes.txt"))
    assert not list(Needles([made]).in_text("def limit(x: int = 1): raise NotImplementedError\n", "m.py"))


@pytest.mark.parametrize(
    "text", ["def f():\n    pass\n", "def f():\n    '''Doc.'''\n", "    def f(self):\n        ...\n"]
)
def test_functions_without_code_are_not_looked_for(text: str) -> None:
    assert hidden_body("m.py:1", text) is None


def test_strings_at_the_margin_do_not_stop_a_body_from_being_read() -> None:
    made = hidden_body("m.py:1", "    def usage(self):\n        return '''\nUsage: x # y\n'''\n")
    assert made is not None
    assert made.name == "usage"


# -- as byte code -------------------------------------------------------------------------------------------------------


def compiled(view: Path, text: str, place: str, *, optimize: int = -1) -> None:
    source = view.parent / "shelf.py"
    source.write_text(text)
    target = view / place
    target.parent.mkdir(parents=True, exist_ok=True)
    py_compile.compile(str(source), str(target), doraise=True, optimize=optimize)


@pytest.mark.parametrize("optimize", [0, 1, 2])
@pytest.mark.parametrize("place", ["src/library/__pycache__/shelf.cpython-311.pyc", "x/renamed.pyc", "lib/shelf.pyo"])
def test_byte_code_of_this_interpreter_is_found(view: Path, place: str, optimize: int) -> None:
    compiled(view, SHELF, place, optimize=optimize)
    assert {leak.kind for leak in check_tree(view, Needles([LONG]))} == {"byte code"}
    short = {leak.kind for leak in check_tree(view, Needles([SHORT]))}
    assert short == ({"byte code"} if "shelf" in place else set())


@pytest.mark.parametrize("place", ["src/library/__pycache__/shelf.cpython-311.pyc", "x/renamed.pyc"])
def test_other_code_with_the_same_names_is_not_the_hidden_one(view: Path, place: str) -> None:
    text = (
        hidden_source()
        + "\n\ndef search(self, book, words):\n    sorted(self._books)\n    all(words.split(book.title.casefold()))\n"
    )
    compiled(view, text + "    [].append(1)\n", place)
    assert check_tree(view, Needles([LONG])) == []


def test_short_functions_of_dependencies_are_no_leak(view: Path) -> None:
    text = "class {}:\n    @property\n    def size(self):\n        return self._books_total\n"
    compiled(view, text.format("Shelf"), "site-packages/other/__pycache__/pile.cpython-311.pyc")
    compiled(view, text.format("Box"), "site-packages/other/__pycache__/shelf.cpython-311.pyc")
    assert check_tree(view, Needles([SHORT])) == []


def test_byte_code_of_the_hidden_module_is_not_taken_for_the_original(view: Path) -> None:
    compiled(view, hidden_source().replace("_books_total", "_other"), "src/library/__pycache__/shelf.cpython-311.pyc")
    assert check_tree(view, NEEDLES) == []


def test_private_names_and_super_compile_as_in_their_class(view: Path) -> None:
    text = "class A(B):\n    def f(self):\n        super().f()\n        return self.__x + 1\n"
    made = hidden_body("src/shelf.py:2", "".join(text.splitlines(keepends=True)[1:]), "A.f")
    assert made is not None
    compiled(view, text, "src/shelf.pyc")
    assert kinds(check_tree(view, Needles([made]))) == [("byte code", "src/shelf.pyc")]


@pytest.mark.parametrize("place", ["src/library/__pycache__/shelf.cpython-99.pyc", "x/renamed.pyc"])
def test_byte_code_of_another_version_is_known_by_names_and_its_file(view: Path, place: str) -> None:
    compiled(view, SHELF, place)
    data = (view / place).read_bytes()
    assert data[:4] == importlib.util.MAGIC_NUMBER
    # Another version's number, and none of this one's instructions.
    instructions = [c.co_code for c in _codes(SHELF) if c.co_name in {"find", "size"}]
    for code in instructions:
        data = data.replace(code, b"\x00" * len(code))
    (view / place).write_bytes(b"\x00\x0d\x0d\x0a" + data[4:])
    expected = {LONG.path, SHORT.path} if "shelf" in place else set()
    found = check_tree(view, NEEDLES)
    assert {leak.detail.partition("(")[2].rstrip(")") for leak in found} == expected
    assert {leak.kind for leak in found} <= {"byte code"}


def _codes(text: str) -> list:
    todo, found = [compile(text, "m.py", "exec")], []
    while todo:
        code = todo.pop()
        found.append(code)
        todo += [const for const in code.co_consts if hasattr(const, "co_code")]
    return found


def test_compiled_libraries_are_found(view: Path) -> None:
    (view / "src/library/shelf.cpython-311-x86_64-linux-gnu.so").write_bytes(b"\x7fELF\x00")
    assert [leak.kind for leak in check_tree(view, NEEDLES)] == ["byte code"]


# -- in archives --------------------------------------------------------------------------------------------------------


def zipped(name: str, data: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr(name, data)
    return stream.getvalue()


def tarred(name: str, data: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tape:
        member = tarfile.TarInfo(name)
        member.size = len(data)
        tape.addfile(member, io.BytesIO(data))
    return stream.getvalue()


ARCHIVES: dict[str, Callable[[bytes], bytes]] = {
    "library-1.0-py3-none-any.whl": lambda d: zipped("library/shelf.py", d),
    "library.egg": lambda d: zipped("library/shelf.py", d),
    "unnamed": lambda d: zipped("library/shelf.py", d),
    "run.pyz": lambda d: b"#!/usr/bin/python\n" + zipped("library/shelf.py", d),
    "library.tar": lambda d: tarred("library/shelf.py", d),
    "library.tar.gz": lambda d: gzip.compress(tarred("library/shelf.py", d)),
    "library.tgz": lambda d: gzip.compress(tarred("library/shelf.py", d)),
    "library.tar.bz2": lambda d: bz2.compress(tarred("library/shelf.py", d)),
    "library.tar.xz": lambda d: lzma.compress(tarred("library/shelf.py", d)),
    "shelf.py.gz": gzip.compress,
    "shelf.py.bz2": bz2.compress,
    "shelf.py.xz": lzma.compress,
    "shelf.py.lzma": lambda d: lzma.compress(d, format=lzma.FORMAT_ALONE),
    "deep.zip": lambda d: zipped("a.tar.gz", gzip.compress(tarred("b.whl", zipped("library/shelf.py", d)))),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives_are_opened(view: Path, name: str) -> None:
    place = view / "dist" / name
    place.parent.mkdir()
    place.write_bytes(ARCHIVES[name](SHELF.encode()))
    leaks = check_tree(view, NEEDLES)
    assert kinds(leaks) == [("hidden body", f"dist/{name}")]
    assert len(leaks) == 2
    assert all("in its member " in leak.detail for leak in leaks)
    place.write_bytes(ARCHIVES[name](hidden_source().encode()))
    assert check_tree(view, NEEDLES) == []


def test_byte_code_in_an_egg_is_found(view: Path) -> None:
    compiled(view, SHELF, "x.pyc")
    data = (view / "x.pyc").read_bytes()
    (view / "x.pyc").unlink()
    (view / "library.egg").write_bytes(zipped("library/__pycache__/shelf.cpython-311.pyc", data))
    assert kinds(check_tree(view, NEEDLES)) == [("byte code", "library.egg")]


def test_bombs_stop_with_a_note_and_no_leak() -> None:
    budget = Budget(left=1 << 20)
    bomb = zipped("zeros", b"\0" * (2 << 20))
    assert list(check_file("bomb.zip", bomb, NEEDLES, budget)) == []
    assert budget.notes == ["zeros: not read to its end, it unpacks to too much"]
    budget = Budget(left=1 << 20)
    assert list(check_file("bomb.gz", gzip.compress(b"\0" * (2 << 20)), NEEDLES, budget)) == []
    assert budget.notes == ["bomb: not read to its end, it unpacks to too much"]


def test_too_many_members_stop_with_a_note() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as bundle:
        for number in range(30):
            bundle.writestr(f"{number}.py", b"x = 1\n")
    budget = Budget(members=10)
    assert list(check_file("many.zip", stream.getvalue(), NEEDLES, budget)) == []
    assert budget.notes == ["many.zip: not read to its end, it holds too many files"]


def test_archives_in_archives_without_end_stop_with_a_note() -> None:
    data = SHELF.encode()
    for level in range(12):
        data = zipped(f"{level}.zip", data)
    budget = Budget()
    assert list(check_file("x.zip", data, NEEDLES, budget)) == []
    assert len(budget.notes) == 1
    assert "too deep" in budget.notes[0]


@pytest.mark.parametrize("name", [name for name in ARCHIVES if name != "unnamed"])
def test_damaged_archives_are_noted(view: Path, name: str) -> None:
    data = ARCHIVES[name](os.urandom(5000) + SHELF.encode())
    (view / name).write_bytes(data[: len(data) // 2] + b"\xff" * 40 + data[len(data) // 2 + 40 :])
    scanner = LeakScanner(NEEDLES)
    scanner.check_view(view)
    assert all(note.startswith(f"{name}: ") for note in scanner.notes)


def test_an_encrypted_member_is_noted_and_the_others_are_read(view: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as bundle:
        bundle.writestr("secret.py", "x = 1\n")
        bundle.writestr("shelf.py", SHELF)
    data = bytearray(stream.getvalue())
    # The flag of encryption, in both headers of the first member.
    data[6] |= 1
    data[data.find(b"PK\x01\x02") + 8] |= 1
    (view / "x.zip").write_bytes(data)
    scanner = LeakScanner(NEEDLES)
    assert kinds(scanner.check_view(view)) == [("hidden body", "x.zip")]
    assert len(scanner.notes) == 1
    assert "secret.py" in scanner.notes[0]


def test_a_text_that_is_called_an_archive_is_read_as_text(view: Path) -> None:
    (view / "x.tar").write_text(SHELF)
    assert ("hidden body", "x.tar") in kinds(check_tree(view, NEEDLES))


# -- history ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [".git", ".hg", ".svn", ".bzr", "CVS", "_darcs", ".jj"])
def test_history_folders_are_found_at_any_depth(view: Path, name: str) -> None:
    for place in (view / name, view / "vendor/x" / name):
        place.mkdir(parents=True)
        (place / "HEAD").write_text("x")
    assert kinds(check_tree(view, NEEDLES)) == [("history", name), ("history", f"vendor/x/{name}")]


def test_a_git_file_of_a_worktree_is_history(view: Path) -> None:
    (view / ".git").write_text("gitdir: /somewhere/.git/worktrees/x\n")
    assert kinds(check_tree(view, NEEDLES)) == [("history", ".git")]


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    if shutil.which("git") is None:
        pytest.fail("git is not installed: apt-get install git")
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "shelf.py").write_text(SHELF)
    git(folder, "init")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "x")
    return folder


def test_bundles_bare_repositories_packs_and_loose_objects_are_history(view: Path, repository: Path) -> None:
    git(repository, "bundle", "create", str(view / "old.dat"), "HEAD")
    git(repository, "clone", "--bare", ".", str(view / "mirror"))
    loose = next(path for path in (repository / ".git/objects").glob("??/*") if path.is_file())
    shutil.copy(loose, view / "loose")
    git(repository, "gc")
    pack = next((repository / ".git/objects/pack").glob("*.pack"))
    shutil.copy(pack, view / "packed")
    assert kinds(check_tree(view, NEEDLES)) == [
        ("history", "loose"), ("history", "mirror"), ("history", "old.dat"), ("history", "packed"),
    ]  # fmt: skip


def test_compressed_data_that_are_no_git_object_are_no_history(view: Path) -> None:
    (view / "data/z").write_bytes(zlib.compress(b"blobs and trees"))
    (view / "data/y").write_bytes(b"x\x9c not compressed")
    assert check_tree(view, NEEDLES) == []


# -- links and installed copies -----------------------------------------------------------------------------------------


def test_links_out_of_the_folder_are_reported_and_not_followed(view: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/shelf.py").write_text(SHELF)
    (view / "folder").symlink_to(tmp_path / "secret")
    (view / "file.py").symlink_to("../secret/shelf.py")
    (view / "dangling").symlink_to("/no/such/place")
    (view / "circle").symlink_to("circle")
    leaks = check_tree(view, NEEDLES)
    assert kinds(leaks) == [("link", "dangling"), ("link", "file.py"), ("link", "folder")]
    assert "../secret/shelf.py" in leaks[1].detail


def test_devices_and_pipes_are_noted_and_not_read(view: Path) -> None:
    os.mkfifo(view / "pipe")
    scanner = LeakScanner(NEEDLES)
    assert scanner.check_view(view) == []
    assert scanner.notes == ["pipe: not read, it is no plain file or too large"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".venv/lib/python3.11/site-packages/library/api.py", "x = 1\n"),
        (".tox/py311/lib/python3.11/site-packages/library.py", "x = 1\n"),
        ("usr/lib/python3/dist-packages/library/__init__.py", ""),
    ],
)
def test_installed_copies_are_found(view: Path, path: str, text: str) -> None:
    place = view / path
    place.parent.mkdir(parents=True)
    place.write_text(text)
    (place.parent.parent / "site-packages").mkdir(exist_ok=True)
    assert kinds(check_tree(view, NEEDLES, modules=["library"])) == [("installed copy", path)]
    assert check_tree(view, NEEDLES, modules=["other"]) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("library.pth", "import os\n/srv/checkout/src\n"),
        ("library.egg-link", "/srv/checkout/src\n../\n"),
        ("library-1.dist-info/direct_url.json", '{"url": "file:///srv/checkout/src", "dir_info": {"editable": true}}'),
        ("__editable___library_finder.py", "MAPPING = {'library': '/srv/checkout/src'}\n"),
    ],
)
def test_ways_to_a_checkout_are_found(view: Path, name: str, text: str) -> None:
    place = view / "lib/site-packages" / name
    place.parent.mkdir(parents=True)
    place.write_text(text)
    assert check_tree(view, NEEDLES) == [
        Leak("editable install", f"lib/site-packages/{name}", "points at /srv/checkout/src")
    ]


def test_ways_that_stay_inside_are_no_leak(view: Path) -> None:
    (view / "a.pth").write_text(f"import sys\nrelative\n{view}/src\n")
    (view / "direct_url.json").write_text('{"url": "https://example.org/x.whl", "archive_info": {}}')
    assert check_tree(view, NEEDLES) == []


# -- reference tests ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        STEPS,
        "\ufeff" + STEPS,
        STEPS.split("\n\n\n")[1],
        STEPS.split("\n\n\n")[2].replace("    ", "  "),
        json.dumps({"content": STEPS}),
        "".join(f"-{line}\n" for line in STEPS.splitlines()),
    ],
)
def test_reference_steps_are_found(view: Path, text: str) -> None:
    (view / "features/steps/copy.txt").write_text(text)
    assert kinds(check_tree(view, NEEDLES)) == [("reference step", "features/steps/copy.txt")]


def test_a_reference_with_a_byte_order_mark_is_looked_for_step_by_step(view: Path) -> None:
    needles = Needles([], [(STEP_PATH, "\ufeff" + STEPS)])
    (view / "one.py").write_text(STEPS.split("\n\n\n")[1])
    assert kinds(check_tree(view, needles)) == [("reference step", "one.py")]


def test_a_reference_without_steps_is_looked_for_as_a_whole(view: Path) -> None:
    needles = Needles([], [("features/steps/helpers.py", "def shelf_of(count):\n    return list(range(count))\n")])
    (view / "helpers.py").write_text("# mine\ndef shelf_of(count):\n\n    return list(range(count))\n")
    assert kinds(check_tree(view, needles)) == [("reference step", "helpers.py")]


def test_compiled_steps_are_found(view: Path) -> None:
    source = view.parent / "shelf_steps.py"
    source.write_text(STEPS)
    place = view / "features/steps/__pycache__/shelf_steps.cpython-311.pyc"
    place.parent.mkdir()
    py_compile.compile(str(source), str(place), doraise=True)
    assert kinds(check_tree(view, NEEDLES)) == [("reference step", place.relative_to(view).as_posix())]


# -- many views ---------------------------------------------------------------------------------------------------------


def test_a_view_is_asked_for_what_it_hides_itself(view: Path) -> None:
    (view / "notes.txt").write_text(function("Shelf.find"))
    scanner = LeakScanner(NEEDLES)
    assert scanner.check_view(view, owners={SHORT.path}) == []
    assert kinds(scanner.check_view(view, owners={LONG.path}, label="v: ")) == [("hidden body", "v: notes.txt")]


def test_a_view_need_not_be_written(view: Path) -> None:
    (view / PATH).write_text(SHELF)
    (view / STEP_PATH).write_text(STEPS)
    scanner = LeakScanner(NEEDLES)
    clean = {PATH: hidden_source()}
    assert scanner.check_overlay(view, removed={STEP_PATH}, replaced=clean) == []
    assert kinds(scanner.check_overlay(view, removed=(), replaced=clean)) == [("reference step", STEP_PATH)]
    assert kinds(scanner.check_overlay(view, removed={STEP_PATH}, replaced={})) == [("hidden body", PATH)]
    copied = clean | {"new.txt": function("Shelf.find")}
    assert kinds(scanner.check_overlay(view, removed={STEP_PATH}, replaced=copied)) == [("hidden body", "new.txt")]


def test_what_was_searched_once_is_found_again_in_the_next_view(view: Path, tmp_path: Path) -> None:
    (view / "notes.txt").write_text(function("Shelf.find"))
    second = tmp_path / "second"
    shutil.copytree(view, second, symlinks=True)
    (second / "notes.txt").rename(second / "moved.txt")
    scanner = LeakScanner(NEEDLES)
    assert kinds(scanner.check_view(view)) == [("hidden body", "notes.txt")]
    assert kinds(scanner.check_view(second)) == [("hidden body", "moved.txt")]


def test_what_is_skipped_is_not_read(view: Path) -> None:
    (view / "notes.txt").write_text(SHELF)
    assert check_tree(view, NEEDLES, skip=lambda path: path.endswith(".txt")) == []


def test_nothing_is_extracted_or_run(view: Path) -> None:
    (view / "evil.py").write_text("raise SystemExit('run')\n")
    (view / "x.zip").write_bytes(zipped("../../evil.py", b"x"))
    before = sorted(path for path in view.parent.rglob("*"))
    check_tree(view, NEEDLES)
    assert sorted(path for path in view.parent.rglob("*")) == before
    assert "evil" not in sys.modules


def test_what_is_encoded_is_beyond_the_check(view: Path) -> None:
    # Said in the documentation: the check looks for what is left behind, not for what is hidden on purpose.
    (view / "notes.txt").write_bytes(base64.b64encode(SHELF.encode()))
    assert check_tree(view, NEEDLES) == []


# -- what a benchmark hides ---------------------------------------------------------------------------------------------


def test_hidden_functions_are_cut_out_whole_whatever_white_space_stands_before_them(tmp_path: Path) -> None:
    odd = SHELF.replace('"""Shelves."""', '"""Shelves\x0c,\x1c,\u2028 and\x85."""\n\x0c')
    place = tmp_path / PATH
    place.parent.mkdir(parents=True)
    place.write_bytes(odd.encode())
    production = Production(tmp_path, ["src"], ["src"])
    found = [d for d in production.declarations(PATH) if d.qualname in {"Shelf.find", "Shelf.size"}]
    texts = hidden_texts(production, {PATH: found})
    assert [text.path for text in texts] == [f"{PATH}:{d.line}" for d in found]
    assert [text.content for text in texts] == [function("Shelf.size"), function("Shelf.find")]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_texts_in_other_encodings_are_read(view: Path, encoding: str) -> None:
    text = (
        "def title(self):\n    return self._reihe['Größe'] + ' und ' + self._reihe['Länge'] + 'é' * 3 + self._schluß\n"
    )
    needles = Needles([found] if (found := hidden_body("src/a.py:1", text, "title")) else [])
    (view / "kopie.txt").write_bytes(f"Siehe:\n{text}".encode(encoding))
    assert kinds(check_tree(view, needles)) == [("hidden body", "kopie.txt")]


@pytest.mark.parametrize("ours", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("theirs", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", ["copy.txt", "copy.py"])
def test_lines_may_end_in_any_way(view: Path, ours: str, theirs: str, name: str) -> None:
    text = function("Shelf.find")
    found = hidden_body(f"{PATH}:19", text.replace("\n", ours), "Shelf.find")
    assert found is not None
    assert found.lines == LONG.lines
    (view / name).write_bytes(f"class Shelf:\n{text}".replace("\n", theirs).encode())
    assert kinds(check_tree(view, Needles([found]))) == [("hidden body", name)]


def test_text_in_the_encoding_that_it_declares_is_read(view: Path) -> None:
    text = "def title(self):\n    return self._полка['Размер'] + ' и ' + self._полка['Длина'] + 'ё' * 3 + self._ключ\n"
    needles = Needles([found] if (found := hidden_body("src/a.py:1", text, "title")) else [])
    (view / "copy.py").write_bytes(f"# coding: koi8-r\n{text}".encode("koi8-r"))
    assert kinds(check_tree(view, needles)) == [("hidden body", "copy.py")]
