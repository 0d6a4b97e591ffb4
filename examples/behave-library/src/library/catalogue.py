"""What the library owns, and how to find it."""

from functools import singledispatch, singledispatchmethod

from library.items import Item


class Catalogue:
    """Items in the order of their titles."""

    def __init__(self, items=()):
        self._items = sorted(items)

    def add(self, item):
        """Add an item; one that is equal to a known one is refused."""
        if item in self._items:
            raise ValueError(f"{item.title} is in the catalogue already")
        self._items.append(item)
        self._items.sort()

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def __contains__(self, item):
        return any(known == item for known in self._items)

    @singledispatchmethod
    def __getitem__(self, key):
        raise TypeError(f"cannot look up {key!r}")

    @__getitem__.register
    def _(self, key: int):
        return self._items[key]

    @__getitem__.register
    def _(self, key: str):
        for item in self._items:
            if item.title.lower() == key.lower():
                return item
        raise KeyError(key)

    def search(self, words, kind=None):
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
    def _points(item, word):
        points = 0
        if word in item.title.lower():
            points += 3
        if word in item.creator.lower():
            points += 2
        if item.is_about(word):
            points += 1
        return points

    def between(self, first, last):
        """Items of the years from first through last."""
        for item in self._items:
            if first <= item.year <= last:
                yield item

    def by_decade(self):
        """How many items each decade has, by its first year."""
        counts = {}
        for item in self._items:
            decade = item.year // 10 * 10
            counts[decade] = counts.get(decade, 0) + 1
        return counts

    def page(self, number, size=10):
        """One page of the catalogue; the first is number 1."""
        if number < 1:
            raise ValueError("pages are numbered from 1")
        start = (number - 1) * size
        return self._items[start : start + size]


@singledispatch
def shelf_mark(thing):
    """Where a thing stands."""
    raise TypeError(f"no shelf for {thing!r}")


@shelf_mark.register
def _(thing: Item):
    return f"{thing.label[0].upper()}-{thing.sort_key[0][:3].upper()}"


@shelf_mark.register
def _(thing: str):
    return f"?-{thing[:3].upper()}"
