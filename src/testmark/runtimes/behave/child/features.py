"""What behave's own parser makes of a feature file, to compare with the official parser."""

from __future__ import annotations

from typing import Any

from behave.parser import parse_file


def pickles(path: str) -> Any:
    """One entry for each Scenario and Examples row; a string when behave cannot parse the file."""
    try:
        feature = parse_file(path)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if feature is None:
        return []
    return [
        [scenario.line, [[step.line, step.name] for step in scenario.all_steps]]
        for scenario in feature.walk_scenarios()
    ]
