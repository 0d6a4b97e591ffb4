"""Tests that Maven does not run are no tasks, and tests that differ from run to run have no mutants."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from testmark.errors import InfraError
from testmark.records.base import FileText
from testmark.records.tasks import TRACKS
from testmark.runtimes.maven.cold import ColdRequest
from testmark.runtimes.maven.protocol import MethodsRun
from testmark.sandbox import choose
from testmark.source.java import read_java
from testmark.testevo.bench import open_bench
from testmark.testevo.confirming import refused_by_maven
from testmark.testevo.evaluate import Courts, EvoOptions
from testmark.testevo.judge import judge
from tests.testevo.conftest import judged, mined
from tests.testevo.repository import Repository
from tests.testevo.small_history import MAIN, POM, TEST
from tests.testevo.test_placing import TEXT
from tests.testevo.test_sides import FILE, Places, side

METHODS = [one for one in read_java(TEXT).methods if one.name in {"first", "second"}]
FIRST, SECOND = (one.key for one in METHODS)


@dataclass
class Maven(Places):
    """Passes all but what is named, or answers in turn."""

    fails: tuple[str, ...] = ()
    answers: list[MethodsRun] = field(default_factory=list)

    def maven(self, request: ColdRequest) -> MethodsRun:
        self.cold.append(request)
        if self.answers:
            return self.answers.pop(0)
        bad = [name for name in request.methods if name in self.fails]
        return MethodsRun("not-found", f"{bad[0]} did not run") if bad else MethodsRun("passed", "")


def asked(maven: Maven) -> list[tuple[str, ...]]:
    return [request.methods for request in maven.cold]


def test_one_session_confirms_all_methods_of_a_class(tmp_path: Path) -> None:
    maven = Maven()
    assert refused_by_maven(side(maven, tmp_path), FILE, METHODS) == {}
    assert asked(maven) == [("first", "second")]
    assert maven.cold[0].files == (FILE,)


def test_the_methods_that_maven_does_not_pass_are_named_one_by_one(tmp_path: Path) -> None:
    maven = Maven(fails=("second",))
    assert refused_by_maven(side(maven, tmp_path), FILE, METHODS) == {SECOND: "second did not run"}
    assert asked(maven) == [("first", "second"), ("first",), ("second",)]


def test_a_single_method_has_a_second_try(tmp_path: Path) -> None:
    slow = [MethodsRun("timeout", "60 s of CPU"), MethodsRun("passed", "")]
    assert refused_by_maven(side(Maven(answers=slow), tmp_path), FILE, METHODS[:1]) == {}
    broken = [MethodsRun("timeout", "60 s of CPU"), MethodsRun("failed", "first: it is 3")]
    assert refused_by_maven(side(Maven(answers=broken), tmp_path), FILE, METHODS[:1]) == {FIRST: "first: it is 3"}


def test_a_lost_maven_is_no_word_about_the_test(tmp_path: Path) -> None:
    with pytest.raises(InfraError, match="the disk is full"):
        refused_by_maven(side(Maven(answers=[MethodsRun("infra", "the disk is full")]), tmp_path), FILE, METHODS)


def test_a_file_that_compiles_in_part_only_has_no_reference(tmp_path: Path) -> None:
    maven = Maven(errors=("src/test/java/a/ATest.java:3: cannot find symbol",))
    reasons = refused_by_maven(side(maven, tmp_path), FileText(path=FILE.path, content=TEXT), METHODS)
    assert set(reasons) == {FIRST, SECOND}
    assert asked(maven) == []


_JUNIT_4 = """    <dependency>
      <groupId>junit</groupId>
      <artifactId>junit</artifactId>
      <version>4.13.2</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
"""
_OTHER = TEST.replace("FeesTest", "OtherFeesTest")


def _fees(factor: int) -> str:
    return (
        f"package org.example;\n\npublic class Fees {{\n    public int late(int days) {{\n        return {factor} * days;"
        f"\n    }}\n\n    public int stamp() {{\n        long now = System.currentTimeMillis();\n"
        f"        return now > 0 ? {factor} : 0;\n    }}\n}}\n"
    )


def _test(name: str, annotation: str, factor: int, more: str = "") -> str:
    return (
        f"package org.example;\n\npublic class {name} {{\n    @{annotation}\n    public void late() {{\n"
        f"        if (new Fees().late(2) != {2 * factor}) {{\n            throw new AssertionError();\n        }}\n    }}\n"
        f"{more}}}\n"
    )


def _stamp(factor: int) -> str:
    return (
        "\n    @org.junit.Test\n    public void stamp() {\n"
        f"        if (new Fees().stamp() != {factor}) {{\n            throw new AssertionError();\n        }}\n    }}\n"
    )


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.xdist_group("testevo")
def test_what_surefire_has_no_provider_for_is_no_task_and_a_clock_has_no_mutants(place: Path, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    pom = POM.replace("  </dependencies>\n", _JUNIT_4).replace("3.2.5", "2.17")
    for factor in (2, 3):
        repository.commit(
            {
                "pom.xml": pom,
                MAIN: _fees(factor),
                TEST: _test("FeesTest", "org.junit.Test", factor, _stamp(factor)),
                _OTHER: _test("OtherFeesTest", "org.junit.jupiter.api.Test", factor),
            }
        )
    bench = open_bench(mined(repository.folder, tmp_path / "bench"))
    (row,) = [row for track in TRACKS for row in bench.rows(track)]
    assert [change.method for change in row.test_changes] == ["late", "stamp"]
    drops = [json.loads(line) for line in (bench.folder / "dropped.jsonl").read_text().splitlines()]
    (differs,) = [drop for drop in drops if drop["rule"] == "S5: maven-differs"]
    assert "OtherFeesTest#late" in differs["id"]
    mutants = {target.method: len(target.mutants) for target in bench.kit(row.task_id).targets}
    assert mutants["late"] > 0
    assert mutants["stamp"] == 0
    (none,) = [drop for drop in drops if drop["rule"] == "mutant: no-mutants"]
    assert none["id"] == f"{row.task_id}#stamp"
    assert none["detail"].endswith(f"{MAIN}:9 has `System.currentTimeMillis`")
    assert judged(bench.folder, "reference", tmp_path, audit_share=1.0)[0].metrics["success"].value == 1.0
    # The same test for JUnit 5 passes in our JVM, and this Surefire runs nothing of it.
    kit = bench.kit(row.task_id)
    courts = Courts(bench, EvoOptions(sandbox=choose(), audit_share=0.0, quiet=True))
    with courts.context(kit, row.date) as context:
        found = judge(kit.new_text.replace("org.junit.Test", "org.junit.jupiter.api.Test"), "", (), context)
    assert (found.verdict, found.how) == ("failed", "cold")
    assert found.disagreements == found.audited > 0
    assert {target.new for target in found.targets} == {"HrnsFail"}
