"""A module that only Maven can compile and run: mined and judged all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from testmark.records.evoresults import EvoTaskResult
from testmark.records.tasks import TRACKS
from testmark.testevo.bench import open_bench
from tests.testevo.conftest import judged, mined
from tests.testevo.repository import Repository
from tests.testevo.small_history import MAIN, POM, TEST

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.xdist_group("testevo")]

_LOMBOK = """    <dependency>
      <groupId>org.projectlombok</groupId>
      <artifactId>lombok</artifactId>
      <version>1.18.34</version>
      <scope>provided</scope>
    </dependency>
  </dependencies>
"""


def fees(factor: int) -> str:
    return (
        f"package org.example;\n\npublic class Fees {{\n    @lombok.Getter private final int days = {factor};\n\n"
        f"    public int late(int days) {{\n        return {factor} * days;\n    }}\n}}\n"
    )


def fees_test(factor: int) -> str:
    return (
        "package org.example;\n\nimport static org.junit.jupiter.api.Assertions.assertEquals;\n\n"
        "class FeesTest {\n    @lombok.Value static class Case { int days; int fee; }\n\n"
        "    @org.junit.jupiter.api.Test\n    void late() {\n"
        f"        Case one = new Case(2, {2 * factor});\n"
        "        assertEquals(one.getFee(), new Fees().late(one.getDays()));\n    }\n}\n"
    )


def test_code_that_a_processor_changes_is_compiled_and_run_by_maven(place: Path, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    pom = POM.replace("  </dependencies>\n", _LOMBOK)
    assert pom != POM
    repository.commit({"pom.xml": pom, MAIN: fees(2), TEST: fees_test(2)})
    repository.commit({MAIN: fees(3), TEST: fees_test(3)})
    bench = open_bench(mined(repository.folder, tmp_path / "bench"))
    assert {track: [[c.method for c in r.test_changes] for r in bench.rows(track)] for track in TRACKS} == {
        "update": [["late"]], "generation": [], "refinement": []
    }  # fmt: skip
    summary, results = judged(bench.folder, "reference", tmp_path)
    assert summary.metrics["success"].value == 1.0
    (found,) = [EvoTaskResult.from_json(path.read_bytes()) for path in (results / "tasks").iterdir()]
    assert (found.how, found.targets[0].covered) == ("cold", 1)
    assert judged(bench.folder, "unrefined", tmp_path)[0].metrics["success"].value == 0.0
