"""The desk: lending, returning, fines and reservations. Today is always passed in."""

from datetime import timedelta
from functools import wraps

MAX_FINE = 500
GRACE_DAYS = 1


class LendingError(Exception):
    """What the desk refuses, and why."""


def counted(method):
    """Count the calls of a method that came to their end, under its name."""

    @wraps(method)
    def wrapper(self, *arguments, **keywords):
        result = method(self, *arguments, **keywords)
        self.counts[method.__name__] = self.counts.get(method.__name__, 0) + 1
        return result

    return wrapper


def fine_for(item, days_late, maximum=MAX_FINE):
    """Cents: the first day is free, and no fine is above the maximum."""
    if days_late <= GRACE_DAYS:
        return 0
    return min(maximum, (days_late - GRACE_DAYS) * item.daily_fine)


def working_days(start, end):
    """Days from start up to, not including, end on which the library is open: all but Sundays."""
    day = start
    while day < end:
        if day.weekday() != 6:
            yield day
        day += timedelta(days=1)


class Desk:
    """Lends the items of a catalogue."""

    def __init__(self, catalogue):
        self.catalogue = catalogue
        self.counts = {}
        self._borrowers = {}
        self._queues = {}
        self._open = False

    def __enter__(self):
        self._open = True
        return self

    def __exit__(self, kind, error, traceback):
        self._open = False
        return kind is not None and issubclass(kind, KeyError)

    @property
    def is_open(self):
        """Whether the desk takes items."""
        return self._open

    def is_available(self, item):
        """In the catalogue and at nobody's home."""
        return item in self.catalogue and item not in self._borrowers

    @counted
    def lend(self, item, member, today):
        """Lend an item: the day it is due."""
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
    def take_back(self, item, today):
        """Take an item back: the fine in cents."""
        try:
            member = self._borrowers.pop(item)
        except KeyError:
            raise LendingError(f"{item.title} was not lent") from None
        due = member.give_back(item)
        days_late = (today - due).days
        fine = fine_for(item, days_late) if member.level.pays_fines() else 0
        member.account.charge(fine, item.title)
        return fine

    def extend(self, item, today, days=14):
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

    def reserve(self, item, member):
        """Queue for an item: the place in the queue, counted from 1."""
        queue = self._queues.setdefault(item, [])
        if member in queue:
            raise LendingError(f"{member.name} has reserved {item.title} already")
        queue.append(member)
        return len(queue)

    def waiting(self, item):
        """Names of those who wait, in order."""
        return [member.name for member in self._queues.get(item, [])]

    def reminders(self, members, today):
        """One line for each overdue item of each member."""
        for member in members:
            for item in member.overdue(today):
                days = (today - member.loans[item]).days
                plural = "" if days == 1 else "s"
                yield f"{member.name}: {item.title} is {days} day{plural} late"
