"""Who borrows."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import Dict, Iterator, List, Tuple

from library.items import Item

log = logging.getLogger(__name__)

BLOCKED_FROM = 1000


class Level(Enum):
    """What a member may do."""

    CHILD = "child"
    ADULT = "adult"
    STAFF = "staff"

    @property
    def limit(self) -> int:
        """How many items at a time."""
        return {Level.CHILD: 3, Level.ADULT: 5, Level.STAFF: 20}[self]

    def pays_fines(self) -> bool:
        """Children and staff do not."""
        return self is Level.ADULT


@dataclass
class Account:
    """Money owed, in cents, with what changed it."""

    owed: int = 0
    history: List[Tuple[str, int]] = field(default_factory=list)

    def charge(self, cents: int, reason: str) -> int:
        """Owe more; nothing is charged for nothing."""
        if cents <= 0:
            return self.owed
        self.owed += cents
        self.history.append((reason, cents))
        log.info("charged %s for %s", cents, reason)
        return self.owed

    def pay(self, cents: int) -> int:
        """Pay; what is too much comes back."""
        if cents < 0:
            raise ValueError("a payment cannot be negative")
        paid = min(cents, self.owed)
        self.owed -= paid
        self.history.append(("payment", -paid))
        return cents - paid

    def __add__(self, other: Account) -> Account:
        return Account(self.owed + other.owed, self.history + other.history)


class Member:
    """A member with an account and the items at home."""

    def __init__(self, name: str, level: Level = Level.ADULT) -> None:
        self.name = name
        self.level = level
        self.account = Account()
        self._loans: Dict[Item, date] = {}

    @property
    def loans(self) -> Dict[Item, date]:
        """Items at home with the day each is due."""
        return dict(self._loans)

    @property
    def is_blocked(self) -> bool:
        """Owing ten or more blocks an adult."""
        return self.level.pays_fines() and self.account.owed >= BLOCKED_FROM

    def may_borrow(self) -> bool:
        """Not blocked and below the limit."""
        return not self.is_blocked and len(self._loans) < self.level.limit

    def take(self, item: Item, due: date) -> None:
        """Take an item home, or keep it until another day."""
        self._loans[item] = due

    def give_back(self, item: Item) -> date:
        """Bring an item back: the day it was due."""
        return self._loans.pop(item)

    def overdue(self, today: date) -> Iterator[Item]:
        """Items that should be back by now, the longest overdue first."""
        late = [(due, item) for item, due in self._loans.items() if due < today]
        for _, item in sorted(late, key=lambda pair: pair[0]):
            yield item
