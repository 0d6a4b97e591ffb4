"""Letters to members, some of them sent without waiting."""

import asyncio

_LETTER = "Dear {name},\nplease bring back {titles}."


def join_titles(titles):
    """Titles as a phrase: "A", "A and B", "A, B and C"."""
    titles = list(titles)
    if not titles:
        return "nothing"
    if len(titles) == 1:
        return titles[0]
    return ", ".join(titles[:-1]) + " and " + titles[-1]


def letter(member, today):
    """The letter to a member with overdue items, or None."""
    titles = [item.title for item in member.overdue(today)]
    if not titles:
        return None
    return _LETTER.format(name=member.name, titles=join_titles(titles))


def make_counter(start=0, step=1):
    """A function that counts up at each call."""
    current = start

    def count():
        nonlocal current
        current += step
        return current

    return count


class Post:
    """Sends letters and keeps what was sent."""

    def __init__(self, limit=2):
        self.sent = []
        self._limit = limit
        self._next = make_counter()

    async def send(self, text):
        """Send one letter: its number."""
        await asyncio.sleep(0)
        self.sent.append(text)
        return self._next()

    async def send_all(self, texts):
        """Send letters up to the limit: their numbers."""
        numbers = []
        for text in texts:
            if text is None:
                continue
            if len(numbers) >= self._limit:
                break
            numbers.append(await self.send(text))
        return numbers
