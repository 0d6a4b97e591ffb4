"""What a member owes and why, for paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterator, List

from library.members import Account, Member
from library.money import CURRENCY, format_amount


@dataclass(frozen=True)
class Line:
    """One change of an account and what was owed after it, in cents."""

    reason: str
    cents: int
    balance: int

    @property
    def is_payment(self) -> bool:
        """Whether money came in."""
        return self.cents < 0


def running(start: int = 0) -> Callable[[int], int]:
    """A function that adds each amount it is given and says the sum so far."""
    total = start

    def add(cents: int) -> int:
        nonlocal total
        total += cents
        return total

    return add


class Statement:
    """The lines of an account, in order."""

    WIDTH = 12

    def __init__(self, account: Account, currency: str = CURRENCY) -> None:
        add = running()
        self._lines = [Line(reason, cents, add(cents)) for reason, cents in account.history]
        self._currency = currency

    @classmethod
    def of(cls, member: Member, currency: str = CURRENCY) -> Statement:
        """The statement of a member's account."""
        return cls(member.account, currency)

    def __len__(self) -> int:
        return len(self._lines)

    def __iter__(self) -> Iterator[Line]:
        return iter(self._lines)

    @property
    def balance(self) -> int:
        """What is owed at the end, in cents."""
        return self._lines[-1].balance if self._lines else 0

    def paid(self) -> int:
        """What was paid in all, in cents."""
        return -sum(line.cents for line in self._lines if line.is_payment)

    def text(self) -> str:
        """A line for each change, the amount on the right, and the balance below."""
        rows: List[str] = [
            f"{line.reason[: self.WIDTH]:<{self.WIDTH}} {format_amount(line.cents, self._currency):>12}" for line in self
        ]
        rows.append(f"{'balance':<{self.WIDTH}} {format_amount(self.balance, self._currency):>12}")
        return "\n".join(rows)
