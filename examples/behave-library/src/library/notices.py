"""Letters to members, some of them sent without waiting."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import Callable, Iterable, List, Optional

from library.members import Member

_LETTER = "Dear {name},\nplease bring back {titles}."


def join_titles(titles: Iterable[str]) -> str:
    """Titles as a phrase: "A", "A and B", "A, B and C"."""
    titles = list(titles)
    if not titles:
        return "nothing"
    if len(titles) == 1:
        return titles[0]
    return ", ".join(titles[:-1]) + " and " + titles[-1]


def letter(member: Member, today: date) -> Optional[str]:
    """The letter to a member with overdue items, or None."""
    titles = [item.title for item in member.overdue(today)]
    if not titles:
        return None
    return _LETTER.format(name=member.name, titles=join_titles(titles))


def make_counter(start: int = 0, step: int = 1) -> Callable[[], int]:
    """A function that counts up at each call."""
    current = start

    def count() -> int:
        nonlocal current
        current += step
        return current

    return count


class Post:
    """Sends letters and keeps what was sent."""

    def __init__(self, limit: int = 2) -> None:
        self.sent: List[str] = []
        self._limit = limit
        self._next = make_counter()

    async def send(self, text: str) -> int:
        """Send one letter: its number."""
        await asyncio.sleep(0)
        self.sent.append(text)
        return self._next()

    async def send_all(self, texts: Iterable[Optional[str]]) -> List[int]:
        """Send letters up to the limit: their numbers."""
        numbers: List[int] = []
        for text in texts:
            if text is None:
                continue
            if len(numbers) >= self._limit:
                break
            numbers.append(await self.send(text))
        return numbers
