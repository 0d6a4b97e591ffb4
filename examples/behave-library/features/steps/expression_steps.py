"""Cucumber expressions, which behave knows since 1.3."""

try:
    from behave.cucumber_expression import use_step_matcher_for_cucumber_expressions
except ImportError:
    use_step_matcher_for_cucumber_expressions = None

from behave import then, use_step_matcher, when

from library.lending import fine_for
from library.items import Magazine

if use_step_matcher_for_cucumber_expressions is not None:
    use_step_matcher_for_cucumber_expressions()

    @when("a magazine is {int} day(s) late")
    def magazine_late(context, days):
        context.fine = fine_for(Magazine("Late"), days)

    @then("{int} cent(s) is/are owed")
    def cents_owed(context, cents):
        assert context.fine == cents, context.fine

    use_step_matcher("parse")
