"""Suites: the first whose globs match the Feature and whose tag expression holds for the Scenario."""

from __future__ import annotations

from pathlib import Path

import pytest
from behave.model import Scenario
from behave.parser import parse_feature
from behave.tag_expression import make_tag_expression

from testmark.errors import UserError
from testmark.projects.load import parse_definition
from testmark.records.definition import ProjectDefinition
from testmark.records.tags import satisfies
from testmark.req2test.scanning import scan_project

HEAD = f"""\
[project]
name = "shop"
repo_url = "r"
commit = "{"0" * 40}"

[source]
path = "."
"""
FEATURE = """\
@shop
Feature: Cart

  @slow
  Scenario: One
    Given a step

  Rule: Paid
    @wip
    Scenario: Two
      Given a step

  @slow
  Scenario Outline: Three
    Given <a> step

    Examples:
      | a |
      | 1 |

    @wip
    Examples:
      | a |
      | 2 |

  Scenario: Four
    Given a step
"""


def definition(text: str) -> ProjectDefinition:
    found, _ = parse_definition(HEAD + text, "testmark.toml")
    return found


@pytest.fixture
def base(tmp_path: Path) -> Path:
    for name in ("cart", "api/cart"):
        place = tmp_path / f"features/{name}.feature"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(FEATURE)
    return tmp_path


def scanned(base: Path, text: str) -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
    """The suite of each Scenario by its place, and the rule and detail of each that has none."""
    report = scan_project(base, definition(text), None)
    inside = {f"{s.feature.path[9:-8]}:{s.scenario.title}": f"{s.suite.name} {s.suite.level}" for s in report.ready}
    return inside, {drop.id.rpartition("/features/")[2]: (drop.rule, drop.detail) for drop in report.dropped}


def test_the_first_suite_that_matches_globs_and_tags_gives_the_level(base: Path) -> None:
    inside, outside = scanned(
        base,
        '[[suite]]\nname = "API"\nfeatures = ["features/api/**"]\nlevel = "integration"\ntags = "@slow and not @wip"\n'
        '[[suite]]\nname = "SLOW"\nlevel = "system"\ntags = "@slow"\n'
        '[[suite]]\nname = "REST"\n',
    )
    assert inside == {
        "api/cart:One": "API integration",
        "api/cart:Two": "REST component",
        # One of its rows is @wip, so it is not wholly in API.
        "api/cart:Three": "SLOW system",
        "api/cart:Four": "REST component",
        "cart:One": "SLOW system",
        "cart:Two": "REST component",
        "cart:Three": "SLOW system",
        "cart:Four": "REST component",
    }
    assert outside == {}


def test_a_scenario_of_no_suite_is_listed_with_the_reason(base: Path) -> None:
    inside, outside = scanned(base, '[[suite]]\nname = "MAIN"\nfeatures = ["features/*.feature"]\ntags = "not @wip"\n')
    assert set(inside) == {"cart:One", "cart:Four"}
    assert outside == {
        "cart.feature:10": ("no-suite", "its tags do not satisfy `not @wip` of MAIN"),
        "cart.feature:14": ("no-suite", "the Examples row at line 24 does not satisfy `not @wip` of MAIN"),
        **{
            f"api/cart.feature:{line}": ("no-suite", "no suite's `features` match the file") for line in (5, 10, 14, 26)
        },
    }


@pytest.mark.parametrize(
    "expression",
    [
        "@slow",
        "not @slow",
        "@slow and @wip",
        "@shop and not (@slow or @wip)",
        "@sl* and not @w*",
        "not @other.*",
        "@s?op",
    ],
)
def test_expressions_mean_what_behave_says(expression: str) -> None:
    theirs = make_tag_expression(expression)
    feature = parse_feature(FEATURE)
    rows = [s for s in feature.walk_scenarios() if isinstance(s, Scenario)]
    assert len(rows) == 5
    for row in rows:
        tags = [f"@{tag}" for tag in row.effective_tags]
        assert satisfies(tags, expression) == theirs.evaluate(row.effective_tags), (row.name, tags)


@pytest.mark.parametrize(
    ("expression", "remedy"),
    [
        ("wip", "`tags` names `wip`, and tags begin with `@`; write `@wip`"),
        ("-@wip", "`tags` names `-@wip`, and tags begin with `@`; write `not @wip`"),
        ("@a @b", "no tag expression"),
        ("(@a or @b", "no tag expression"),
        ("not", "no tag expression"),
        (" ", "is empty; leave it out"),
    ],
)
def test_a_faulty_expression_is_named_with_its_line(expression: str, remedy: str) -> None:
    with pytest.raises(UserError) as caught:
        definition(f'[[suite]]\nname = "MAIN"\ntags = "{expression}"\n')
    message = str(caught.value)
    assert message.startswith("testmark.toml:10: ")
    assert remedy in message
    assert "\n" not in message
