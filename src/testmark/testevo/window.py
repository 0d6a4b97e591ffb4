"""Dates of a window as a person gives them."""

from __future__ import annotations

from datetime import UTC, datetime, time

from testmark.errors import UserError


def window(
    since: datetime | None, after: datetime | None, until: datetime | None
) -> tuple[datetime | None, datetime | None]:
    """First and last moment, in UTC; raises `UserError` where nothing can lie between them."""
    low, high = _latest(since, after), _end_of_day(until)
    if low is not None and high is not None and low > high:
        raise UserError(f"the window ends ({high:%Y-%m-%d}) before it begins ({low:%Y-%m-%d}); correct its dates")
    return low, high


def _latest(*dates: datetime | None) -> datetime | None:
    """The latest of the dates that are given, in UTC."""
    given = [date.replace(tzinfo=UTC) for date in dates if date is not None]
    return max(given, default=None)


def _end_of_day(date: datetime | None) -> datetime | None:
    """A date without a time of day means the whole day."""
    if date is None:
        return None
    whole = datetime.combine(date.date(), time.max, UTC)
    return whole if date.time() == time.min else date.replace(tzinfo=UTC)
