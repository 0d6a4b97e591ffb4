"""Each JDK for what needs it: a history is mined and judged on the one that its revisions are verified on."""

from __future__ import annotations

from pathlib import Path

import pytest

from testmark.records.tasks import TRACKS
from testmark.runtimes.maven.toolchains import find_toolchains
from testmark.sandbox.roots import load_root, root_folder
from testmark.testevo.bench import open_bench
from tests.testevo.conftest import judged, mined
from tests.testevo.repository import Repository
from tests.testevo.small_history import MAIN, POM, TEST, fees_test

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.xdist_group("java-versions")]

LANGUAGE = {
    8: 'return javax.xml.bind.DatatypeConverter.parseInt("{}") * days;',  # gone with Java 11
    11: "var factor = {}; return factor * days;",
    17: "record Rate(int perDay) {{}} return new Rate({}).perDay() * days;",
    21: "return java.util.List.of(0, {}).getLast() * days;",
}
"""What no older JDK compiles, nor, for 8, a newer one; each of these reads a factor."""


def fees(java: int, factor: int) -> str:
    body = LANGUAGE[java].format(factor)
    return (
        f"package org.example;\n\npublic class Fees {{\n    public int late(int days) {{\n        {body}\n    }}\n}}\n"
    )


@pytest.mark.parametrize("java", LANGUAGE)
def test_a_history_is_mined_and_judged_on_the_jdk_that_it_needs(java: int, tmp_path: Path) -> None:
    root = root_folder(load_root("sid-java"))
    if not root.is_dir() or java not in {toolchain.jdk.major for toolchain in find_toolchains(root=root)}:
        pytest.skip(f"no JDK {java} in the root sid-java; make it with `testevo toolchain install`")
    pom = POM.replace("<maven.compiler.source>8<", f"<maven.compiler.source>{java}<")
    pom = pom.replace("<maven.compiler.target>8<", f"<maven.compiler.target>{java}<")
    repository = Repository(tmp_path / "repository")
    checks = [f"        assertEquals({2 * factor}, new Fees().late(2));" for factor in (2, 3)]
    repository.commit({"pom.xml": pom, MAIN: fees(java, 2), TEST: fees_test(checks[:1])})
    repository.commit({MAIN: fees(java, 3), TEST: fees_test(checks[1:])})
    bench = open_bench(mined(repository.folder, tmp_path / "bench"))
    rows = {track: bench.rows(track) for track in TRACKS}
    assert [(track, row.java_version) for track in TRACKS for row in rows[track]] == [("update", java)]
    summary, _ = judged(bench.folder, "reference", tmp_path)
    assert summary.metrics["success"].value == 1.0
    assert summary.mutants["killed"] > 0
