"""Hooks: every Scenario gets a desk of its own; userdata can change the daily fine."""

from datetime import date

from behave import fixture, use_fixture
from behave.model_core import Status

import features.support.parameter_types  # noqa: F401 - registers the types
from library import Catalogue, Desk


@fixture
def open_desk(context):
    """A desk that is open as long as the Scenario lasts."""
    with Desk(Catalogue()) as desk:
        context.desk = desk
        context.catalogue = desk.catalogue
        yield desk


def before_all(context):
    context.today = date(2024, 3, 4)
    context.currency = context.config.userdata.get("currency", "EUR")


def before_scenario(context, scenario):
    context.members = {}
    context.error = None
    if "closed" not in scenario.effective_tags:
        use_fixture(open_desk, context)


def before_tag(context, tag):
    if tag == "fixture.sunday":
        context.today = date(2024, 3, 3)


def after_scenario(context, scenario):
    if scenario.status == Status.passed:
        context.members.clear()
