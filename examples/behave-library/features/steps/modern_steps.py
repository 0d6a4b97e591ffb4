"""Cucumber expressions and steps that are coroutines themselves: behave knows both since 1.3."""

from behave import then, use_step_matcher, when

from library.items import Magazine
from library.lending import fine_for
from library.notices import Post, join_titles

try:
    from behave.cucumber_expression import use_step_matcher_for_cucumber_expressions
except ImportError:  # behave 1.2: the Scenarios of modern.feature stay undefined
    use_step_matcher_for_cucumber_expressions = None

if use_step_matcher_for_cucumber_expressions is not None:
    use_step_matcher_for_cucumber_expressions()

    @when("a magazine is {int} day(s) late")
    def magazine_late(context, days):
        context.fine = fine_for(Magazine("Late"), days)

    @then("{int} cent(s) is/are owed")
    def cents_owed(context, cents):
        assert context.fine == cents, context.fine

    @when("{string} is posted")
    async def post(context, text):
        context.post = Post()
        context.number = await context.post.send(text)

    @then("letter number {int} was {string}")
    async def was(context, number, text):
        assert context.number == number, context.number
        assert join_titles(context.post.sent) == text, context.post.sent

    use_step_matcher("parse")
