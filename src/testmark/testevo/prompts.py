"""The text that an agent gets with its workspace."""

from __future__ import annotations

from collections.abc import Mapping

from testmark.records.evokit import EvoView
from testmark.records.tasks import Track

_TEMPLATE = """\
# Task: {title}

This folder is a git repository of the project `{project}` with two commits: the first is the code as it was, the
second, which is checked out, is the code as it is now. Only the test file below is judged; all else is restored.

| | |
|---|---|
| test file | `{test_file}` |
| test class | `{test_class}` |
| Maven module | `{module}` |
| test methods | {methods} |
| Java | {java} |

{what}

Build:

    {build}

Run the tests:

    {test}

`git diff HEAD~1 HEAD` shows what changed in the code. Beside passing, the tests are judged by the production lines that
they cover and by the faults that they notice: each runs against copies of the code that hold one fault.
"""
_TITLES: Mapping[Track, str] = {
    "update": "update tests that the new code has broken",
    "generation": "write tests for the new code",
    "refinement": "refine tests so that they cover more of the new code",
}
_WHAT: Mapping[Track, str] = {
    "update": "The test file is that of the old code, and these methods of it no longer hold. Update them: each must "
    "pass on the new code, and, run on the old code, fail.",
    "generation": "These methods do not exist yet. Write them, keeping whatever else the file holds: each must pass on "
    "the new code, and, run on the old code, fail.",
    "refinement": "The test file is that of the old code, and these methods of it pass on the new code too. Refine "
    "them: each must pass on the new code and cover more lines of the production methods that it is about.",
}


def task_prompt(view: EvoView) -> str:
    """The prompt of a task; the same text is in the workspace's `TASK.md`."""
    return _TEMPLATE.format(
        title=_TITLES[view.track],
        project=view.project,
        test_file=view.test_file,
        test_class=view.test_class,
        module=view.module,
        methods=", ".join(f"`{method}`" for method in view.methods),
        java=view.java_version,
        what=_WHAT[view.track],
        build=view.build_command,
        test=view.test_command,
    )
