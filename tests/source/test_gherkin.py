from __future__ import annotations

from pathlib import Path

import pytest

from testmark.source.gherkin import FeatureSyntaxError, ScenarioScan, cut_feature, scan_feature

WHOLE = '''\
# language: en
# copyright
@f1 @f2
@f3
Feature: Lending
  As a member
  # not part of it
  I want books
  So that I can read

  Background: people
    words about it

    Given a member
      """
      Scenario: not one
      """
    And a book

  # about one
  @s1 @f1
  Scenario: One
    When lent
    # inner
    Then gone
      | a | b |
    But kept
    # after one

  # about two
  @s2

  @s3
  Scenario Outline: Two <v>
    Words of two

    More words
    Given <v>
    * star
    @ex
    Examples: first
      | v |
      | 1 |
      # a row
      | 2 |
    Examples: nothing
      | v |
    Examples:
      | v |
      | 3 |

  # about the rule
  @r
  Rule: R
    rule words
    Background:
      Given a rule
    # about three
    Example: Three
      When x
      ```
      fence
      ```
    Example: Four
      When y
  Rule: S
    Example: Five
      Then z
'''


def scenarios(text: str) -> dict[str, ScenarioScan]:
    return {scenario.title: scenario for scenario in scan_feature("f.feature", text.encode()).scenarios}


def test_the_feature_and_its_narrative_and_background() -> None:
    scan = scan_feature("features/f.feature", WHOLE.encode())
    assert (scan.path, scan.title, scan.line, scan.language) == ("features/f.feature", "Lending", 5, "en")
    assert scan.narrative == "  As a member\n  I want books\n  So that I can read"
    assert scan.background is not None
    assert scan.background.startswith("  Background: people\n    words about it\n\n    Given a member")
    assert scan.background.endswith("    And a book")
    assert [scenario.title for scenario in scan.scenarios] == ["One", "Two <v>", "Three", "Four", "Five"]


def test_kinds_tags_and_rules() -> None:
    found = scenarios(WHOLE)
    assert [found[t].kind for t in found] == ["scenario", "outline", "scenario", "scenario", "scenario"]
    assert found["One"].tags == ("@f1", "@f2", "@f3", "@s1")
    assert found["Two <v>"].tags == ("@f1", "@f2", "@f3", "@s2", "@s3")
    assert found["Three"].tags == ("@f1", "@f2", "@f3", "@r")
    assert [found[t].rule for t in found] == [None, None, "R", "R", "S"]


def test_the_background_of_a_rule_follows_that_of_the_feature() -> None:
    found = scenarios(WHOLE)
    assert found["Five"].background == found["One"].background
    assert found["Three"].background == f"{found['One'].background}\n\n    Background:\n      Given a rule"


def test_gherkin_runs_from_the_header_to_the_last_step_or_row() -> None:
    found = scenarios(WHOLE)
    assert found["One"].gherkin.splitlines()[0] == "  Scenario: One"
    assert found["One"].gherkin.splitlines()[-1] == "    But kept"
    assert found["Two <v>"].gherkin.endswith("      | v |\n      | 3 |")
    assert found["Three"].gherkin.endswith("      fence\n      ```")
    lines = WHOLE.splitlines()
    for scenario in found.values():
        assert lines[scenario.line - 1 : scenario.end_line] == scenario.gherkin.split("\n")


def test_pickles_stand_on_their_rows_with_background_steps_first() -> None:
    found = scenarios(WHOLE)
    one = found["One"].pickles[0]
    assert one.line == found["One"].line
    assert [(s.keyword, s.kind, s.text) for s in one.steps] == [
        ("Given", "given", "a member"),
        ("And", "given", "a book"),
        ("When", "when", "lent"),
        ("Then", "then", "gone"),
        ("But", "then", "kept"),
    ]
    lines = WHOLE.splitlines()
    rows = found["Two <v>"].pickles
    assert [lines[p.line - 1].strip() for p in rows] == ["| 1 |", "| 2 |", "| 3 |"]
    assert [p.name for p in rows] == ["Two 1", "Two 2", "Two 3"]
    assert [p.tags[-1] for p in rows] == ["@ex", "@ex", "@s3"]
    assert [(s.kind, s.text) for s in rows[1].steps[2:]] == [("given", "2"), ("unknown", "star")]
    assert [s.text for s in found["Three"].pickles[0].steps] == ["a member", "a book", "a rule", "x"]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_cut_to_one_scenario_it_is_still_the_same(ends: str, mark: bytes) -> None:
    data = mark + WHOLE.replace("\n", ends).encode()
    scan = scan_feature("f", data)
    for scenario in scan.scenarios:
        again = scan_feature("f", cut_feature(data, scan, scenario).encode())
        assert again.scenarios == (scenario,)
        assert (again.narrative, again.line, again.background) == (scan.narrative, scan.line, scan.background)


