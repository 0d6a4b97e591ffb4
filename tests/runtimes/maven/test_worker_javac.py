"""JVMs that compile for the workers of one thread, whatever trees these have."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from testmark.records.base import FileText
from testmark.runtimes.maven import worker_javac
from testmark.runtimes.maven.protocol import BuiltTree, Compiled, CompileRequest, Toolchain
from testmark.runtimes.maven.worker import JvmWorker
from testmark.runtimes.maven.worker_javac import Javacs
from testmark.runtimes.maven.worker_process import JvmProcess
from testmark.sandbox import Sandbox
from testmark.sandbox.confinement import Confinement

pytestmark = pytest.mark.network
LIBRARY = "package shop; class Prices {{ static {kind} total() {{ return {value}; }} }}"
USER = "package shop; class User { int total = Prices.total(); }"


@pytest.fixture
def javacs(sandbox: Sandbox) -> Iterator[Javacs]:
    with contextlib.closing(Javacs(sandbox)) as javacs:
        yield javacs


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Confinement]:
    """What each JVM that compiles was started with."""
    found: list[Confinement] = []

    class Counted(JvmProcess):
        def __init__(self, sandbox: Sandbox, confinement: Confinement) -> None:
            found.append(confinement)
            super().__init__(sandbox, confinement)

    monkeypatch.setattr(worker_javac, "JvmProcess", Counted)
    return found


def tree(folder: Path, name: str, toolchain: Toolchain) -> BuiltTree:
    for place in (folder / name / "target/classes", folder / "store"):
        place.mkdir(parents=True, exist_ok=True)
    return BuiltTree(folder / name, folder / "store", toolchain, ())


def compiled(worker: JvmWorker, text: str) -> Compiled:
    return worker.compile(CompileRequest((FileText(path="src/A.java", content=text),), ("/work/target/classes",), ()))


def with_library(built: BuiltTree, worker: JvmWorker, kind: str, value: str) -> None:
    done = compiled(worker, LIBRARY.format(kind=kind, value=value))
    place = built.tree / "target/classes/shop/Prices.class"
    place.parent.mkdir(parents=True)
    place.write_bytes(done.classes["shop.Prices"])


def test_each_tree_is_compiled_against_its_own_classes(
    toolchain: Toolchain, sandbox: Sandbox, javacs: Javacs, tmp_path: Path
) -> None:
    one, two = tree(tmp_path, "one", toolchain), tree(tmp_path, "two", toolchain)
    with (
        contextlib.closing(JvmWorker(one, sandbox, javacs=javacs)) as first,
        contextlib.closing(JvmWorker(two, sandbox, javacs=javacs)) as second,
    ):
        with contextlib.closing(JvmWorker(one, sandbox)) as maker:
            with_library(one, maker, "int", "1")
            with_library(two, maker, "String", '"1"')
        for _ in range(2):
            assert compiled(first, USER).errors == ()
            (error,) = compiled(second, USER).errors
            assert error.startswith("src/A.java:1: incompatible types: ")


def test_the_workers_of_a_thread_have_one_jvm_that_compiles(
    toolchain: Toolchain, sandbox: Sandbox, javacs: Javacs, tmp_path: Path, started: list[Confinement]
) -> None:
    for name in ("one", "two", "three"):
        with contextlib.closing(JvmWorker(tree(tmp_path, name, toolchain), sandbox, javacs=javacs)) as worker:
            assert compiled(worker, "package a; class B { }").errors == ()
    assert len(started) == 1


def test_a_jvm_that_has_served_many_trees_is_replaced(
    toolchain: Toolchain,
    sandbox: Sandbox,
    javacs: Javacs,
    tmp_path: Path,
    started: list[Confinement],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker_javac, "_MOST_TREES", 1)
    one, two = tree(tmp_path, "one", toolchain), tree(tmp_path, "two", toolchain)
    with (
        contextlib.closing(JvmWorker(one, sandbox, javacs=javacs)) as first,
        contextlib.closing(JvmWorker(two, sandbox, javacs=javacs)) as second,
    ):
        for worker in (first, second, first):
            assert sorted(compiled(worker, "package a; class B { }").classes) == ["a.B"]
    assert len(started) == 3
