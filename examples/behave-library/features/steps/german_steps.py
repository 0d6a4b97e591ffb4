"""Schritte auf Deutsch."""

from behave import given, then, when

from library import Book, Catalogue


@given('ein Katalog mit dem Buch "{title}"')
def katalog(context, title):
    context.catalogue = Catalogue([Book(title)])


@when('nach "{words}" gesucht wird')
def gesucht(context, words):
    context.found = context.catalogue.search(words)


@then('wird "{title}" gefunden')
def gefunden(context, title):
    assert [item.title for item in context.found] == [title]