def test_a_cut_feature_keeps_the_comments_of_its_own_scenario_only() -> None:
    data = WHOLE.encode()
    scan = scan_feature("f", data)
    cut = {scenario.title: cut_feature(data, scan, scenario) for scenario in scan.scenarios}
    every = {"# copyright", "# not part of it"}
    own = {
        "One": {"# about one", "# inner"},
        "Two <v>": {"# about two", "# a row"},
        "Three": {"# about the rule", "# about three"},
        "Four": {"# about the rule"},
        "Five": set(),
    }
    for title, text in cut.items():
        comments = {line.strip() for line in text.splitlines() if line.strip().startswith("#")}
        assert comments == every | own[title] | {"# language: en"}
    assert "Rule: R" not in cut["Five"]
    assert "Given a rule" not in cut["Five"]
    assert "Rule:" not in cut["One"]


def test_a_feature_in_french_with_an_outline() -> None:
    text = "# language: fr\nFonctionnalité: F\n  Plan du scénario: a\n    Soit <x>\n    Quand y\n    Exemples:\n      |x|\n      |é|\n"
    (scenario,) = scan_feature("f", text.encode()).scenarios
    assert scenario.kind == "outline"
    assert [(s.keyword, s.kind, s.text) for s in scenario.pickles[0].steps] == [
        ("Soit", "given", "é"),
        ("Quand", "when", "y"),
    ]


def test_a_scenario_with_examples_is_an_outline() -> None:
    assert scenarios("Feature: F\n Scenario: a\n  Given <x>\n  Examples:\n   |x|\n   |1|\n")["a"].kind == "outline"


def test_outlines_without_rows_and_scenarios_without_steps_run_nothing() -> None:
    found = scenarios(
        "Feature: F\n Background:\n  Given b\n Scenario Outline: none\n  Given <x>\n\n"
        " Scenario Outline: header\n  Given <x>\n  Examples:\n   |x|\n\n Scenario: empty\n\n  words\n\n  more\n"
    )
    assert found["none"].pickles == found["header"].pickles == ()
    assert not any(pickle.steps for pickle in found["empty"].pickles)
    assert found["empty"].gherkin.endswith("\n\n  more")


def test_scenarios_of_one_name_are_told_apart_by_line() -> None:
    data = b"Feature: F\n Scenario: a\n  Given x\n Scenario: a\n  Given y\n"
    scan = scan_feature("f", data)
    assert [s.line for s in scan.scenarios] == [2, 4]
    assert "Given x" not in cut_feature(data, scan, scan.scenarios[1])


@pytest.mark.parametrize(
    ("narrative", "richness"),
    [
        ("", "title_only"),
        ("\n", "title_only"),
        ("  Some words about it.\n", "prose"),
        ("  As a user\n  I want x\n", "user_story"),
        ("  In order to read\n  As a member\n  I need books\n", "user_story"),
        ("  As a user, I want x so that y.\n", "user_story"),
        ("  Styles are kept as a part, so that they can be found.\n", "prose"),
        ("  As a rule, books are lent.\n", "prose"),
    ],
)
def test_richness(narrative: str, richness: str) -> None:
    assert scan_feature("f", f"Feature: F\n{narrative}\n Scenario: a\n  Given x\n".encode()).richness == richness


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", [1]),
        (b"# only a comment\n", [1]),
        (b"# language: xx\nFeature: F\n", [1]),
        (b"Feature: F\n Scenario: a\n  Given x\n   |a|b|\n   |a|\n", [5]),
        (b"Feature: F\n Scenario: a\n  Given x\n  foo\n  Then y\n bar\n", [4, 6]),
        ("Feature: F\n Scenario: \xe9\n".encode("latin-1"), [2]),
        ("Feature: F\n".encode("utf-16"), [1]),
        (b"Scenario: a\n", [1]),
        (b'Feature: F\n Scenario: a\n  Given x\n  """\n  never closed\n', [6]),
    ],
)
def test_what_is_wrong_is_said_with_its_line(data: bytes, lines: list[int]) -> None:
    with pytest.raises(FeatureSyntaxError) as caught:
        scan_feature("features/f.feature", data)
    assert [line for line, _ in caught.value.problems] == lines
    assert caught.value.path == "features/f.feature"
    assert str(caught.value).startswith(f"features/f.feature:{lines[0]}: ")
    assert caught.value.exit_code == 2


def test_a_file_of_the_example_project_is_read(tmp_path: Path) -> None:
    features = sorted((Path(__file__).parents[2] / "examples").rglob("*.feature"))
    assert features
    for path in features:
        data = path.read_bytes()
        scan = scan_feature(path.name, data)
        for scenario in scan.scenarios:
            assert scan_feature(path.name, cut_feature(data, scan, scenario).encode()).scenarios == (scenario,)
