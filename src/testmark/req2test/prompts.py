"""The text that an agent gets with its view."""

from __future__ import annotations

from testmark.records.dataset import InstanceRow
from testmark.records.definition import LayoutTable

_TEMPLATE = """\
# Task: write the executable test of one Requirement

This folder is a runnable workspace of the project `{project}`. The Requirement is the {kind} at line {line} of
`{feature_path}`. Its step definitions are missing: write them for {framework}, with whatever helper code they need, in
Python files below {test_roots} (step definitions belong into the `steps` folder that {framework} loads).

Your test is run against the project's real code and against copies of it that each hold one fault. It should pass on
the real code and fail on every faulty copy, so check the values and effects that the Requirement states.

- The bodies of the methods under test are hidden here (`raise NotImplementedError`). The real code has them.
- Only files below {test_roots} are taken. Hooks, support code, configuration and features are restored before the run.
- Other step files in this folder are not loaded with yours when it is judged; you may import helpers from them. Running
  {framework} here does load them: a step that one of them defines too is ambiguous then, and is not when it is judged.

## Requirement

Feature: {title}
{narrative}{background}
{gherkin}

## Production interfaces that the Requirement targets

{interfaces}
"""


def task_prompt(row: InstanceRow, layout: LayoutTable) -> str:
    """The prompt of an instance; the same text is in the workspace's `TASK.md`."""
    narrative = f"{row.feature.narrative}\n" if row.feature.narrative else ""
    background = f"\n{row.feature.background}\n" if row.feature.background else ""
    interfaces = "\n\n".join(
        f"`{'.'.join(target.key)}`\n\n```{row.language}\n{target.declaration}\n```" for target in row.target_interfaces
    )
    return _TEMPLATE.format(
        project=row.project,
        kind="Scenario Outline" if row.scenario.kind == "outline" else "Scenario",
        line=row.scenario.line,
        feature_path=row.feature.file_path,
        framework=row.framework,
        test_roots=" or ".join(f"`{root}/`" for root in layout.test_roots),
        title=row.feature.title,
        narrative=narrative,
        background=background,
        gherkin=row.scenario.gherkin,
        interfaces=interfaces or "(none were identified)",
    )
