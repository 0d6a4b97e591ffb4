"""Built revisions: each is built once, and what a kill leaves of one is never taken for whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from testmark.errors import InterruptedRunError
from testmark.records.builds import BuildRecord
from testmark.runtimes.maven.jdks import Jdk
from testmark.runtimes.maven.protocol import Toolchain
from testmark.testevo.history import History
from testmark.testevo.revisions import Revisions
from tests.testevo.repository import Repository

CHAINS = tuple(
    Toolchain(Jdk(major, f"{major}.0.1", f"/jdk/{major}"), "/maven", "3.9.0", None, maven_on_host=False)
    for major in (8, 17)
)


class Builder:
    """Builds nothing, and counts; a tree is whole when it holds `target`."""

    def __init__(self) -> None:
        self.built: list[str] = []
        self.killed = False

    def __call__(
        self, tree: Path, store: Path, toolchains: Sequence[Toolchain], declared: int | None, log: Path
    ) -> BuildRecord:
        assert store.is_dir()
        assert (tree / "pom.xml").is_file()
        self.built.append(tree.name)
        if self.killed:
            raise InterruptedRunError("killed")
        (tree / "target").mkdir()
        chosen = toolchains[0].jdk
        return BuildRecord(
            revision="", reason=None, detail="", java_version=chosen.major, jdk=chosen.version, maven="3.9.0",
            released=None, tried=(), modules=(), missing_files=(),
        )  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def opened(repository: Repository, build: Builder, chains: Sequence[Toolchain] = CHAINS) -> Revisions:
    return Revisions(History(repository.folder), repository.folder.parent / "work", chains, build)


def test_a_record_outlives_its_tree_and_the_tree_is_made_again_when_it_is_needed(repository: Repository) -> None:
    name = repository.commit({"pom.xml": "<project/>"})
    build = Builder()
    first = opened(repository, build).get(name)
    assert first.tree is not None
    opened(repository, build).forget_tree(name)
    assert not first.tree.tree.exists()
    assert opened(repository, build).record(name) == first.record
    assert build.built == [name]
    again = opened(repository, build).get(name)
    assert again == first
    assert (first.tree.tree / "target").is_dir()
    assert build.built == [name, name]


def test_a_tree_whose_making_was_killed_is_made_anew(repository: Repository) -> None:
    name = repository.commit({"pom.xml": "<project/>"})
    build = Builder()
    tree = opened(repository, build).get(name).tree
    assert tree is not None
    opened(repository, build).forget_tree(name)
    build.killed = True
    with pytest.raises(InterruptedRunError):
        opened(repository, build).get(name)
    assert tree.tree.is_dir()
    build.killed = False
    assert opened(repository, build).get(name).tree == tree
    assert (tree.tree / "target").is_dir()
    assert len(build.built) == 3


def test_a_tree_whose_removal_was_killed_is_made_anew(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    name = repository.commit({"pom.xml": "<project/>"})
    build = Builder()
    tree = opened(repository, build).get(name).tree
    assert tree is not None

    def killed(place: Path, *, ignore_errors: bool) -> None:
        assert ignore_errors
        (place / "target").rmdir()
        raise InterruptedRunError("killed")

    first = opened(repository, build)
    with monkeypatch.context() as patched:
        patched.setattr("testmark.testevo.revisions.shutil.rmtree", killed)
        with pytest.raises(InterruptedRunError):
            first.forget_tree(name)
    again = opened(repository, build)
    assert again.get(name).tree == tree
    assert (tree.tree / "target").is_dir()
    assert [place.name for place in tree.tree.parent.iterdir()] == [name]


def test_what_a_jdk_built_that_is_gone_is_built_by_another(repository: Repository) -> None:
    name = repository.commit({"pom.xml": "<project/>"})
    build = Builder()
    assert opened(repository, build).record(name).java_version == 8
    assert opened(repository, build, CHAINS[1:]).record(name).java_version == 17
    assert opened(repository, build, CHAINS[1:]).record(name, 17).java_version == 17
    assert build.built == [name, name, f"{name}-17"]
