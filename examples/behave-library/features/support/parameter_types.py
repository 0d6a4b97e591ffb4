"""Parameter types that all step files use; no step definitions of its own."""

from datetime import date

import parse
from behave import register_type

from features.support.money import cents


@parse.with_pattern(r"\d{4}-\d{2}-\d{2}")
def parse_date(text):
    return date.fromisoformat(text)


@parse.with_pattern(r"\d+\.\d{2}")
def parse_money(text):
    return cents(text)


@parse.with_pattern(r"book|magazine|recording")
def parse_kind(text):
    return text


@parse.with_pattern(r"\d{9}[\dX]|\d{13}")
def parse_number(text):
    return text


register_type(Date=parse_date, Money=parse_money, Kind=parse_kind, Number=parse_number)
