"""An abandoned stretch costs no builds, and what is said of its pairs does not depend on the number of jobs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from testmark.records.builds import BuildRecord
from testmark.runtimes.maven.jdks import Jdk
from testmark.runtimes.maven.protocol import Toolchain
from testmark.testevo.history import History
from testmark.testevo.mine import Funnel, MineOptions, Miner, Workshop
from testmark.testevo.revisions import Revisions
from tests.testevo.repository import Repository

MAIN, TEST = "src/main/java/a/A.java", "src/test/java/a/ATest.java"
CHAINS = (Toolchain(Jdk(17, "17.0.1", "/jdk/17"), "/maven", "3.9.0", None, maven_on_host=False),)


class Builder:
    """Builds nothing, and remembers of what it was asked; every build fails."""

    def __init__(self) -> None:
        self.built: set[str] = set()

    def __call__(
        self, tree: Path, store: Path, toolchains: Sequence[Toolchain], declared: int | None, log: Path
    ) -> BuildRecord:
        self.built.add(tree.name)
        return BuildRecord(
            revision="", reason="compile", detail="no", java_version=None, jdk="", maven="", released=None, tried=(),
            modules=(), missing_files=(),
        )  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def mined(repository: Repository, jobs: int) -> tuple[Funnel, set[str]]:
    """The funnel, and the revisions that were built."""
    history, build = History(repository.folder), Builder()
    folder = repository.folder.parent / f"work-{jobs}"
    revisions = Revisions(history, folder, CHAINS, build)
    options = MineOptions(jobs=jobs, quiet=True)
    return Miner(history, folder, revisions, cast("Workshop", None), options).run(), build.built


def test_pairs_of_an_abandoned_stretch_are_not_built_until_its_build_files_change(repository: Repository) -> None:
    def change(number: int) -> str:
        # The tests of every fifth come a commit later: it waits for its neighbour not to build.
        return repository.commit({TEST: f"{number}"} if number % 5 == 4 else {MAIN: f"{number}", TEST: f"{number}"})

    repository.commit({"pom.xml": "<project/>", MAIN: "", TEST: ""})
    names = [change(number) for number in range(20)]
    again = repository.commit({"pom.xml": "<project><!-- --></project>", MAIN: "x", TEST: "x"})
    funnel, built = mined(repository, 1)
    reasons = {drop.subject.partition("_")[2]: drop.reason for drop in funnel.dropped}
    assert [reasons[name] for name in names] == ["build-failed-compile"] * 5 + ["stretch-abandoned"] * 15
    assert reasons[again] == "build-failed-compile"
    # Of those in chunks of four that begin after the fifth failure, only what a neighbour waits for.
    waited_for = {names[number - 1] for number in (9, 14, 19)}
    assert built & set(names[8:19]) == waited_for
    for jobs in (2, 5):
        assert mined(repository, jobs)[0].dropped == funnel.dropped
