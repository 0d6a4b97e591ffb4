"""Control edits: the same behaviour, and a difference at the level that they name."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType, ModuleType
from typing import Any

import pytest

from testmark.mutants import apply, controls, diff, generate
from testmark.mutants.digest import code_digest
from testmark.mutants.equivalents.draw import Draw, opaque
from testmark.mutants.language import load_language, parse_source
from testmark.mutants.scopes import all_functions
from testmark.records.kit import Control

SOURCE = '''\
"""Module."""
import os

def arithmetic(a, b=3):
    """Doc."""
    total = a + b * 2
    text = f"{total} {'x' if a else 'y'}"
    return text, [x + 1 for x in range(total) if x > 1]

def generator(items):
    for item in items:
        got = yield item + 1
        if got: return got

async def asynchronous(source):
    value = await source(1)
    return value or 2

class Base:
    def go(self, n): return n

class Child(Base):
    __slots__ = ("x",)

    def __init__(self):
        self.x = 1

    def go(self, n):
        found = super().go(n + 1)
        del n
        return found

    @property
    def prop(self):
        return self.x

    @prop.setter
    def prop(self, value): self.x = value

def outer(n):
    count = 0
    def inner(step=1):
        nonlocal count
        count += step
        return count
    inner(); return inner(n)

def looks(a):
    b = 2
    return sorted(locals())

def one_line(a): return a[1:2]

def empty(): pass

def only_doc():
    """Nothing."""

def abstract():
    raise NotImplementedError

def walrus(a):
    if (n := len(a)) > 1:
        return n
    first = 1
    second = "b"
    return first, second

def matching(a):
    match a:
        case {"k": v} if v > 1: return v
        case [1, *rest]: return rest
    try:
        return a / 2
    except (TypeError, ValueError) as e:
        return str(e)[:1]

def splats(*args, **kwargs):
    with open(os.devnull) as f, open(os.devnull): data = f.read()
    return max(*args, **kwargs), data, "a" "b", -1, lambda q=1: q + 1
'''
DRIVER = """
import asyncio
async def _one(n): return n
_child = Child()
_child.prop = 5
RESULT = [
    arithmetic(1), arithmetic(0, b=1), list(generator([1, 2])), asyncio.run(asynchronous(_one)), _child.go(1), _child.prop,
    outer(3), looks(1), one_line("abc"), empty(), only_doc(), walrus("abc"), walrus(""), matching({"k": 2}),
    matching([1, 2]), matching(3), matching("x"), splats(1, 2)[:4], splats([1], [2, 3], key=len)[4](2), Child.__slots__,
]
try:
    abstract()
except NotImplementedError as error:
    RESULT.append(repr(error))
