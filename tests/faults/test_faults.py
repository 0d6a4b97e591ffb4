"""Every fault of the table: one clear sentence, the right exit code, nothing lost and nothing left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.conftest import Shared
from tests.faults.fault import Fault, carry_out
from tests.faults.place import TOP
from tests.faults.table import TABLE

FAULTS = [fault for faults in TABLE.values() for fault in faults]
# Each group has a worker and a benchmark of its own, so two of them keep two cores busy.
ROWS = [
    pytest.param(fault, id=fault.name, marks=pytest.mark.xdist_group(f"faults{number % 2}"))
    for number, fault in enumerate(FAULTS)
]


@pytest.mark.parametrize("fault", ROWS)
def test_each_fault_is_answered(fault: Fault, shared: Shared, tmp_path: Path) -> None:
    if fault.needs():
        pytest.skip(fault.needs())
    answer = carry_out(fault, shared(), tmp_path / "place")
    assert fault.complaints(answer) == [], answer.printed


def test_the_document_has_a_row_for_every_fault() -> None:
    lines = (TOP / "docs/faults.md").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ")[0].removeprefix("| ") for line in lines if line.startswith("| ")]
    assert [row for row in rows if row != "fault"] == [fault.name for fault in FAULTS]
