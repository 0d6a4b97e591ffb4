"""Single items, through regular expressions and parse's cardinality fields."""

from behave import given, then, use_step_matcher, when

from library import Book, Item, Magazine, Recording
from library.catalogue import shelf_mark
from library.isbn import checksum10, checksum13, is_valid, to13

use_step_matcher("re")


@given(r'an? (?P<kind>book|magazine|recording) called "(?P<title>[^"]*)"(?: of (?P<year>\d+))?')
def an_item(context, kind, title, year):
    context.item = Item.of_kind(kind, title, year=int(year or 2000))


@when(r'its title becomes "(?P<title>[^"]*)"')
def set_title(context, title):
    try:
        context.item.title = title
    except ValueError as error:
        context.error = error


@when(r"its year becomes (?P<year>\d+)")
def set_year(context, year):
    try:
        context.item.year = int(year)
    except ValueError as error:
        context.error = error


@then(r'its title is "(?P<title>[^"]*)"')
def title_is(context, title):
    assert context.item.title == title


@then(r"its year is (?P<year>\d+)")
def year_is(context, year):
    assert context.item.year == int(year)


@then(r'it sorts as "(?P<key>[^"]*)"')
def sorts_as(context, key):
    assert context.item.sort_key[0] == key
    assert context.item.sort_key is context.item.sort_key  # computed once


@then(r'its label reads "(?P<text>[^"]*)"')
def label_reads(context, text):
    assert context.item.describe() == text, context.item.describe()


@then(r'it shows itself as "(?P<text>[^"]*)"')
def shows_itself(context, text):
    assert repr(context.item) == text, repr(context.item)


@then(r'it stands at "(?P<mark>[^"]*)"')
def stands_at(context, mark):
    assert shelf_mark(context.item) == mark


@when(r"an item of the kind (?P<kind>\w+) is made")
def make_kind(context, kind):
    try:
        context.item = Item.of_kind(kind, "X")
    except ValueError as error:
        context.error = error


use_step_matcher("cfparse")


@given('a book of {pages:d} pages')
def book_of_pages(context, pages):
    context.item = Book("Pages", pages=pages)


@given('a book with the ISBN "{isbn}"')
def book_with_isbn(context, isbn):
    context.item = Book("Numbered", isbn=isbn)


@when('a book with the ISBN "{isbn}" is made')
def make_book(context, isbn):
    try:
        context.item = Book("Numbered", isbn=isbn)
    except ValueError as error:
        context.error = error


@then('its ISBN is "{isbn}"')
def isbn_is(context, isbn):
    assert context.item.isbn == isbn, context.item.isbn


@given('a recording of {minutes:d} minutes')
def recording_of(context, minutes):
    context.item = Recording("Sound", minutes=minutes)


@given('issue {issue:d} of the magazine "{title}" of {year:d}')
def magazine_issue(context, issue, title, year):
    context.item = Magazine(title, year=year, issue=issue)


@then('its sort key cannot be set')
def key_is_fixed(context):
    try:
        context.item.sort_key = "other"
    except AttributeError as error:
        assert str(error) == "can't set sort_key", str(error)
    else:
        raise AssertionError(context.item.sort_key)


@then('it equals the {kind} "{title}" of {year:d}')
def equals(context, kind, title, year):
    twin = Item.of_kind(kind, title, year=year)
    assert context.item == twin
    assert hash(context.item) == hash(twin)


@then('it differs from the {kind} "{title}" of {year:d}')
def differs(context, kind, title, year):
    assert context.item != Item.of_kind(kind, title, year=year)
    assert context.item != title


@then('it may be kept {days:d} days')
def kept(context, days):
    assert context.item.loan_period == days


@then('{minutes:d} minutes read "{text}"')
def clock(context, minutes, text):
    assert Recording.clock(minutes) == text


@then('"{text}" is {answer} ISBN')
def isbn(context, text, answer):
    assert is_valid(text) is (answer == "an"), text


@then('the check digits of "{ten}" and "{thirteen}" are "{first}" and "{second}"')
def check_digits(context, ten, thirteen, first, second):
    assert checksum10(ten) == first
    assert checksum13(thirteen) == second


@then('"{ten}" becomes "{thirteen}"')
def becomes(context, ten, thirteen):
    assert to13(ten) == thirteen
    assert to13(thirteen) == thirteen


@then('the ISBNs {numbers:Number+} have {count:d} digits')
def have_digits(context, numbers, count):
    assert all(len(to13(number)) == count for number in numbers)


use_step_matcher("parse")
