"""Statements and amounts; the features write CUR for the currency of the branch."""

import parse
from behave import register_type, then, use_step_matcher, when

from library.money import AmountError, format_amount, parse_amount
from library.statements import Statement


@parse.with_pattern(r"-?\d+")
def parse_balance(text):
    return int(text)


register_type(Balance=parse_balance)
use_step_matcher("cfparse")


def in_currency(context, text):
    """The text with the currency of the branch."""
    return text.replace("CUR", context.currency)


@when("the statement of {name} is made")
def make(context, name):
    context.statement = Statement.of(context.members[name], context.currency)


@then("it reads")
def reads(context):
    assert context.statement.text() == in_currency(context, context.text), context.statement.text()


@then("it has {count:d} lines")
def has_lines(context, count):
    assert len(context.statement) == count, len(context.statement)


@then("the balances are {balances:Balance+}")
def balances_are(context, balances):
    assert [line.balance for line in context.statement] == balances
    assert context.statement.balance == balances[-1]


@then("its payments are {amount:Money} in all")
def payments(context, amount):
    assert context.statement.paid() == amount, context.statement.paid()


@then('"{text}" are {cents:Balance} cents, printed "{printed}"')
def amount_is(context, text, cents, printed):
    assert parse_amount(text) == cents, parse_amount(text)
    assert format_amount(cents, context.currency) == in_currency(context, printed)
    assert format_amount(cents) == printed.replace("CUR", "EUR")


@when('the amount "{text}" is read')
def read_amount(context, text):
    try:
        context.amount = parse_amount(text)
    except AmountError as error:
        context.error = error


use_step_matcher("parse")
