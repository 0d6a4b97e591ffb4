"""The agents that need no model: the gates that every benchmark must pass."""

from __future__ import annotations

import re
from collections.abc import Sequence

from testmark.agents.base import AgentOutcome, AgentTaskView
from testmark.records.base import FileText

_HEADER = '''\
"""Step definitions that {what}, whatever the code does."""

from behave import step, use_step_matcher

use_step_matcher("re")
'''
_STEP = """

@step({pattern!r})
def step_{number}(context):
    {body}
"""


class Reference:
    """The developers' own test: must score 1 on every metric."""

    name = "reference"

    def predict(self, task: AgentTaskView) -> AgentOutcome:
        """The reference files, unchanged."""
        return AgentOutcome("done", task.reference())


class Empty:
    """Nothing: must score 0 on every metric."""

    name = "empty"

    def predict(self, task: AgentTaskView) -> AgentOutcome:  # noqa: ARG002 - the protocol's signature
        """No files."""
        return AgentOutcome("done", ())


class AlwaysPass:
    """Steps that do nothing: must score 0 on everything but Pass@1."""

    name = "always-pass"

    def predict(self, task: AgentTaskView) -> AgentOutcome:
        """One definition for each step text."""
        return AgentOutcome("done", (idle_steps(task.step_texts, task.steps_folder),))


class AlwaysFail:
    """Steps that fail: must score 0 on every metric."""

    name = "always-fail"

    def predict(self, task: AgentTaskView) -> AgentOutcome:
        """One definition for each step text."""
        return AgentOutcome("done", (_steps_file(task.step_texts, task.steps_folder, "fail", "assert False"),))


def idle_steps(step_texts: Sequence[str], steps_folder: str) -> FileText:
    """Definitions that do nothing: what they seem to notice, hooks and other support code noticed."""
    return _steps_file(step_texts, steps_folder, "do nothing", "pass")


def _steps_file(step_texts: Sequence[str], steps_folder: str, what: str, body: str) -> FileText:
    """A file with one definition a step text, each matching that text and no other."""
    definitions = [
        # `\\Z` and not `$`, which matches before a line end at the end too.
        _STEP.format(pattern=re.escape(text) + r"\Z", number=number, body=body)
        for number, text in enumerate(step_texts, 1)
    ]
    path = f"{steps_folder}/testmark_steps.py"
    return FileText(path=path, content=_HEADER.format(what=what) + "".join(definitions))
