"""Dates of a window as a person gives them."""

from __future__ import annotations

from datetime import UTC, datetime, time


def latest(*dates: datetime | None) -> datetime | None:
    """The latest of the dates that are given, in UTC."""
    given = [date.replace(tzinfo=UTC) for date in dates if date is not None]
    return max(given, default=None)


def end_of_day(date: datetime | None) -> datetime | None:
    """A date without a time of day means the whole day."""
    if date is None:
        return None
    whole = datetime.combine(date.date(), time.max, UTC)
    return whole if date.time() == time.min else date.replace(tzinfo=UTC)
