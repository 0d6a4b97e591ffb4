"""What `testevo run` says before an agent begins."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from testmark.agents.runs import RunOptions
from testmark.errors import UserError
from testmark.sandbox import choose
from testmark.testevo import agent_runs
from testmark.testevo.agent_runs import run_agent
from testmark.testevo.bench import Selection
from testmark.testevo.workshop import MavenWorkshop


@dataclass(frozen=True)
class Bench:
    """One task that wants a Java."""

    folder: Path
    java: int

    def verify(self) -> None:
        """Whole."""

    def select(self, selection: Selection) -> list[tuple[str, SimpleNamespace]]:
        assert selection == Selection()
        return [("update", SimpleNamespace(task_id="task", java_version=self.java))]


def test_a_java_that_is_not_at_hand_is_named_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_runs, "open_bench", lambda folder: Bench(folder, 8))
    monkeypatch.setattr(MavenWorkshop, "toolchains", lambda _: ())
    options = RunOptions(agent="command", sandbox=choose(), command="true", quiet=True, cache=tmp_path / "cache")
    with pytest.raises(UserError, match=r"Java 8 is not at hand, .*; `testevo toolchain install` brings it"):
        run_agent(tmp_path / "bench", tmp_path / "out", Selection(), options)
