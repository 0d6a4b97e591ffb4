"""What the agents that ship must score before figures of a benchmark mean anything (gold and null)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from testmark.records.results import AgentRun, Summary

Gates = Mapping[str, Mapping[str, float]]
"""By agent, what each metric must be."""


def failed_gates(predictions: Path, summary: Summary, gates: Gates) -> list[str]:
    """One sentence for each metric of a shipped agent's run folder that is not what it must be; else nothing.

    A metric that no task has, where all are `infra` say, fails no gate.
    """
    try:
        agent = AgentRun.from_json((predictions / "run.json").read_bytes()).agent
    except (OSError, ValidationError):
        # A file of predictions, not the folder of a run: it may be anyone's.
        return []
    return [
        f"gate failed: {metric} of `{agent}` is {found.value:.6g} and must be {expected:.0f}; "
        "do not publish figures of this benchmark before you know why"
        for metric, expected in gates.get(agent, {}).items()
        if (found := summary.metrics[metric]).n and found.value != expected
    ]
