"""The benchmarks whose results there are reports for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from testmark.errors import UserError
from testmark.reports.req2test import REQ2TEST
from testmark.reports.shown import Benchmark
from testmark.reports.testevo import TESTEVO

_BENCHMARKS: dict[str, Benchmark[Any, Any]] = {one.name: one for one in (REQ2TEST, TESTEVO)}


def benchmark_of(name: str, place: Path) -> Benchmark[Any, Any]:
    """The benchmark of this name; raises `UserError` for an unknown one, which the file `place` names."""
    found = _BENCHMARKS.get(name)
    if found is None:
        raise UserError(f"{place}: is of the benchmark `{name}`; there are reports for {', '.join(_BENCHMARKS)}")
    return found
