"""The agents that need no model: the gates that every benchmark must pass."""

from __future__ import annotations

from testmark.agents.base import AgentOutcome, AgentTaskView


class Reference:
    """The developers' own test: must score 1 on every metric that only asks for a test as good."""

    name = "reference"

    def predict(self, task: AgentTaskView) -> AgentOutcome:
        """The reference files, unchanged."""
        return AgentOutcome("done", task.reference())


class Unrefined:
    """The developers' test of the older revision, unchanged: meets no criterion of test evolution."""

    name = "unrefined"

    def predict(self, task: AgentTaskView) -> AgentOutcome:
        """The old files; nothing where there are none."""
        return AgentOutcome("done", task.unrefined())


class Empty:
    """Nothing: must score 0 on every metric."""

    name = "empty"

    def predict(self, task: AgentTaskView) -> AgentOutcome:  # noqa: ARG002 - the protocol's signature
        """No files."""
        return AgentOutcome("done", ())


class AlwaysPass:
    """A test that does nothing and passes."""

    name = "always-pass"

    def predict(self, task: AgentTaskView) -> AgentOutcome:
        """The idle test."""
        return AgentOutcome("done", task.idle())


class AlwaysFail:
    """A test that fails: must score 0 on every metric."""

    name = "always-fail"

    def predict(self, task: AgentTaskView) -> AgentOutcome:
        """The failing test."""
        return AgentOutcome("done", task.failing())
