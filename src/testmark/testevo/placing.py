"""Lays one version of a test file over a built revision, so that one of its methods can be judged there by itself.

A test file is written for one revision. On the other one, some of its methods may not compile although the one that is
asked about does: an API that another test uses came or went. Such members are left out, one after the other, as long
as the method itself compiles; when an error stands in the method, or in what it uses, it does not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from testmark.records.base import FileText
from testmark.records.builds import BuiltModule
from testmark.runtimes.maven.protocol import WORK, CompileRequest, JavaWorker
from testmark.source.java import JavaFile, JavaMethod, read_java
from testmark.source.members import innermost, members, without

_MOST_ROUNDS = 12
_PLACE = re.compile(r"^(?P<path>.*?):(?P<line>\d+): ")


@dataclass(frozen=True)
class Placed:
    """A test file compiled onto a revision."""

    classes: Mapping[str, bytes]
    removed: tuple[str, ...]
    """Classes that the revision's own version of the file declares, and this one does not."""
    file: FileText
    """The text that was compiled: of its own with some members blank."""
    left_out: tuple[str, ...]
    """The errors for which members were left out."""
    compiled: bool = True
    """False when only Maven can compile it: then there are no classes."""


@dataclass(frozen=True)
class NotPlaced:
    """It does not compile on this revision."""

    error: str


def place(
    worker: JavaWorker,
    tree: Path,
    module: BuiltModule,
    file: FileText,
    keep: Collection[JavaMethod] | None,
    replaces: str | None = None,
) -> Placed | NotPlaced:
    """Compile `file` over the module's own test classes, with at least the methods of `keep`; None keeps all of it.

    `replaces` is the path that the file has in this revision when that is another one. Raises `InfraError` when the
    worker is lost.
    """
    left_out: list[str] = []
    content = file.content
    for _ in range(_MOST_ROUNDS):
        request = CompileRequest((FileText(path=file.path, content=content),), class_path(module), module.compiler)
        compiled = worker.compile(request)
        if not compiled.errors:
            old = declared(tree, module, replaces or file.path)
            placed = FileText(path=file.path, content=content)
            return Placed(compiled.classes, tuple(sorted(old - set(compiled.classes))), placed, tuple(left_out))
        spared = None if keep is None else _without_broken(content, compiled.errors, keep)
        if spared is None:
            return NotPlaced(compiled.errors[0])
        left_out += compiled.errors
        content = spared
    return NotPlaced(compiled.errors[0])


def class_path(module: BuiltModule) -> tuple[str, ...]:
    """What its test code is compiled against, as seen inside."""
    return (f"{WORK}/{module.test_classes}", f"{WORK}/{module.classes}", *module.classpath)


def declared(tree: Path, module: BuiltModule, path: str) -> set[str]:
    """Binary names of the classes that the built revision has of one of its test files."""
    place = tree / path
    if not place.is_file():
        return set()
    file = read_java(place.read_text(encoding="utf-8", errors="replace"))
    package = file.package.replace(".", "/")
    found: set[str] = set()
    for outer in {cls.names[0] for cls in file.classes}:
        folder = tree / module.test_classes / package
        for compiled in (*folder.glob(f"{outer}.class"), *folder.glob(f"{outer}$*.class")):
            name = compiled.name.removesuffix(".class")
            found.add(f"{file.package}.{name}" if file.package else name)
    return found


def _without_broken(content: str, errors: Collection[str], keep: Collection[JavaMethod]) -> str | None:
    """The text without the members in which errors stand; None when one stands in what must be kept or in no member."""
    found = members(content)
    kept = _kept_lines(read_java(content), keep)
    broken = set()
    for error in errors:
        match = _PLACE.match(error)
        member = innermost(found, int(match["line"])) if match else None
        if member is None or any(member.line <= last and first <= member.end_line for first, last in kept):
            return None
        broken.add(member)
    return without(content, broken)


def _kept_lines(file: JavaFile, keep: Collection[JavaMethod]) -> list[tuple[int, int]]:
    keys = {method.key for method in keep}
    return [(method.line, method.end_line) for method in file.methods if method.key in keys]
