"""What must hold before figures mean anything: of a build, and of what the agents that ship score."""

from __future__ import annotations

from testmark.agents.gates import Gates
from testmark.records.kit import Dropped
from testmark.records.results import METRICS
from testmark.req2test.build import BuildReport

_ZERO = dict.fromkeys(METRICS, 0.0)
GATES: Gates = {
    "reference": dict.fromkeys(METRICS, 1.0),
    "empty": _ZERO,
    "always-fail": _ZERO,
    # It may fail where hooks need what steps do, so Pass@1 is no gate.
    "always-pass": {metric: 0.0 for metric in METRICS if metric != "pass_at_1"},
}


def nothing_built(report: BuildReport) -> str:
    """Why a build holds no instance, in one sentence; empty when it holds one."""
    if report.summary.full:
        return ""
    with (report.bench / "dropped.jsonl").open(encoding="utf-8") as lines:
        gone = [drop for drop in map(Dropped.from_json, lines) if drop.kind != "mutant"]
    if gone:
        detail = f" ({' '.join(gone[0].detail.split())})" if gone[0].detail else ""
        more = f" and {len(gone) - 1} more, see dropped.jsonl" if len(gone) > 1 else ""
        why = f"{gone[0].id} was dropped as {gone[0].rule}{detail}{more}; mend that and run the same command again"
    elif report.scan.ready:
        why = "none is selected; correct --only or --limit"
    else:
        why = "there is no Scenario in the Features; correct `features` in [layout]"
    return f"{report.bench}: holds no instance: {why}"
