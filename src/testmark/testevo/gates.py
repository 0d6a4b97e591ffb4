"""What the agents that ship must score on every benchmark of TestEvo."""

from __future__ import annotations

from testmark.agents.gates import Gates

GATES: Gates = {
    "reference": {"success": 1.0},
    "unrefined": {"success": 0.0},
    "empty": {"success": 0.0},
    "always-fail": {"success": 0.0},
    # `always-pass` is no gate: in a module that the old revision has not, no test passes on the old code.
}
