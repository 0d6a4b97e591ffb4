"""A benchmark of our own small history, mined once for all tests that need one."""

from __future__ import annotations

from pathlib import Path

import pytest

from testmark.agents.runs import RunOptions
from testmark.errors import ToolMissingError
from testmark.records.results import Summary
from testmark.sandbox import choose
from testmark.sandbox.roots import load_root, root_folder
from testmark.testevo.agent_runs import run_agent
from testmark.testevo.bench import Selection
from testmark.testevo.evaluate import EvoOptions, evaluate
from testmark.testevo.mine import MineOptions
from testmark.testevo.mining import MineReport, MiningOptions, mine_repository
from testmark.testevo.workshop import ROOT, MavenWorkshop
from tests.testevo.example import make
from tests.testevo.mined_example import MinedExample
from tests.testevo.small_history import write_history

EVERYTHING = Selection()
QUIET = MineOptions(quiet=True)


def mine(repository: Path, out: Path, name: str, what: MineOptions = QUIET) -> MineReport:
    """Mine a repository as `name`, which is owner and name of its clone's URL."""
    options = MiningOptions(sandbox=choose(), mine=what, tag="main", url=f"https://host/{name}", mutator="ast")
    return mine_repository(str(repository), out, options)


def mined(repository: Path, out: Path) -> Path:
    """The benchmark of a repository, in `out`."""
    mine(repository, out, "example/fees")
    return out


def judged(
    bench: Path, agent: str, place: Path, selection: Selection = EVERYTHING, *, audit_share: float = 0.0
) -> tuple[Summary, Path]:
    """What an agent that ships scores, and the results."""
    run, results = place / f"run-{agent}", place / f"results-{agent}"
    run_agent(bench, run, selection, RunOptions(agent=agent, sandbox=choose(), quiet=True))
    options = EvoOptions(sandbox=choose(), selection=selection, use_cache=False, audit_share=audit_share, quiet=True)
    return evaluate(bench, run, results, options), results


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


@pytest.fixture(scope="session")
def example(place: Path) -> MinedExample:
    """`examples/java-history`, mined whole."""
    hashes = make(place / "units")
    refactorings = root_folder(load_root(ROOT)).is_dir()
    report = mine(place / "units", place / "example", "history/units")
    return MinedExample(
        place / "units", place / "example", report.funnel, {sha: name for name, sha in hashes.items()}, refactorings
    )
