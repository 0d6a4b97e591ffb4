"""testmark: benchmarks of agents that write tests, built from real projects and judged by running the tests.

The verbs of the command line are functions here, with typed results: `build`, `run`, `evaluate`, `audit`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from testmark.api import audit, build, evaluate, run

__all__ = ["audit", "build", "evaluate", "run"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    # Loaded when used: `--help` must not pay for the judge.
    if name in __all__:
        from testmark import api

        return getattr(api, name)
    raise AttributeError(f"module 'testmark' has no attribute {name!r}")
