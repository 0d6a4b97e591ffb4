"""Dates of a window as a person gives them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from testmark.errors import UserError
from testmark.testevo.window import window


def day(text: str) -> datetime:
    """As the command line gives it: without a time zone."""
    return datetime.fromisoformat(text)


def test_a_window_begins_at_the_later_date_and_ends_with_its_last_day() -> None:
    low, high = window(day("2024-01-01"), day("2024-02-01"), day("2024-02-01"))
    assert low == datetime(2024, 2, 1, tzinfo=UTC)
    assert high == datetime(2024, 2, 1, 23, 59, 59, 999999, tzinfo=UTC)
    assert window(None, None, day("2024-02-01T12:00"))[1] == datetime(2024, 2, 1, 12, tzinfo=UTC)
    assert window(None, None, None) == (None, None)


def test_a_window_that_ends_before_it_begins_is_a_mistake() -> None:
    with pytest.raises(UserError, match=r"ends \(2024-01-31\) before it begins \(2024-02-01\)"):
        window(None, day("2024-02-01"), day("2024-01-31"))
