"""From measured lines to the methods that a reader would name: lambdas, anonymous classes and bridges go to theirs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from testmark.runtimes.maven.protocol import MethodLines
from testmark.source.java import JavaFile, JavaMethod, read_java
from testmark.testevo.identity import signature


@dataclass(frozen=True)
class Executed:
    """A declared method of which at least one line ran."""

    path: str
    """Of its file, relative to the repository."""
    method: JavaMethod
    signature: str
    """`a.b.Outer$Inner#name(ILjava/lang/String;)V`, as the JVM has it."""
    lines: frozenset[int]
    """Executable lines, its lambdas' and anonymous classes' among them."""
    covered: frozenset[int]
    callers: frozenset[str] = frozenset()
    """`a.b.Outer$Inner#name` of the methods that called it themselves; not those whose lambda did."""


class Sources:
    """The Java files of one revision's work tree, by package and name; parsed when first asked for."""

    def __init__(self, tree: Path, roots: Iterable[str]) -> None:
        self._tree = tree
        self._roots = tuple(dict.fromkeys(roots))
        self._files: dict[str, JavaFile | None] = {}

    def find(self, package: str, name: str) -> Iterator[tuple[str, JavaFile]]:
        """The files of that name in the package's folder, or, where folders do not follow packages, in the root."""
        for root in self._roots:
            for folder in dict.fromkeys((f"{root}/{package.replace('.', '/')}", root)):
                path = f"{folder}/{name}".replace("//", "/").removeprefix("/")
                file = self.read(path)
                if file is not None and file.package == package:
                    yield path, file

    def read(self, path: str) -> JavaFile | None:
        """One file, or None when it is not there."""
        if path not in self._files:
            place = self._tree / path
            text = place.read_text(encoding="utf-8", errors="replace") if place.is_file() else None
            self._files[path] = None if text is None else read_java(text)
        return self._files[path]


def executed_methods(measured: Sequence[MethodLines], sources: Sources) -> tuple[Executed, ...]:
    """Declared methods that ran, by path and place; code that nobody wrote (generated, implicit) is left out.

    A field's initializer and an implicit constructor belong to no method, so their lines count nowhere.
    """
    lines: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    covered: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    callers: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    signatures: dict[tuple[str, str], str] = {}
    declared: dict[tuple[str, str], JavaMethod] = {}
    for part in measured:
        for path, method in _owners(part, sources):
            key = (path, method.key)
            declared[key] = method
            itself = _is_itself(part, method)
            own = _own_lines(method) if itself and method.is_constructor else None
            lines[key].update(line for line in part.lines if own is None or line in own)
            covered[key].update(line for line in part.covered if own is None or line in own)
            if itself:
                callers[key].update(_themselves(part.callers))
                signatures[key] = f"{part.owner}#{part.name}{part.descriptor}"
    found = [
        Executed(
            path=path,
            method=declared[path, key],
            signature=signatures.get((path, key)) or signature(declared[path, key]),
            lines=frozenset(lines[path, key]),
            covered=frozenset(ran),
            callers=frozenset(callers[path, key]),
        )
        for (path, key), ran in covered.items()
        if ran
    ]
    return tuple(sorted(found, key=lambda one: (one.path, one.method.line, one.method.key)))


def _owners(part: MethodLines, sources: Sources) -> Iterator[tuple[str, JavaMethod]]:
    """The innermost declared method around a measured one; the last match wins where packages are repeated."""
    if not part.lines:
        return
    package = part.owner.rpartition(".")[0]
    first = min(part.lines)
    for path, file in sources.find(package, part.source):
        constructor = _constructor(part, file)
        if constructor is not None:
            yield path, constructor
            return
        around = [method for method in file.methods if method.line <= first <= method.end_line and method.has_body]
        if around:
            yield path, min(around, key=lambda method: method.end_line - method.line)
            return


def _constructor(part: MethodLines, file: JavaFile) -> JavaMethod | None:
    """The declared constructor that a measured one is; None for an implicit one and for other methods.

    javac copies the initializers of fields to the front of it, so it need not begin where it is declared.
    """
    if part.name != "<init>":
        return None
    own = [method for method in file.methods if _is_itself(part, method) and _count(method, part.lines)]
    return max(own, key=lambda method: (_count(method, part.covered), _count(method, part.lines)), default=None)


def _count(method: JavaMethod, lines: Iterable[int]) -> int:
    """How many of the lines are the method's."""
    own = _own_lines(method)
    return sum(line in own for line in lines)


def _own_lines(method: JavaMethod) -> range:
    return range(method.line, method.end_line + 1)


def _themselves(callers: Iterable[str]) -> Iterator[str]:
    """The body of a lambda is called by whoever it was handed to, and is no direct call."""
    return (caller for caller in callers if not caller.partition("#")[2].startswith("lambda$"))


def _is_itself(part: MethodLines, method: JavaMethod) -> bool:
    name = "<init>" if method.is_constructor else method.name
    return part.owner == method.owner.binary_name and part.name == name
