"""What the library owns, and how to find it."""

from __future__ import annotations

from functools import singledispatch, singledispatchmethod
from typing import Any, Dict, Iterable, Iterator, List, Optional

from library.items import Item


class Catalogue:
    """Items in the order of their titles."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._items = sorted(items)

    def add(self, item: Item) -> None:
        """Add an item; one that is equal to a known one is refused."""
        if item in self._items:
            raise ValueError(f"{item.title} is in the catalogue already")
        self._items.append(item)
        self._items.sort()

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __contains__(self, item: object) -> bool:
        return any(known == item for known in self._items)

    def __add__(self, other: Catalogue) -> Catalogue:
        """Both catalogues in one; what is in both comes once."""
        return Catalogue([*self._items, *(item for item in other if item not in self)])

    @singledispatchmethod
    def __getitem__(self, key: Any) -> Any:
        raise TypeError(f"cannot look up {key!r}")

    @__getitem__.register
    def _(self, key: int) -> Item:
        return self._items[key]

    @__getitem__.register
    def _(self, key: str) -> Item:
        for item in self._items:
            if item.title.lower() == key.lower():
                return item
        raise KeyError(key)

    def search(self, words: str, kind: Optional[str] = None) -> List[Item]:
        """Items that hold all words in title, creator or subjects, the best first.

        A word in the title counts three, in the creator two, in the subjects one.
        """
        wanted = words.lower().split()
        found = []
        for item in self._items:
            if kind is not None and item.label != kind:
                continue
            points = [self._points(item, word) for word in wanted]
            if wanted and all(points):
                found.append((-sum(points), item.sort_key, item))
        return [item for _, _, item in sorted(found, key=lambda entry: entry[:2])]

    @staticmethod
    def _points(item: Item, word: str) -> int:
        points = 0
        if word in item.title.lower():
            points += 3
        if word in item.creator.lower():
            points += 2
        if item.is_about(word):
            points += 1
        return points

    def between(self, first: int, last: int) -> Iterator[Item]:
        """Items of the years from first through last."""
        for item in self._items:
            if first <= item.year <= last:
                yield item

    def by_decade(self) -> Dict[int, int]:
        """How many items each decade has, by its first year."""
        counts: Dict[int, int] = {}
        for item in self._items:
            decade = item.year // 10 * 10
            counts[decade] = counts.get(decade, 0) + 1
        return counts

    def page(self, number: int, size: int = 10) -> List[Item]:
        """One page of the catalogue; the first is number 1."""
        if number < 1:
            raise ValueError("pages are numbered from 1")
        start = (number - 1) * size
        return self._items[start : start + size]


@singledispatch
def shelf_mark(thing: Any) -> str:
    """Where a thing stands; a title without an item stands nowhere yet."""
    raise TypeError(f"no shelf for {thing!r}")


@shelf_mark.register
def _(thing: Item) -> str:
    return f"{thing.label[0].upper()}-{thing.sort_key[0][:3].upper()}"


@shelf_mark.register
def _(thing: str) -> str:
    return f"?-{thing[:3].upper()}"
