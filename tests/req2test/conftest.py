"""One small benchmark of the shipped example, built once for all tests that need one."""

from __future__ import annotations

from pathlib import Path

import pytest

from testmark.projects.load import load_definition
from testmark.req2test.agent_runs import RunOptions, run_agent
from testmark.req2test.build import BuildOptions, build
from testmark.sandbox import choose

TOP = Path(__file__).resolve().parents[2]
EXAMPLE = TOP / "examples" / "behave-library"
ONLY = ("*/isbn.feature:*", "*/again.feature:*", "*/suche.feature:*", "*/desk.feature:23")


@pytest.fixture(scope="session")
def sandbox():
    return choose("auto")


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory, sandbox) -> Path:
    out = tmp_path_factory.mktemp("example") / "bench"
    build(load_definition(EXAMPLE), out, BuildOptions(sandbox=sandbox, only=ONLY, quiet=True))
    return out


@pytest.fixture(scope="session")
def runs(bench: Path, tmp_path_factory: pytest.TempPathFactory, sandbox) -> dict[str, Path]:
    """A run folder of each agent that needs no command."""
    top = tmp_path_factory.mktemp("runs")
    for agent in ("reference", "empty", "always-pass", "always-fail"):
        run_agent(bench, top / agent, RunOptions(agent=agent, sandbox=sandbox, quiet=True))
    return {path.name: path for path in top.iterdir()}
