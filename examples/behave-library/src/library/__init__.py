"""A small lending library: items, members, loans, fines, reservations, search."""

from library.catalogue import Catalogue
from library.items import Book, Item, Magazine, Recording
from library.lending import Desk, LendingError
from library.members import Member

__all__ = ["Book", "Catalogue", "Desk", "Item", "LendingError", "Magazine", "Member", "Recording"]
