"""Amounts of money as text. Inside the library all money is whole cents."""

from __future__ import annotations

import re

CURRENCY = "EUR"
_AMOUNT = re.compile(r"(?P<sign>-?)(?P<whole>\d+)(?:[.,](?P<part>\d{1,2}))?")


class AmountError(ValueError):
    """A text that is no amount of money."""


def parse_amount(text: str) -> int:
    """Cents of a text such as `3`, `3.5`, `3,50` or `-0.05`."""
    match = _AMOUNT.fullmatch(text.strip())
    if match is None:
        raise AmountError(f"{text!r} is not an amount")
    cents = int(match["whole"]) * 100 + int((match["part"] or "").ljust(2, "0"))
    return -cents if match["sign"] else cents


def format_amount(cents: int, currency: str = CURRENCY) -> str:
    """An amount with two decimals and its currency; a minus sign stands before it."""
    sign = "-" if cents < 0 else ""
    whole, part = divmod(abs(cents), 100)
    return f"{sign}{whole}.{part:02d} {currency}"
