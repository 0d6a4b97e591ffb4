"""What the agents that ship must score on every benchmark: the gold gate and the null gates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from testmark.records.results import METRICS, AgentRun, Summary

_ZERO = dict.fromkeys(METRICS, 0.0)
GATES: Mapping[str, Mapping[str, float]] = {
    "reference": dict.fromkeys(METRICS, 1.0),
    "empty": _ZERO,
    "always-fail": _ZERO,
    # It may fail where hooks need what steps do, so Pass@1 is no gate.
    "always-pass": {metric: 0.0 for metric in METRICS if metric != "pass_at_1"},
}


def failed_gates(predictions: Path, summary: Summary) -> list[str]:
    """One sentence for each metric of a shipped agent's run folder that is not what it must be; else nothing."""
    try:
        agent = AgentRun.from_json((predictions / "run.json").read_bytes()).agent
    except (OSError, ValidationError):
        # A file of predictions, not the folder of a run: it may be anyone's.
        return []
    return [
        f"gate failed: {metric} of `{agent}` is {summary.metrics[metric].value:.6g} and must be {expected:.0f}; "
        "do not publish figures of this benchmark before you know why"
        for metric, expected in GATES.get(agent, {}).items()
        if summary.metrics[metric].value != expected
    ]
