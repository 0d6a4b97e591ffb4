"""testmark: benchmarks of agents that write tests, built from real projects and judged by running the tests.

The verbs of the command line are functions here, with typed results; `docs/notebook.md` shows them at work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from testmark.api import audit, build, check_leaks, compare, evaluate, load_results, prepare, report, run, scan

__all__ = ["audit", "build", "check_leaks", "compare", "evaluate", "load_results", "prepare", "report", "run", "scan"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    # Loaded when used: `--help` must not pay for the judge.
    if name in __all__:
        from testmark import api

        return getattr(api, name)
    raise AttributeError(f"module 'testmark' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