"""


def _lines(source: str) -> set[int]:
    return {one.line for one in all_functions(parse_source("m.py", source, "python"), load_language("python"))}


def _all(source: str, seed: int) -> tuple[Control, ...]:
    return controls("m.py", source, function_lines=_lines(source), seed=seed)


def _result(source: str) -> str:
    space: dict[str, Any] = {"__name__": "m"}
    exec(compile(source + DRIVER, "m.py", "exec"), space)
    return repr(space["RESULT"])


@pytest.mark.parametrize("seed", range(6))
def test_behaviour_stays(seed: int) -> None:
    expected = _result(SOURCE)
    for one in _all(SOURCE, seed):
        changed = apply(SOURCE, one.mutant)
        assert changed != SOURCE
        if one.mutant.function == "looks" and one.level == "instructions":
            assert "value" not in one.mutant.after
        assert _result(changed) == expected, diff(SOURCE, one.mutant)


@pytest.mark.parametrize("seed", range(3))
def test_levels_differ_where_they_say(seed: int) -> None:
    original = code_digest(SOURCE, "m.py")
    for one in _all(SOURCE, seed):
        changed = apply(SOURCE, one.mutant)
        same_code = code_digest(changed, "m.py") == original
        same_tree = ast.dump(ast.parse(changed)) == ast.dump(ast.parse(SOURCE))
        same_length = changed.count("\n") == SOURCE.count("\n")
        assert same_code == same_tree == (one.level in {"text", "lines"})
        if one.level == "text":
            assert same_length
        if one.level == "lines":
            assert not same_length


def test_every_function_has_text_and_instructions() -> None:
    levels: dict[str, set[str]] = {}
    for one in _all(SOURCE, 1):
        levels.setdefault(one.mutant.function, set()).add(one.level)
    assert {name for name, found in levels.items() if "text" not in found} == set()
    assert {name for name, found in levels.items() if "instructions" not in found} <= {"only_doc", "empty"}
    assert len(levels) == 17


def test_only_the_functions_named() -> None:
    found = controls("m.py", SOURCE, function_lines={4}, seed=1)
    assert {one.mutant.function for one in found} == {"arithmetic"}
    assert {one.level for one in found} == {"text", "names", "lines", "instructions", "constants"}
    assert controls("m.py", SOURCE, function_lines=(), seed=1) == ()


def test_seeds_and_repeats() -> None:
    assert _all(SOURCE, 1) == _all(SOURCE, 1)
    assert len({_all(SOURCE, seed) for seed in range(4)}) == 4


def test_dead_code_is_that_of_a_real_mutant() -> None:
    real = {one.after for one in generate("m.py", SOURCE)} | {apply(SOURCE, one) for one in generate("m.py", SOURCE)}
    texts = "\0".join(real)
    for one in _all(SOURCE, 2):
        if one.mutant.operator == "control-list-first":
            dead = one.mutant.after.partition(", ")[2].rpartition("][")[0]
            assert dead in texts


def test_variables_seen_by_name_keep_their_names() -> None:
    for seed in range(8):
        renamed = [one for one in _all(SOURCE, seed) if one.level == "names"]
        names = {one.mutant.before.split()[0] for one in renamed}
        assert {one.mutant.function for one in renamed} <= {
            "arithmetic", "generator", "asynchronous", "Child.go", "walrus", "splats", "looks",
        }  # fmt: skip
        assert "looks" not in {one.mutant.function for one in renamed}
        assert not names & {"total", "count", "e", "v", "rest"}


@pytest.mark.parametrize("value", [True, False])
def test_opaque_conditions_keep_their_value_and_are_not_folded(value: bool) -> None:
    forms = {opaque(Draw("t", number), value=value, names=("p",)) for number in range(400)}
    assert len(forms) > 100
    empty = code_digest("def f(p):\n    return 1", "m.py")
    for form in forms:
        assert bool(eval(form, {"__builtins__": {}}, {"p": 1})) is value
        assert code_digest(f"def f(p):\n    return 1 if {form} else 2", "m.py") != empty
        assert code_digest(f"def f(p):\n    return 2 if {form} else 1", "m.py") != empty


def _textwrap(module: Any) -> object:
    words = "The quick  brown\tfox, who-is quick; jumps over the lazy dog. " * 3
    return [module.wrap(words, width) for width in (5, 20, 31)] + [
        module.fill(words, 30, initial_indent="* ", subsequent_indent="  ", max_lines=3, placeholder="..."),
        module.shorten(words, 25),
        module.dedent("  a\n    b\n\n  c\n"),
        module.indent("a\n\nb\n", "> "),
    ]


def _shlex(module: Any) -> object:
    parts = [module.split(text) for text in ('a \'b c\' "d\\"e" f\\ g # h', "", "x='1 2'|y")]
    return [*parts, module.join(["a b", "c'd"]), list(module.shlex("a && b || (c)", punctuation_chars=True))]


def _fractions(module: Any) -> object:
    one, two = module.Fraction(3, 4), module.Fraction("-1.25e1")
    values = [
        one + two,
        one - two,
        one * two,
        one / two,
        one**2,
        two // one,
        two % one,
        round(two),
        hash(one),
        one < two,
    ]
    return repr([*values, one.limit_denominator(2), str(two), float(one), divmod(two, one), abs(two), one == 0.75])


def _difflib(module: Any) -> object:
    one, two = ["a\n", "b\n", "c\n", "d\n"], ["a\n", "x\n", "c\n", "dd\n", "e\n"]
    return [
        list(module.ndiff(one, two)),
        list(module.unified_diff(one, two, "a", "b")),
        list(module.context_diff(one, two)),
        module.get_close_matches("appel", ["ape", "apple", "peach"]),
        module.SequenceMatcher(None, "abcd", "bcde").ratio(),
        module.HtmlDiff().make_table(one, two, context=True),
    ]


def _heapq(module: Any) -> object:
    heap = [5, 3, 8, 1, 9, 2]
    module.heapify(heap)
    module.heappush(heap, 4)
    popped = [module.heappop(heap), module.heapreplace(heap, 7), module.heappushpop(heap, 0)]
    merged = list(module.merge([1, 4], [2, 3], reverse=False)), list(module.merge([4, 1], [3], key=abs, reverse=True))
    return [heap, popped, merged, module.nlargest(2, heap), module.nsmallest(3, heap, key=lambda n: -n)]


def _bisect(module: Any) -> object:
    items = [1, 2, 2, 3]
    module.insort(items, 2)
    module.insort_left(items, 0)
    return [items, [module.bisect_left(items, n) for n in range(5)], module.bisect(items, 3, 1, 4)]


def _statistics(module: Any) -> object:
    data = [1, 2, 2, 5, 7.5]
    names = (
        "mean",
        "median",
        "mode",
        "stdev",
        "variance",
        "harmonic_mean",
        "geometric_mean",
        "median_low",
        "quantiles",
    )
    normal = module.NormalDist(2, 3)
    return [[getattr(module, name)(data) for name in names], normal.cdf(1), normal.inv_cdf(0.3), repr(normal + 1)]


def _colorsys(module: Any) -> object:
    return [getattr(module, name)(0.2, 0.5, 0.9) for name in dir(module) if "_to_" in name]


def _ipaddress(module: Any) -> object:
    net, six = module.ip_network("10.0.0.0/29"), module.ip_network("2001:db8::/126")
    return repr(
        [list(net.hosts()), list(net.subnets(1)), net.supernet(), six[1], six.exploded, net.overlaps(net), hash(net),
         list(module.summarize_address_range(net[1], net[6])), list(net.address_exclude(module.ip_network("10.0.0.2/31"))),
         module.ip_address("::ffff:1.2.3.4").ipv4_mapped, sorted(module.collapse_addresses([net, net])), net.is_private]
    )  # fmt: skip


def _configparser(module: Any) -> object:
    parser = module.ConfigParser()
    parser.read_string("[a]\nx = 1\ny: %(x)s2\n  more\n[b]\nflag = yes\n# c\n")
    parser["c"] = {"z": "3"}
    values = [parser.get("a", "y"), parser.getint("a", "x"), parser.getboolean("b", "flag"), parser.sections()]
    return [*values, parser.has_option("a", "q"), dict(parser["c"]), parser.get("a", "q", fallback="f")]


def _json_decoder(module: Any) -> object:
    decoder = module.JSONDecoder()
    return [decoder.decode(text) for text in ('{"a": [1, 2.5, null, "\\u00e4\\n"], "b": {}}', " [] ", '"x"')]


DRIVERS: dict[str, Callable[[Any], object]] = {
    "textwrap": _textwrap,
    "shlex": _shlex,
    "fractions": _fractions,
    "difflib": _difflib,
    "heapq": _heapq,
    "bisect": _bisect,
    "statistics": _statistics,
    "colorsys": _colorsys,
    "ipaddress": _ipaddress,
    "configparser": _configparser,
    "json.decoder": _json_decoder,
}


@contextmanager
def _without_accelerators() -> Iterator[None]:
    """Modules in C would replace the functions under test."""
    names = ("_heapq", "_bisect", "_json", "_statistics")
    before = {name: sys.modules.get(name) for name in names}
    sys.modules.update(dict.fromkeys(names))  # type: ignore[arg-type] - None blocks an import
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def _load(name: str, code: CodeType) -> ModuleType:
    module = ModuleType(name)
    module.__package__ = name.rpartition(".")[0]
    with _without_accelerators():
        exec(code, module.__dict__)
    return module


def _together(source: str, found: Sequence[Control], seed: int) -> str:
    """As many edits as fit beside each other."""
    data, taken = source.encode(), []
    draw = Draw(seed)
    for one in draw.shuffled(found):
        mutant = one.mutant
        if all(mutant.end_byte <= other.start_byte or other.end_byte <= mutant.start_byte for other in taken):
            taken.append(mutant)
    for mutant in sorted(taken, key=lambda mutant: -mutant.start_byte):
        data = data[: mutant.start_byte] + mutant.after.encode() + data[mutant.end_byte :]
    return data.decode()


@pytest.mark.parametrize("name", DRIVERS)
def test_standard_library_behaves_the_same(name: str) -> None:
    source = inspect.getsource(importlib.import_module(name))
    path = name.replace(".", "/") + ".py"
    expected = DRIVERS[name](_load(name, compile(source, path, "exec")))
    for seed in range(2):
        changed = _together(source, _all(source, seed), seed)
        assert code_digest(changed, path) != code_digest(source, path)
        assert DRIVERS[name](_load(name, compile(changed, path, "exec"))) == expected
