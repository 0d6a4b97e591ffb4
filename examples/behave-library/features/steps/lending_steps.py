"""The desk. Items are found with a helper of the catalogue's steps."""

from datetime import timedelta

from behave import given, step, then, when
from catalogue_steps import find_item

from library import Book, Catalogue, Desk, LendingError
from library.lending import fine_for, working_days


@given('{name} borrowed "{title}" {days:d} days ago')
def borrowed(context, name, title, days):
    context.desk.lend(find_item(context, title), context.members[name], context.today - timedelta(days=days))


@when('{name} borrows "{title}"')
def borrows(context, name, title):
    try:
        context.due = context.desk.lend(find_item(context, title), context.members[name], context.today)
    except LendingError as error:
        context.error = error


@when("{name} borrows a book from elsewhere")
def borrows_elsewhere(context, name):
    book = Book("Elsewhere")
    assert not context.desk.is_available(book)
    try:
        context.due = context.desk.lend(book, context.members[name], context.today)
    except LendingError as error:
        context.error = error


@when('"{title}" comes back')
def comes_back(context, title):
    try:
        context.fine = context.desk.take_back(find_item(context, title), context.today)
    except LendingError as error:
        context.error = error


@when('"{title}" comes back after {days:d} days')
def comes_back_after(context, title, days):
    context.fine = context.desk.take_back(find_item(context, title), context.today + timedelta(days=days))


@when('"{title}" is kept {days:d} days longer')
def kept_longer(context, title, days):
    try:
        context.due = context.desk.extend(find_item(context, title), context.today, days)
    except LendingError as error:
        context.error = error


@when('{name} reserves "{title}"')
def reserves(context, name, title):
    try:
        context.place = context.desk.reserve(find_item(context, title), context.members[name])
    except LendingError as error:
        context.error = error


@step('it is due on {day:Date}')
def due_on(context, day):
    assert context.due == day, context.due


@then("the fine is {amount:Money}")
def fine_is(context, amount):
    assert context.fine == amount, context.fine


@then('{names} wait for "{title}"')
def wait_for(context, names, title):
    assert context.desk.waiting(find_item(context, title)) == names.split(" and ")


@then('nobody waits for "{title}"')
def nobody_waits(context, title):
    assert context.desk.waiting(find_item(context, title)) == []


@then('place {place:d} in the queue is theirs')
def place_is(context, place):
    assert context.place == place


@then('"{title}" is available')
def available(context, title):
    assert context.desk.is_available(find_item(context, title))


@then('"{title}" is not available')
def not_available(context, title):
    assert not context.desk.is_available(find_item(context, title))


@then('the desk counted {count:d} loans and {returns:d} returns')
def counted(context, count, returns):
    assert context.desk.counts.get("lend", 0) == count
    assert context.desk.counts.get("take_back", 0) == returns


@then("the reminders read")
def reminders(context):
    lines = list(context.desk.reminders(context.members.values(), context.today))
    assert "\n".join(lines) == context.text, lines


@then('a "{title}" that is {days:d} days late costs {amount:Money}')
def costs(context, title, days, amount):
    assert fine_for(find_item(context, title), days) == amount


@then("there are {count:d} working days before {end:Date}")
def count_days(context, count, end):
    assert len(list(working_days(context.today, end))) == count


@then("the desk is open")
def is_open(context):
    assert context.desk.is_open


@then("the desk is closed")
def is_closed(context):
    assert context.desk.is_open is False


@when('a day ends because "{title}" is lent twice to {name}')
def day_ends(context, title, name):
    item = find_item(context, title)
    with context.desk as desk:
        desk.lend(item, context.members[name], context.today)
        desk.lend(item, context.members[name], context.today)


@when("a day ends because of a fault")
def day_ends_by_fault(context):
    try:
        with Desk(Catalogue()) as context.desk:
            raise OSError("no light")
    except OSError as error:
        context.error = error


@then("today the library reckons from {day:Date}")
def today_is(context, day):
    assert context.today == day


@when('{name} takes "{title}" home and brings it back late')
def home_and_back(context, name, title):
    context.execute_steps(f'''
        When {name} borrows "{title}"
        And "{title}" comes back after 40 days
    ''')
