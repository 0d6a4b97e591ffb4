"""Where a run of test methods takes place: in a shared JVM, in one of its own, or at Maven's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from testmark.records.base import FileText
from testmark.runtimes.maven.cold import ColdRequest
from testmark.runtimes.maven.protocol import Compiled, CompileRequest, MethodLines, MethodsRequest, MethodsRun
from testmark.source.java import read_java
from testmark.testevo.sides import Side
from testmark.testevo.variants import Version, run_cell
from tests.testevo.test_placing import MODULE, TEXT

FILE = FileText(path="src/test/java/a/ATest.java", content=TEXT)
METHOD = next(one for one in read_java(TEXT).methods if one.name == "first")
CALLED = MethodLines("a.A", "f", "()V", "A.java", (1,), (1,), ("a.ATest#first",))
BY_MAVEN = MethodLines("a.A", "f", "()V", "A.java", (1,), (1,))


@dataclass
class Places:
    """A worker and a Maven that say what they were asked."""

    risk: str = ""
    risky_word: str = ""
    """The risk is in the classes of texts that have this word."""
    warm_status: str = "passed"
    errors: tuple[str, ...] = ()
    warm: list[MethodsRequest] = field(default_factory=list)
    cold: list[ColdRequest] = field(default_factory=list)

    def compile(self, request: CompileRequest) -> Compiled:
        return Compiled({"a.ATest": b"", "a.A": request.sources[0].content.encode()}, self.errors)

    def risky(self, classes: Mapping[str, bytes], code: Sequence[str]) -> str:
        assert classes
        assert code == ("/work/target/test-classes", "/work/target/classes")
        return self.risk if self.risky_word.encode() in classes["a.A"] else ""

    def run(self, request: MethodsRequest) -> MethodsRun:
        self.warm.append(request)
        coverage = (CALLED,) if request.measure else ()
        return MethodsRun(self.warm_status, "", coverage=coverage, how="warm")  # type: ignore[arg-type]

    def maven(self, request: ColdRequest) -> MethodsRun:
        self.cold.append(request)
        return MethodsRun("passed", "", coverage=(BY_MAVEN,) if request.measure else ())


def side(places: Places, tmp_path: Path, *reasons: str, processors: tuple[str, ...] = ()) -> Side:
    surefire = MODULE.surefire.model_copy(update={"cold_reasons": reasons})
    module = MODULE.model_copy(update={"surefire": surefire, "processors": processors})
    return Side("0" * 40, tmp_path, module, (module,), places, places.maven)  # type: ignore[arg-type]


@pytest.mark.parametrize(("risk", "fresh"), [("", False), ("threads: java.lang.Thread", True)])
def test_a_risky_test_has_a_jvm_of_its_own_for_each_run(tmp_path: Path, risk: str, fresh: bool) -> None:
    places = Places(risk)
    cell = run_cell(side(places, tmp_path), Version(FILE, METHOD), times=3, measure=True)
    assert cell.result == "Pass"
    assert cell.coverage == (CALLED,)
    assert [(run.fresh, bool(run.measure)) for run in places.warm] == [(fresh, False), (fresh, False), (fresh, True)]
    assert places.cold == []


@pytest.mark.parametrize(("word", "fresh"), [("second", False), ("first", True)])
def test_what_the_test_cannot_reach_gives_it_no_jvm_of_its_own(tmp_path: Path, word: str, fresh: bool) -> None:
    places = Places("threads: java.lang.Thread", risky_word=word)
    run_cell(side(places, tmp_path), Version(FILE, METHOD), times=1, measure=True)
    assert [run.fresh for run in places.warm] == [fresh]


def test_a_module_that_only_maven_can_run_is_run_by_maven(tmp_path: Path) -> None:
    places = Places()
    cell = run_cell(side(places, tmp_path, "tests run in parallel"), Version(FILE, METHOD), times=3, measure=True)
    assert cell.result == "Pass"
    assert [run.measure for run in places.cold] == [False, False, True]
    assert all(run.files == (FILE,) and run.methods == ("first",) for run in places.cold)
    # Maven's JVM cannot say who called what: one run of the worker does.
    assert [bool(run.measure) for run in places.warm] == [True]
    assert cell.coverage == (CALLED,)


def test_what_maven_has_measured_stands_where_the_worker_disagrees(tmp_path: Path) -> None:
    places = Places(warm_status="failed")
    cell = run_cell(side(places, tmp_path, "groups are chosen"), Version(FILE, METHOD), times=1, measure=True)
    assert cell.result == "Pass"
    assert cell.coverage == (BY_MAVEN,)


@pytest.mark.parametrize(("reasons", "processors"), [(("lombok changes classes",), ()), ((), ("maker.jar",))])
def test_what_javac_refuses_for_want_of_a_processor_maven_compiles(
    tmp_path: Path, reasons: tuple[str, ...], processors: tuple[str, ...]
) -> None:
    places = Places(errors=(f"{FILE.path}:1: cannot find symbol",))
    cell = run_cell(
        side(places, tmp_path, *reasons, processors=processors), Version(FILE, METHOD), times=2, measure=True
    )
    assert cell.result == "Pass"
    assert [(run.files, run.measure) for run in places.cold] == [((FILE,), False), ((FILE,), True)]
    assert places.warm == []
    assert cell.coverage == (BY_MAVEN,)


def test_without_processors_javac_has_the_last_word(tmp_path: Path) -> None:
    places = Places(errors=(f"{FILE.path}:1: cannot find symbol",))
    assert run_cell(side(places, tmp_path), Version(FILE, METHOD), times=2).result == "CmplFail"
    assert places.cold == places.warm == []
