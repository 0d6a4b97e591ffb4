"""The table of faults: every row is a test, and a line of docs/faults.md."""

from __future__ import annotations

from tests.faults.fault import Fault
from tests.faults.in_benchmarks import BENCHMARKS
from tests.faults.in_machine import MACHINE
from tests.faults.in_predictions import FILES, PREDICTIONS
from tests.faults.in_projects import PROJECTS

TABLE: dict[str, tuple[Fault, ...]] = {
    "Files of predictions": FILES,
    "Single predictions": PREDICTIONS,
    "Projects": PROJECTS,
    "Benchmarks and results": BENCHMARKS,
    "The machine, agents, other processes": MACHINE,
}
