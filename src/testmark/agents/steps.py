"""Step definitions that need no model: they match each step text, and do nothing or fail."""

from __future__ import annotations

import re
from collections.abc import Sequence

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


def idle_steps(step_texts: Sequence[str], steps_folder: str) -> FileText:
    """Definitions that do nothing: what they seem to notice, hooks and other support code noticed."""
    return _steps_file(step_texts, steps_folder, "do nothing", "pass")


def failing_steps(step_texts: Sequence[str], steps_folder: str) -> FileText:
    """Definitions that fail."""
    return _steps_file(step_texts, steps_folder, "fail", "assert False")


def _steps_file(step_texts: Sequence[str], steps_folder: str, what: str, body: str) -> FileText:
    """A file with one definition a step text, each matching that text and no other."""
    definitions = [
        # `\\Z` and not `$`, which matches before a line end at the end too.
        _STEP.format(pattern=re.escape(text) + r"\Z", number=number, body=body)
        for number, text in enumerate(step_texts, 1)
    ]
    path = f"{steps_folder}/testmark_steps.py"
    return FileText(path=path, content=_HEADER.format(what=what) + "".join(definitions))
