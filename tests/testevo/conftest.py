"""A benchmark of our own small history, mined once for all tests that need one."""

from __future__ import annotations

from pathlib import Path

import pytest

from testmark.errors import ToolMissingError
from testmark.sandbox import choose
from testmark.testevo.mine import MineOptions
from testmark.testevo.mining import MiningOptions, mine_repository
from testmark.testevo.workshop import MavenWorkshop
from tests.testevo.small_history import write_history


def mined(repository: Path, out: Path) -> Path:
    """The benchmark of a repository, in `out`."""
    options = MiningOptions(
        sandbox=choose(), mine=MineOptions(quiet=True), tag="main", url="https://host/example/fees", mutator="ast"
    )
    mine_repository(str(repository), out, options)
    return out


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where everything lies; skips where no JDK with a Maven is."""
    place = tmp_path_factory.mktemp("testevo")
    try:
        MavenWorkshop(choose(), place).toolchains()
    except ToolMissingError as error:
        pytest.skip(str(error))
    return place


@pytest.fixture(scope="session")
def commits(place: Path) -> list[str]:
    """The commits of the small history, oldest first."""
    return write_history(place / "repository")


@pytest.fixture(scope="session")
def bench(place: Path, commits: list[str]) -> Path:
    """The benchmark folder."""
    assert commits
    return mined(place / "repository", place / "bench")
