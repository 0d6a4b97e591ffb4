"""Definitions: what is read, and one clear sentence for each fault."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from testmark.errors import UserError
from testmark.projects.load import load_definition, parse_definition, shipped_names
from testmark.projects.tomlmap import KeyPath, line_of, locate_keys

from .conftest import MINIMAL

TRICKY = '''\
# comment with [brackets] and = signs
title = "a # no comment" # [not.a.table]
"quoted key" = 1
a.b . "c.d" = """
[not.a.table]
x = \\"""
still text"""
lit = \'\'\'
[neither] = \'\'\'

[one]
list = [ # comment ]
  "x", # ,
  { k = "v", deep.er = [1, 2] },
  [3,
   4],
]
date = 1979-05-27T07:32:00Z
[one.two]
flag = true
[[suite]]
name = "first"
[suite.userdata]
key = 'value'
[[suite]]
name = "second"
[[suite.inner]]
n = 1
[[suite.inner]]
n = 2
[ spaced . "na.me" ]
z = 0
'''


def _paths(value: object, path: KeyPath = ()) -> set[KeyPath]:
    found = {path} if path else set()
    if isinstance(value, dict):
        for key, inner in value.items():
            found |= _paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found |= _paths(inner, (*path, index))
    return found


def test_every_key_of_a_tricky_text_is_located() -> None:
    lines = locate_keys(TRICKY)
    assert set(lines) == _paths(tomllib.loads(TRICKY))
    expected = {
        ("title",): 2,
        ("quoted key",): 3,
        ("a", "b", "c.d"): 4,
        ("lit",): 8,
        ("one",): 11,
        ("one", "list", 1, "deep", "er", 1): 14,
        ("one", "list", 2, 1): 16,
        ("one", "two", "flag"): 20,
        ("suite", 0, "userdata", "key"): 24,
        ("suite", 1): 25,
        ("suite", 1, "inner", 1, "n"): 30,
        ("spaced", "na.me", "z"): 32,
    }
    assert {path: lines[path] for path in expected} == expected


def test_windows_line_ends_and_a_byte_order_mark_do_not_shift_lines() -> None:
    assert locate_keys("\ufeff" + TRICKY.replace("\n", "\r\n")) == locate_keys(TRICKY)


def test_a_key_that_is_not_written_has_the_line_of_its_table() -> None:
    lines = locate_keys(TRICKY)
    assert line_of(lines, ("suite", 1, "level")) == 25
    assert line_of(lines, ("nowhere",)) == 1


@pytest.mark.parametrize("name", shipped_names())
def test_shipped_definitions_load_and_every_key_is_located(name: str) -> None:
    loaded = load_definition(name)
    assert loaded.definition.project.name == name
    assert loaded.path is not None
    assert set(loaded.lines) == _paths(tomllib.loads(loaded.path.read_text(encoding="utf-8")))


def test_python_docx_is_the_published_release() -> None:
    definition = load_definition("python-docx").definition
    assert definition.project.commit == "e45454602b53e8e572b179ccf1c91093ec9f4ed7"
    assert (definition.source.pypi, definition.source.version) == ("python-docx", "1.2.0")
    assert definition.project.licence == "MIT"
    assert [(suite.name, suite.level) for suite in definition.suite] == [("PD-ACCEPTANCE", "component")]


def test_a_folder_and_its_file_load_the_same(shelf: Path) -> None:
    by_folder, by_file = load_definition(shelf), load_definition(str(shelf / "testmark.toml"))
    assert by_folder == by_file
    assert by_folder.folder == shelf


def _fault(shelf: Path, text: str) -> str:
    (shelf / "testmark.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load_definition(shelf)
    message = str(caught.value)
    assert "\n" not in message
    prefix = f"{shelf / 'testmark.toml'}:"
    assert message.startswith(prefix)
    return message.removeprefix(prefix)


FAULTS = {
    "unknown key": (
        '[layout]\nfeature = ["features"]',
        "12: unknown key `feature` in [layout]; did you mean `features`?",
    ),
    "unknown table": ("[layuot]\nfeatures = []", "11: unknown table `layuot`; did you mean `layout`?"),
    "unknown key without a near one": (
        "[caps]\nzzz = 1",
        "12: unknown key `zzz` in [caps]; the keys here are mutants, runs, eval",
    ),
    "in an array of tables": (
        '[[suite]]\nname = "a"\n[[suite]]\nname = "b"\nlevle = "system"',
        "15: unknown key `levle` in [[suite]]; did you mean `level`?",
    ),
    "number for a string": (
        "[[suite]]\nname = 3",
        '12: `suite[0].name` must be a string, not 3; put it in quotes, as in "3"',
    ),
    "string for a list": (
        '[layout]\ntest_roots = "features"',
        '12: `layout.test_roots` must be a list, not "features"; put it in brackets, as in ["features"]',
    ),
    "wrong item of a list": (
        '[layout]\nexclude = [\n  "a",\n  2,\n]',
        '14: `layout.exclude[1]` must be a string, not 2; put it in quotes, as in "2"',
    ),
    "string for a number": (
        '[caps]\nmutants = "20"',
        '12: `caps.mutants` must be a whole number, not "20"; write it without quotes or a point',
    ),
    "number out of range": (
        "[caps]\nmutants = 0",
        "12: `caps.mutants` is 0: input should be greater than or equal to 1",
    ),
    "date": (
        "[limits]\nmemory_mib = 2020-01-01",
        "12: `limits.memory_mib` must be a whole number, not the date or time 2020-01-01",
    ),
    "missing": ('[[suite]]\nlevel = "system"', "11: `name` is missing in [[suite]]; add it"),
    "not one of": (
        '[[suite]]\nname = "a"\nlevel = "sistem"',
        "13: `suite[0].level` must be one of 'component', 'integration' or 'system', not \"sistem\"; did you mean",
    ),
    "not a table": ("caps = 3", "11: unknown key"),
    "bad TOML": ("[layout\nx = 1", "11: not valid TOML:"),
    "end in a string": ('[layout]\nfeatures = ["', "12: not valid TOML:"),
    "twice": ("[source]\npath = '.'", "11: not valid TOML: cannot declare"),
}


@pytest.mark.parametrize(("addition", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_faults_are_named_with_line_and_remedy(shelf: Path, addition: str, message: str) -> None:
    assert _fault(shelf, MINIMAL + addition + "\n").startswith(message)


def test_a_table_that_is_a_number(shelf: Path) -> None:
    assert _fault(shelf, "caps = 3\n" + MINIMAL) == "1: `caps` must be a table, not 3"


def test_a_table_that_is_missing(shelf: Path) -> None:
    assert _fault(shelf, MINIMAL.replace('[source]\npath = "."\n', "")) == "1: the table [source] is missing; add it"


def test_a_short_commit(shelf: Path) -> None:
    message = _fault(shelf, MINIMAL.replace("0123456789012345678901234567890123456789", "0123abc"))
    assert (
        message
        == '4: `project.commit` is "0123abc", which is not a commit; write all 40 hexadecimal digits in lower case'
    )


def test_two_sources(shelf: Path) -> None:
    message = _fault(shelf, MINIMAL.replace('path = "."', 'path = "."\ngit = "x"'))
    assert message == "6: [source] needs exactly one of `path`, `git` and `pypi`"


def test_several_faults_name_the_first_and_count_the_rest(shelf: Path) -> None:
    message = _fault(shelf, MINIMAL + "[caps]\nruns = 0\nmutantss = 1\n")
    assert message.startswith("12: `caps.runs` is 0")
    assert message.endswith("(1 more after it)")


def test_a_source_folder_that_does_not_exist(shelf: Path) -> None:
    message = _fault(shelf, MINIMAL.replace('path = "."', 'path = "missing"'))
    assert message == "7: the folder missing does not exist; correct `path` in [source]"


def test_a_lock_that_does_not_exist(shelf: Path) -> None:
    assert _fault(shelf, MINIMAL + 'lock = "no.lock"\n').startswith("11: the file no.lock does not exist; make it with")


def test_a_file_that_is_not_utf_8(shelf: Path) -> None:
    (shelf / "testmark.toml").write_bytes(MINIMAL.encode() + b"# \xff\n")
    with pytest.raises(UserError, match=r"testmark\.toml:11: not UTF-8 text"):
        load_definition(shelf)


def test_a_reference_to_nothing(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="did you mean `python-docx`"):
        load_definition("python-dcx")
    with pytest.raises(UserError, match=r"holds no testmark\.toml; write one with `req2test init"):
        load_definition(tmp_path)


def test_the_lines_of_a_plain_definition() -> None:
    _, lines = parse_definition(MINIMAL, "text")
    assert json.dumps(sorted(lines.values())) == "[1, 2, 3, 4, 6, 7, 9, 10, 10]"
