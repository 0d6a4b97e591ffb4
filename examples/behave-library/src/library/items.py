"""What can be lent."""

from __future__ import annotations

from typing import Any, ClassVar, Dict, Iterable, Optional, Tuple, Type

from library.fields import Between, cached
from library.isbn import is_valid, to13

ARTICLES = ("a", "an", "the")


class Item:
    """Something with a title; kinds register themselves by their label.

    Equal are items of one kind that sort alike. Change title or year before an item enters a catalogue, not after.
    """

    kinds: ClassVar[Dict[str, Type[Item]]] = {}
    label = "item"
    loan_days = 14
    daily_fine = 10
    year = Between(1450, 2100, forgets=["sort_key"])

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        Item.kinds[cls.label] = cls

    def __init__(self, title: str, creator: str = "", year: int = 2000, subjects: Iterable[str] = ()) -> None:
        self.title = title
        self.creator = creator
        self.year = year
        self.subjects = tuple(subjects)

    @classmethod
    def of_kind(cls, label: str, *arguments: Any, **keywords: Any) -> Item:
        """An item of the kind that is registered under the label."""
        try:
            kind = Item.kinds[label]
        except KeyError:
            raise ValueError(f"there is no kind of item called {label}") from None
        return kind(*arguments, **keywords)

    @property
    def title(self) -> str:
        """The title without superfluous white space."""
        return self._title

    @title.setter
    def title(self, value: str) -> None:
        value = " ".join(value.split())
        if not value:
            raise ValueError("an item needs a title")
        self._title = value
        del self.sort_key

    @cached
    def sort_key(self) -> Tuple[str, int]:
        """What catalogues sort by: the title without a leading article, in small letters, then the year."""
        words = self.title.lower().split()
        if len(words) > 1 and words[0] in ARTICLES:
            words = words[1:]
        return " ".join(words), self.year

    @property
    def loan_period(self) -> int:
        """Days that the item may be kept."""
        return self.loan_days

    def describe(self) -> str:
        """One line for a shelf label."""
        creator = f" by {self.creator}" if self.creator else ""
        return f"{self.title}{creator} ({self.year})"

    def is_about(self, subject: str) -> bool:
        """Whether the subject is among the item's subjects, whatever the case."""
        return subject.lower() in [known.lower() for known in self.subjects]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Item):
            return NotImplemented
        return (self.label, self.sort_key) == (other.label, other.sort_key)

    def __hash__(self) -> int:
        return hash((self.sort_key, self.label))

    def __lt__(self, other: Item) -> bool:
        return self.sort_key < other.sort_key

    def __repr__(self) -> str:
        return f"<{self.label} {self.title!r}>"


class Book(Item):
    """A book, perhaps with an ISBN."""

    label = "book"
    loan_days = 28
    LONG = 400

    def __init__(
        self,
        title: str,
        creator: str = "",
        year: int = 2000,
        subjects: Iterable[str] = (),
        isbn: Optional[str] = None,
        pages: int = 0,
    ) -> None:
        super().__init__(title, creator, year, subjects)
        if isbn is not None and not is_valid(isbn):
            raise ValueError(f"{isbn} is not an ISBN")
        self.isbn = to13(isbn) if isbn is not None else None
        self.pages = pages

    @property
    def is_long(self) -> bool:
        """More than four hundred pages."""
        return self.pages > self.LONG

    @property
    def loan_period(self) -> int:
        """Days: a long book may be kept a week longer."""
        return super().loan_period + (7 if self.is_long else 0)


class Magazine(Item):
    """One issue of a magazine."""

    label = "magazine"
    loan_days = 7
    daily_fine = 5

    def __init__(
        self, title: str, creator: str = "", year: int = 2000, subjects: Iterable[str] = (), issue: int = 1
    ) -> None:
        super().__init__(title, creator, year, subjects)
        self.issue = issue

    def describe(self) -> str:
        """With the number of the issue."""
        return f"{super().describe()}, no. {self.issue}"


class Recording(Item):
    """Music or speech, with its length in minutes."""

    label = "recording"
    daily_fine = 20

    def __init__(
        self, title: str, creator: str = "", year: int = 2000, subjects: Iterable[str] = (), minutes: int = 0
    ) -> None:
        super().__init__(title, creator, year, subjects)
        self.minutes = minutes

    @property
    def loan_period(self) -> int:
        """Days: short ones come back sooner."""
        return self.loan_days // 2 if self.minutes < 30 else self.loan_days

    @staticmethod
    def clock(minutes: int) -> str:
        """Minutes as hours and minutes."""
        return f"{minutes // 60}:{minutes % 60:02d}"
