"""What one pair of revisions changed, by syntax tree: test methods and production methods, never lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, Protocol

from testmark.records.builds import is_below
from testmark.source.java import JavaClass, JavaFile, JavaMethod, read_java
from testmark.testevo.history import Change, History

Side = Literal["production", "test"]

_CALLED_OFTEN = frozenset({"ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Theory", "Property"})
_JUNIT = _CALLED_OFTEN | {"Test"}
_JUNIT3_BASE = "TestCase"
_NO_TEST = frozenset(
    {f"{when}{what}" for when in ("Before", "After") for what in ("Method", "Class", "Test", "Suite", "Groups")}
    | {"DataProvider", "Factory", "ObjectFactory"}
)
"""What TestNG calls by itself, or not at all."""
_FIXTURES = _NO_TEST | {f"{when}{what}" for when in ("Before", "After") for what in ("", "Class", "Each", "All")}


@dataclass(frozen=True)
class ChangedMethod:
    """A method that differs between two revisions; `old` is None for a new one, `new` for one that is gone."""

    path: str
    """In the new revision; in the old one when the file is gone."""
    old_path: str
    module: str
    old: JavaMethod | None
    new: JavaMethod | None

    @property
    def method(self) -> JavaMethod:
        """The newer of the two."""
        found = self.new or self.old
        assert found is not None  # noqa: S101 - one of them is there
        return found


@dataclass(frozen=True)
class PairChanges:
    """What a pair changed on either side."""

    tests: tuple[ChangedMethod, ...]
    """Test methods that are new or differ; those that are gone are no task."""
    test_code: tuple[ChangedMethod, ...]
    """Methods of test code that are no tests themselves: helpers, fixtures."""
    production: tuple[ChangedMethod, ...]


class SourceRoots(Protocol):
    """What of a module tells its code apart, as its pom or its build says it."""

    @property
    def path(self) -> str:
        """Its folder."""
        ...

    @property
    def main_root(self) -> str:
        """The folder of its production code."""
        ...

    @property
    def test_root(self) -> str:
        """The folder of its tests."""
        ...


def changed(
    history: History, old: str, new: str, old_modules: Iterable[SourceRoots], new_modules: Iterable[SourceRoots]
) -> PairChanges:
    """Compare two revisions; a moved file is compared with what it was."""
    old_roots, new_roots = _roots(old_modules), _roots(new_modules)
    changes = [change for change in history.changes(old, new) if change.path.endswith(".java")]
    before = _read(history, old, [change.old_path for change in changes if change.old_path])
    after = _read(history, new, [change.path for change in changes if change.kind != "deleted"])
    tests: list[ChangedMethod] = []
    helpers: list[ChangedMethod] = []
    production: list[ChangedMethod] = []
    for change in changes:
        side, module = _side(change.path, new_roots if change.kind != "deleted" else old_roots)
        if side is None:
            continue
        old_file = before.get(change.old_path)
        new_file = after.get(change.path) if change.kind != "deleted" else None
        found = _changed_methods(change, module, old_file, new_file)
        if side == "production":
            production += found
            continue
        file = new_file or old_file
        for one in found:
            is_test = file is not None and is_test_method(one.method, file)
            if is_test and one.new is not None:
                tests.append(one)
            elif not is_test:
                helpers.append(one)
    return PairChanges(tuple(tests), tuple(helpers), tuple(production))


def _changed_methods(
    change: Change, module: str, old_file: JavaFile | None, new_file: JavaFile | None
) -> list[ChangedMethod]:
    old = {_local_key(method, change.old_path): method for method in old_file.methods} if old_file else {}
    new = {_local_key(method, change.path): method for method in new_file.methods} if new_file else {}
    found = []
    for key in [*new, *(key for key in old if key not in new)]:
        before, after = old.get(key), new.get(key)
        if before is None or after is None or before.fingerprint != after.fingerprint:
            found.append(ChangedMethod(change.path, change.old_path, module, before, after))
    return found


def _local_key(method: JavaMethod, path: str) -> tuple[object, ...]:
    """Without the package and the name of the class that the file is named for: a moved or renamed file changes them.

    Other classes at the top of the file keep theirs.
    """
    own = method.owner.names[0]
    outer = "" if own == PurePosixPath(path).stem else own
    name = "<init>" if method.is_constructor else method.name
    return (outer, method.owner.names[1:], name, tuple("<own>" if kind == own else kind for kind in method.parameters))


def is_test_method(method: JavaMethod, file: JavaFile) -> bool:
    """JUnit 3 to 6 and TestNG, as far as the file tells; what a base class elsewhere makes a test is not seen."""
    if method.is_constructor or not method.has_body:
        return False
    if _JUNIT & set(method.annotations):
        return True
    owner = method.owner
    if "Test" in owner.annotations and "public" in method.modifiers and "static" not in method.modifiers:
        # TestNG: all public methods of an annotated class that return nothing, as long as they are not something else.
        testng = any(name.startswith("org.testng.") for name in file.imports)
        return testng and method.returns == "void" and not _NO_TEST & set(method.annotations)
    looks_like_junit3 = method.name.startswith("test") and not method.parameters and "public" in method.modifiers
    return looks_like_junit3 and _is_test_case(owner)


def is_fixture(method: JavaMethod) -> bool:
    """Whether it prepares or clears up: what a runner calls around test methods."""
    junit3 = method.name in {"setUp", "tearDown"} and not method.parameters and _is_test_case(method.owner)
    return method.is_constructor or junit3 or bool(_FIXTURES & set(method.annotations))


def called_once(code: str) -> bool:
    """Whether a test method, given its text, is one test: not parameterized, repeated, a factory or a template."""
    methods = read_java(f"class Around {{\n{code}\n}}").methods
    return not any(_CALLED_OFTEN & set(method.annotations) for method in methods[:1])


def _is_test_case(owner: JavaClass) -> bool:
    return owner.superclass.rpartition(".")[2].endswith(_JUNIT3_BASE)


def _read(history: History, revision: str, paths: list[str]) -> Mapping[str, JavaFile]:
    return {path: read_java(text) for path, text in history.texts(revision, paths).items()}


_Roots = list[tuple[str, Side, str]]


def _roots(modules: Iterable[SourceRoots]) -> _Roots:
    """Source roots, the longest first, so that a nested module's own root wins."""
    found: _Roots = []
    for module in modules:
        found += [(module.main_root, "production", module.path), (module.test_root, "test", module.path)]
    return sorted(found, key=lambda root: -len(root[0]))


def _side(path: str, roots: _Roots) -> tuple[Side | None, str]:
    for root, side, module in roots:
        if is_below(path, root):
            return side, module
    return None, ""
