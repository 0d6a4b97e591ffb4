"""The catalogue; other step files import `find_item` from here."""

from behave import given, then, when

from library import Book, Catalogue, Item
from library.catalogue import shelf_mark


def find_item(context, title):
    """The item of the catalogue with this title."""
    return context.catalogue[title]


def make_item(row):
    subjects = [part.strip() for part in row.get("subjects", "").split(",") if part.strip()]
    return Item.of_kind(row["kind"], row["title"], row["creator"], int(row["year"]), subjects)


@given("a catalogue with")
def catalogue_with(context):
    for row in context.table:
        context.catalogue.add(make_item(row))


@given('the book "{title}" of {year:d}')
def one_book(context, title, year):
    context.catalogue.add(Book(title, "Anon", year))


@when('the book "{title}" of {year:d} is added')
def add_book(context, title, year):
    try:
        context.catalogue.add(Book(title, "Anon", year))
    except ValueError as error:
        context.error = error


@then("the catalogue holds {count:d} items")
def holds(context, count):
    assert len(context.catalogue) == count, len(context.catalogue)


@then("the titles in order are")
def titles_in_order(context):
    assert [item.title for item in context.catalogue] == [row["title"] for row in context.table]


@then('it is refused because "{reason}"')
def refused(context, reason):
    assert context.error is not None
    assert str(context.error) == reason, str(context.error)


@when('someone searches for "{words}"')
def search(context, words):
    context.found = context.catalogue.search(words)


@when("someone searches for nothing at all")
def search_nothing(context):
    context.found = context.catalogue.search("  ")


@when('someone searches the {kind:Kind}s for "{words}"')
def search_kind(context, kind, words):
    context.found = context.catalogue.search(words, kind)


@then('the titles found are "{titles}"')
def found(context, titles):
    assert "; ".join(item.title for item in context.found) == titles, context.found


@then("nothing is found")
def nothing(context):
    assert context.found == []


@then('"{title}" is about "{subject}"')
def is_about(context, title, subject):
    assert find_item(context, title).is_about(subject) is True


@then('"{title}" is not about "{subject}"')
def is_not_about(context, title, subject):
    assert find_item(context, title).is_about(subject) is False


@when("page {number:d} is asked for, with {size:d} titles a page")
def ask_page(context, number, size):
    try:
        context.found = context.catalogue.page(number, size)
    except ValueError as error:
        context.error = error


@when("the items from {first:d} to {last:d} are listed")
def list_years(context, first, last):
    context.found = list(context.catalogue.between(first, last))


@then("the decades are")
def decades(context):
    assert context.catalogue.by_decade() == {int(row["decade"]): int(row["count"]) for row in context.table}


@then('item number {number:d} is "{title}"')
def item_number(context, number, title):
    assert context.catalogue[number - 1].title == title


@then('"{title}" is in the catalogue')
def is_in(context, title):
    assert Book(title, "Anon", 1999) in context.catalogue
    assert Book(title + " II", "Anon", 1999) not in context.catalogue


@when("{key} is looked up")
def look_up(context, key):
    try:
        context.found = [context.catalogue[int(key) if key.lstrip("-").isdigit() else key]]
    except (IndexError, KeyError) as error:
        context.error = error


@when("someone looks up what is neither number nor title")
def look_up_nonsense(context):
    try:
        context.found = [context.catalogue[None]]
    except TypeError as error:
        context.error = error


@then("it is missing")
def missing(context):
    assert isinstance(context.error, LookupError), context.error


@when('it is joined with a catalogue of "{title}" and "{other}"')
def joined_with(context, title, other):
    context.catalogue = context.catalogue + Catalogue([Book(title, "Anon", 1931), Book(other, "Anon", 1802)])


@then('a parcel labelled "{label}" stands at "{mark}"')
def parcel(context, label, mark):
    assert shelf_mark(label) == mark, shelf_mark(label)


@then("nobody knows where the number {number:d} stands")
def no_shelf(context, number):
    try:
        mark = shelf_mark(number)
    except TypeError as error:
        assert str(error) == f"no shelf for {number}", str(error)
    else:
        raise AssertionError(mark)
