"""What can be lent."""

from library.fields import Between, cached
from library.isbn import is_valid, to13


class Item:
    """Something with a title; kinds register themselves by their label."""

    kinds = {}
    label = "item"
    loan_days = 14
    daily_fine = 10
    year = Between(1450, 2100)

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        Item.kinds[cls.label] = cls

    def __init__(self, title, creator="", year=2000, subjects=()):
        self.title = title
        self.creator = creator
        self.year = year
        self.subjects = tuple(subjects)

    @classmethod
    def of_kind(cls, label, *arguments, **keywords):
        """An item of the kind that is registered under the label."""
        try:
            kind = Item.kinds[label]
        except KeyError:
            raise ValueError(f"there is no kind of item called {label}") from None
        return kind(*arguments, **keywords)

    @property
    def title(self):
        """The title without white space around it."""
        return self._title

    @title.setter
    def title(self, value):
        value = " ".join(value.split())
        if not value:
            raise ValueError("an item needs a title")
        self._title = value

    @cached
    def sort_key(self):
        """What catalogues sort by: the title without a leading article, in small letters, then the year."""
        words = self.title.lower().split()
        if len(words) > 1 and words[0] in ("a", "an", "the"):
            words = words[1:]
        return " ".join(words), self.year

    def describe(self):
        """One line for a shelf label."""
        creator = f" by {self.creator}" if self.creator else ""
        return f"{self.title}{creator} ({self.year})"

    def is_about(self, subject):
        """Whether the subject is among the item's subjects, whatever the case."""
        return subject.lower() in [known.lower() for known in self.subjects]

    def __eq__(self, other):
        if not isinstance(other, Item):
            return NotImplemented
        return self.sort_key == other.sort_key and self.label == other.label

    def __hash__(self):
        return hash((self.sort_key, self.label))

    def __lt__(self, other):
        return self.sort_key < other.sort_key

    def __repr__(self):
        return f"<{self.label} {self.title!r}>"


class Book(Item):
    """A book, perhaps with an ISBN."""

    label = "book"
    loan_days = 28

    def __init__(self, title, creator="", year=2000, subjects=(), isbn=None, pages=0):
        super().__init__(title, creator, year, subjects)
        if isbn is not None and not is_valid(isbn):
            raise ValueError(f"{isbn} is not an ISBN")
        self.isbn = to13(isbn) if isbn is not None else None
        self.pages = pages

    @property
    def is_long(self):
        """More than four hundred pages."""
        return self.pages > 400

    @property
    def loan_period(self):
        """Days: a long book may be kept a week longer."""
        return self.loan_days + 7 if self.is_long else self.loan_days


class Magazine(Item):
    """One issue of a magazine."""

    label = "magazine"
    loan_days = 7
    daily_fine = 5

    def __init__(self, title, creator="", year=2000, subjects=(), issue=1):
        super().__init__(title, creator, year, subjects)
        self.issue = issue

    @property
    def loan_period(self):
        """Days, the same for every issue."""
        return self.loan_days

    def describe(self):
        """With the number of the issue."""
        return f"{super().describe()}, no. {self.issue}"


class Recording(Item):
    """Music or speech, with its length in minutes."""

    label = "recording"
    daily_fine = 20

    def __init__(self, title, creator="", year=2000, subjects=(), minutes=0):
        super().__init__(title, creator, year, subjects)
        self.minutes = minutes

    @property
    def loan_period(self):
        """Days: short ones come back sooner."""
        return self.loan_days // 2 if self.minutes < 30 else self.loan_days

    @staticmethod
    def clock(minutes):
        """Minutes as hours and minutes."""
        return f"{minutes // 60}:{minutes % 60:02d}"
