"""Each combination of the four cells has its class, and each reason to leave is given for what it says."""

from __future__ import annotations

import pytest

from testmark.records.tasks import CoverageGain
from testmark.testevo.classify import MEANINGS, Matrix, matrix, new_on_new
from testmark.testevo.variants import Cell

PASS, FAIL, CMPL = Cell("Pass", ""), Cell("ExecFail", "expected 1"), Cell("CmplFail", "cannot find symbol")
FLAKY, SKIPPED, INFRA = (Cell(None, "1 of 3", "flaky"), Cell(None, "off", "skipped"), Cell(None, "lost", "infra"))


def gain(net: int) -> CoverageGain:
    return CoverageGain(
        denominator=10, baseline_covered=4, developer_covered=4 + net, gained=max(net, 0), lost=max(-net, 0), net=net,
        gain=net / 10, status="gain" if net > 0 else "loss" if net < 0 else "no-gain", version="rev2",
    )  # fmt: skip


CASES = [
    # old on old, old on new, new on old, gain, track, reason
    (None, None, FAIL, None, "generation", ""),
    (None, None, CMPL, None, "generation", ""),
    (None, None, PASS, None, None, "passes-on-old"),
    (PASS, FAIL, FAIL, None, "update", ""),
    (PASS, CMPL, CMPL, None, "update", ""),
    (PASS, FAIL, PASS, None, None, "not-discriminating"),
    (FAIL, FAIL, FAIL, None, None, "old-test-fails"),
    (CMPL, PASS, FAIL, 2, None, "old-test-fails"),
    (PASS, PASS, FAIL, 2, "refinement", ""),
    (PASS, PASS, PASS, 2, "refinement", ""),
    (PASS, PASS, FAIL, 0, None, "no-gain"),
    (PASS, PASS, FAIL, -1, None, "no-gain"),
    (PASS, PASS, PASS, 0, None, "no-update-needed"),
    (FLAKY, PASS, FAIL, 2, None, "flaky"),
    (PASS, FLAKY, FAIL, None, None, "flaky"),
    (None, None, FLAKY, None, None, "flaky"),
    (None, None, INFRA, None, None, "infra"),
    (SKIPPED, FAIL, FAIL, None, None, "old-test-fails"),
]


@pytest.mark.parametrize(("old_on_old", "old_on_new", "new_on_old", "net", "track", "reason"), CASES)
def test_the_four_cells_decide(old_on_old, old_on_new, new_on_old, net, track, reason) -> None:
    found = matrix(Matrix(old_on_old, old_on_new, new_on_old, PASS), gain(net) if net is not None else None)
    assert (found.track, found.reason) == (track, reason)


@pytest.mark.parametrize(
    ("cell", "reason"),
    [(FAIL, "new-test-fails"), (CMPL, "new-test-fails"), (FLAKY, "flaky"), (SKIPPED, "skipped"), (INFRA, "infra")],
)
def test_a_new_test_that_is_no_reference_leaves(cell: Cell, reason: str) -> None:
    found = new_on_new(cell)
    assert found is not None
    assert found.reason == reason
    assert new_on_new(PASS) is None


def test_every_reason_is_explained() -> None:
    given = {reason for *_, reason in CASES if reason} | {"new-test-fails", "skipped"}
    assert given <= set(MEANINGS)
