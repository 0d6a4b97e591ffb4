"""Hooks: every Scenario gets a desk of its own, open unless it is tagged @closed.

User data: `-D currency=CHF` for a branch that reckons in another currency than EUR.
"""

from datetime import date

from behave import fixture, use_fixture
from behave.model_core import Status

import features.support.parameter_types  # noqa: F401 - registers the types
from library import Catalogue, Desk

MONDAY = date(2024, 3, 4)
SUNDAY = date(2024, 3, 3)


@fixture
def open_desk(context):
    """A desk that is open as long as the Scenario lasts."""
    with context.desk as desk:
        yield desk
    assert not desk.is_open


def before_all(context):
    context.today = MONDAY
    context.currency = context.config.userdata.get("currency", "EUR")


def before_tag(context, tag):
    if tag == "fixture.sunday":
        context.today = SUNDAY


def before_scenario(context, scenario):
    context.members = {}
    context.error = None
    context.desk = Desk(Catalogue())
    context.catalogue = context.desk.catalogue
    if "closed" not in scenario.effective_tags:
        use_fixture(open_desk, context)


def after_step(context, step):
    context.last_step = step.name


def after_scenario(context, scenario):
    if scenario.status == Status.passed:
        assert context.last_step == scenario.steps[-1].name
        context.members.clear()
