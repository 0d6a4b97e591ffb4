"""Members and their accounts."""

from behave import given, then, when

from features.support.money import cents
from library.members import Account, Level, Member


def member(context, name):
    return context.members[name]


@given('the {level} member {name}')
def a_member(context, level, name):
    context.members[name] = Member(name, Level(level))


@given('{name} owes {amount:Money}')
def owes(context, name, amount):
    member(context, name).account.charge(amount, "earlier")


@when('{name} pays {amount:Money}')
def pays(context, name, amount):
    context.change = member(context, name).account.pay(amount)


@when('{name} pays less than nothing')
def pays_less(context, name):
    try:
        context.change = member(context, name).account.pay(-1)
    except ValueError as error:
        context.error = error


@when('{name} is charged {amount:Money} for "{reason}"')
def charged(context, name, amount, reason):
    context.owed = member(context, name).account.charge(amount, reason)


@then("the desk says that {amount:Money} is owed")
def said(context, amount):
    assert context.owed == amount, context.owed


@then('{name} gets {amount:Money} back')
def gets_back(context, name, amount):
    assert context.change == amount


@then('{name} now owes {amount}')
def now_owes(context, name, amount):
    assert member(context, name).account.owed == cents(amount), member(context, name).account.owed


@then('the account of {name} reads')
def account_reads(context, name):
    assert member(context, name).account.history == [(row["what"], int(row["cents"])) for row in context.table]


@then('{name} may borrow')
def may(context, name):
    assert member(context, name).may_borrow()
    assert not member(context, name).is_blocked


@then('{name} may not borrow')
def may_not(context, name):
    assert not member(context, name).may_borrow()


@then('the limit of a {level} member is {limit:d}')
def limit_is(context, level, limit):
    assert Level(level).limit == limit


@when("someone crosses out the list of loans of {name}")
def cross_out(context, name):
    member(context, name).loans.clear()


@then('{name} has "{title}" at home')
def at_home(context, name, title):
    assert [item.title for item in member(context, name).loans] == [title]


@when("the accounts of {first} and {second} become one")
def merge(context, first, second):
    context.account = member(context, first).account + member(context, second).account


@then("that account owes {amount:Money} from {count:d} entries")
def merged(context, amount, count):
    assert context.account.owed == amount
    assert len(context.account.history) == count
    assert Account().owed == 0
