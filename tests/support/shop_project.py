"""A project of a few lines whose features are written as other tools could not read them."""

from __future__ import annotations

DEFINITION = """\
[project]
name = "shop"
repo_url = "unknown"
commit = "0000000000000000000000000000000000000000"
[source]
path = "."
[runtime]
python = "3"
dependencies = ["behave==1.3.3"]
lock = "requirements.lock"
[layout]
features = ["features"]
test_roots = ["features"]
production_roots = ["src/shop"]
import_paths = ["src"]
[caps]
mutants = 4
"""
FILES = {
    "src/shop/__init__.py": "",
    "src/shop/cart.py": '''\
"""Carts."""


class Cart:
    """What a customer wants."""

    def __init__(self):
        self._prices = []

    def put(self, count, price):
        """Put some pieces of one price in."""
        if count < 1:
            raise ValueError("nothing to put in")
        self._prices += [price] * count

    def total(self):
        """The sum of all prices; from ten on one is free."""
        found = sum(self._prices)
        if len(self._prices) >= 10:
            found -= min(self._prices)
        return found
''',
    "features/steps/cart_steps.py": """\
from behave import given, step, then, when
from shop.cart import Cart


@given("a cart")
@given("ein Korb")
def cart(context):
    context.cart = Cart()


@when("these are put in")
def put_in(context):
    for row in context.table:
        context.cart.put(int(row["count"]), int(row["price"]))


@when("{count:d} pieces of {price:d} are put in")
@when("{count:d} Stück zu {price:d} hineinkommen")
def pieces(context, count, price):
    context.cart.put(count, price)


@then("it costs {total:d}")
@then("kostet er {total:d}")
def costs(context, total):
    assert context.cart.total() == total, context.cart.total()
""",
    "features/rules.feature": """\
Feature: Rules

  Rule: One of ten is free

    Example: Ten pieces
      Given a cart
      When 10 pieces of 3 are put in
      Then it costs 27
""",
    "features/tags.feature": """\
Feature: Tags

  @fast @cart # not @slow
  Scenario: Two pieces
    Given a cart
    When 2 pieces of 4 are put in
    Then it costs 8
""",
    "features/mark.feature": """\
\ufeff# language: de
Funktionalität: Körbe

  Szenario: Zwei Stück
    Angenommen ein Korb
    Wenn 2 Stück zu 5 hineinkommen
    Dann kostet er 10
""",
    "features/outline.feature": """\
Feature: Outlines

  Scenario Outline: Both in one
    Given a cart
    When these are put in
      | count   | price   |
      | <count> | <price> |
      | 1       | 1       |
    Then it costs <total>

    Examples: none yet
      | count | price | total |

    Examples: some
      | count | price | total |
      | 2     | 3     | 7     |
      | 9     | 2     | 18    |
""",
}
