"""What an agent is given and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from testmark.records.base import FileText

Outcome = Literal["done", "timeout", "agent_error", "infra"]


@dataclass(frozen=True)
class AgentTaskView:
    """One task as an agent meets it."""

    instance_id: str
    prompt: str
    test_roots: tuple[str, ...]
    """The folders that a prediction is taken from, relative to the workspace."""
    write_workspace: Callable[[Path], None]
    """Writes the runnable workspace, with `TASK.md`, into a folder."""
    reference: Callable[[], tuple[FileText, ...]]
    """The developers' own test: for the agent `reference` alone."""
    idle: Callable[[], tuple[FileText, ...]]
    """A test that does nothing and passes."""
    failing: Callable[[], tuple[FileText, ...]]
    """A test that fails whatever the code does."""
    unrefined: Callable[[], tuple[FileText, ...]]
    """The developers' test of the older revision; none where the benchmark has no such."""
    log: Path
    """Where what the agent printed is kept."""


@dataclass(frozen=True)
class AgentOutcome:
    """What an agent left: `files` may be there after a time-out too; `infra` is never the agent's fault."""

    outcome: Outcome
    files: tuple[FileText, ...]
    detail: str = ""
    exit_code: int | None = None


class Agent(Protocol):
    """Writes the test of one task."""

    @property
    def name(self) -> str:
        """As `--agent` spells it; also the predictions' `model_name_or_path`."""
        ...

    def predict(self, task: AgentTaskView) -> AgentOutcome:
        """Work on one task. Faults of ours are outcomes of kind `infra`, not exceptions."""
        ...
