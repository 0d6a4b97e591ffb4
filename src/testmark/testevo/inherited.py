"""Test methods of abstract classes: no runner runs them but through a class that inherits them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from testmark.source.java import JavaClass, JavaFile, read_java


def running_class(tree: Path, test_root: str, owner: JavaClass) -> str:
    """Binary name of the class by which tests of `owner` are run: itself, or the first concrete class that inherits.

    Classes are taken in the order of their files. One that nothing inherits gives its own name, which no runner finds.
    """
    if "abstract" not in owner.modifiers or owner.kind == "interface":
        return owner.binary_name
    return next(_concrete(_heirs(tree, test_root), owner.binary_name, set()), owner.binary_name)


_Heirs = Mapping[str, tuple[JavaClass, ...]]


def _concrete(heirs: _Heirs, name: str, seen: set[str]) -> Iterator[str]:
    """Those nearest first."""
    direct = heirs.get(name, ())
    yield from (one.binary_name for one in direct if "abstract" not in one.modifiers)
    for one in direct:
        if "abstract" in one.modifiers and one.binary_name not in seen:
            seen.add(one.binary_name)
            yield from _concrete(heirs, one.binary_name, seen)


@lru_cache(maxsize=64)
def _heirs(tree: Path, test_root: str) -> _Heirs:
    """Classes below a source root by the binary name of what they extend; a built tree never changes."""
    root = tree / test_root
    files = [
        read_java(place.read_text(encoding="utf-8", errors="replace"))
        for place in sorted(root.rglob("*.java"))
        if place.is_file()
    ]
    known = {cls.binary_name for file in files for cls in file.classes}
    found: dict[str, list[JavaClass]] = {}
    for file in files:
        for cls in file.classes:
            base = next((name for name in _meant(cls, file) if name in known), None)
            if base is not None:
                found.setdefault(base, []).append(cls)
    return {base: tuple(classes) for base, classes in found.items()}


def _meant(cls: JavaClass, file: JavaFile) -> Iterator[str]:
    """Binary names that the superclass as written may mean, in the order in which Java looks."""
    first, _, rest = cls.superclass.partition(".")
    if not first:
        return
    inner = "$" + rest.replace(".", "$") if rest else ""
    around = f"{file.package}." if file.package else ""
    for depth in range(len(cls.names) - 1, 0, -1):
        yield f"{around}{'$'.join(cls.names[:depth])}${first}{inner}"
    for name in file.imports:
        if name.rpartition(".")[2] == first:
            yield f"{name.removeprefix('static ')}{inner}"
    yield f"{around}{first}{inner}"
    for name in file.imports:
        if name.endswith(".*"):
            yield f"{name.removeprefix('static ')[:-1]}{first}{inner}"
    # Written whole: packages are small, classes are not.
    words = cls.superclass.split(".")
    at = next((number for number, word in enumerate(words) if word[:1].isupper()), len(words) - 1)
    yield ".".join([*words[:at], "$".join(words[at:])])
