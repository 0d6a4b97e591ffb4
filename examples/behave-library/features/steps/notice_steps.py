"""Letters, some of them sent by asynchronous steps."""

from behave import then, when
from behave.api.async_step import async_run_until_complete

from library.notices import Post, join_titles, letter, make_counter


@when("letters are sent, {limit:d} at most")
@async_run_until_complete
async def send_letters(context, limit):
    context.post = Post(limit)
    letters = [letter(member, context.today) for member in context.members.values()]
    context.numbers = await context.post.send_all(letters)


@then("the numbers are {numbers}")
def numbers_are(context, numbers):
    assert " ".join(str(number) for number in context.numbers) == numbers


@then("the letters are exactly")
def letters_are(context):
    assert [text.splitlines()[1] for text in context.post.sent] == [row["second line"] for row in context.table]


@then("letter {number:d} reads")
def letter_reads(context, number):
    assert context.post.sent[number - 1] == context.text


@then('"{titles}" are joined as "{phrase}"')
def joined(context, titles, phrase):
    assert join_titles(title for title in titles.split(",") if title) == phrase


@then("a counter from {start:d} in steps of {step:d} says {first:d} and {second:d}")
def counter(context, start, step, first, second):
    count = make_counter(start, step)
    assert (count(), count()) == (first, second)
