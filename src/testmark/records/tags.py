"""Tag expressions of suites: `@checkout and not (@wip or @slow.*)`, as Cucumber and behave read them."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cucumber_tag_expressions.model import Expression


def check_expression(text: str) -> str:
    """The expression as it is; raises `ValueError` with the remedy for one that cannot be read."""
    from cucumber_tag_expressions import TagExpressionError

    try:
        _, names = _parsed(text)
    except TagExpressionError as error:
        what = " ".join(str(error).split("\n", maxsplit=1)[0].split()).rstrip(".")
        raise ValueError(f"`tags` is no tag expression ({what}); write it as in `@a and not (@b or @c)`") from error
    if not names:
        raise ValueError("`tags` is empty; leave it out, or write it as in `@a and not (@b or @c)`")
    for name in names:
        if not name.startswith("@"):
            bare = name.lstrip("-~@")
            remedy = f"not @{bare}" if name[0] in "-~" else f"@{bare}"
            raise ValueError(f"`tags` names `{name}`, and tags begin with `@`; write `{remedy}`")
    return text


def satisfies(tags: Iterable[str], text: str) -> bool:
    """Whether tags, written with their `@`, satisfy an expression; `*` and `?` in it stand for any characters."""
    expression, names = _parsed(text)
    found = set(tags)
    wild = {name for name in names if any(fnmatch.fnmatchcase(tag, name) for tag in found)}
    return bool(expression.evaluate(found | wild))


@lru_cache(maxsize=64)
def _parsed(text: str) -> tuple[Expression, frozenset[str]]:
    from cucumber_tag_expressions import parse

    expression = parse(text)
    return expression, frozenset(_names(expression))


def _names(expression: Expression) -> Iterable[str]:
    from cucumber_tag_expressions.model import Literal, Not

    if isinstance(expression, Literal):
        yield expression.name
    terms = (expression.term,) if isinstance(expression, Not) else getattr(expression, "terms", ())
    for term in terms:
        yield from _names(term)
