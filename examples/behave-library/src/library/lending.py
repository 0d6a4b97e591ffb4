"""The desk: lending, returning, fines and reservations. Today is always passed in."""

from __future__ import annotations

from datetime import date, timedelta
from functools import wraps
from types import TracebackType
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Type

from library.catalogue import Catalogue
from library.items import Item
from library.members import Member

MAX_FINE = 500
GRACE_DAYS = 1
SUNDAY = 6


class LendingError(Exception):
    """What the desk refuses, and why."""


def counted(method: Callable[..., Any]) -> Callable[..., Any]:
    """Count the calls of a method that came to their end, under its name."""

    @wraps(method)
    def wrapper(self: Desk, *arguments: Any, **keywords: Any) -> Any:
        result = method(self, *arguments, **keywords)
        self.counts[method.__name__] = self.counts.get(method.__name__, 0) + 1
        return result

    return wrapper


def fine_for(item: Item, days_late: int, maximum: int = MAX_FINE) -> int:
    """Cents: the first day is free, and no fine is above the maximum."""
    if days_late <= GRACE_DAYS:
        return 0
    return min(maximum, (days_late - GRACE_DAYS) * item.daily_fine)


def working_days(start: date, end: date) -> Iterator[date]:
    """Days from start up to, not including, end on which the library is open: all but Sundays."""
    day = start
    while day < end:
        if day.weekday() != SUNDAY:
            yield day
        day += timedelta(days=1)


class Desk:
    """Lends the items of a catalogue while it is open, which it is inside a `with` block."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.counts: Dict[str, int] = {}
        self._borrowers: Dict[Item, Member] = {}
        self._queues: Dict[Item, List[Member]] = {}
        self._open = False

    def __enter__(self) -> Desk:
        self._open = True
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], traceback: Optional[TracebackType]
    ) -> bool:
        """Close. What the desk refused ends the day without noise; every other error goes on."""
        self._open = False
        return kind is not None and issubclass(kind, LendingError)

    @property
    def is_open(self) -> bool:
        """Whether the desk lends."""
        return self._open

    def is_available(self, item: Item) -> bool:
        """In the catalogue and at nobody's home."""
        return item in self.catalogue and item not in self._borrowers

    @counted
    def lend(self, item: Item, member: Member, today: date) -> date:
        """Lend an item: the day it is due."""
        if not self._open:
            raise LendingError("the desk is closed")
        if item not in self.catalogue:
            raise LendingError(f"{item.title} is not in the catalogue")
        if item in self._borrowers:
            raise LendingError(f"{item.title} is lent")
        if not member.may_borrow():
            raise LendingError(f"{member.name} may not borrow")
        queue = self._queues.get(item, [])
        if queue and queue[0] is not member:
            raise LendingError(f"{item.title} is reserved")
        if queue:
            queue.pop(0)
        due = today + timedelta(days=item.loan_period)
        self._borrowers[item] = member
        member.take(item, due)
        return due

    @counted
    def take_back(self, item: Item, today: date) -> int:
        """Take an item back, also through the slot of a closed desk: the fine in cents."""
        try:
            member = self._borrowers.pop(item)
        except KeyError:
            raise LendingError(f"{item.title} was not lent") from None
        due = member.give_back(item)
        days_late = (today - due).days
        fine = fine_for(item, days_late) if member.level.pays_fines() else 0
        member.account.charge(fine, item.title)
        return fine

    def extend(self, item: Item, today: date, days: int = 14) -> date:
        """Keep an item longer, unless it is reserved or late: the new day."""
        member = self._borrowers.get(item)
        if member is None:
            raise LendingError(f"{item.title} was not lent")
        if self._queues.get(item):
            raise LendingError(f"{item.title} is reserved")
        due = member.loans[item]
        if today > due:
            raise LendingError(f"{item.title} is late")
        member.take(item, due + timedelta(days=days))
        return member.loans[item]

    def reserve(self, item: Item, member: Member) -> int:
        """Queue for an item: the place in the queue, counted from 1."""
        queue = self._queues.setdefault(item, [])
        if member in queue:
            raise LendingError(f"{member.name} has reserved {item.title} already")
        queue.append(member)
        return len(queue)

    def waiting(self, item: Item) -> List[str]:
        """Names of those who wait, in order."""
        return [member.name for member in self._queues.get(item, [])]

    def reminders(self, members: Iterable[Member], today: date) -> Iterator[str]:
        """One line for each overdue item of each member."""
        for member in members:
            for item in member.overdue(today):
                days = (today - member.loans[item]).days
                plural = "" if days == 1 else "s"
                yield f"{member.name}: {item.title} is {days} day{plural} late"
