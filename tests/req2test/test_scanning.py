"""The scan of a project: what the official parser sees against what behave sees."""

from __future__ import annotations

from pathlib import Path

from testmark.projects.load import load_definition
from testmark.records.kit import ExpectedPickle, ExpectedStep
from testmark.req2test.scanning import scan_project
from testmark.runtimes.behave.child import features

DEFINITION = """\
[project]
name = "p"
repo_url = "unknown"
commit = "0000000000000000000000000000000000000000"
[source]
path = "."
[layout]
features = ["features"]
test_roots = ["features"]
production_roots = ["src"]
"""
ESCAPED = """\
Feature: Escapes
  Scenario Outline: Lines
    Given the text <text>
    Examples:
      | text   |
      | "a\\nb" |
      | "c"    |
"""


class Parser:
    """behave's parser, without a worker around it."""

    def __init__(self, base: Path) -> None:
        self._base = base

    def parse(self, paths: list[str]) -> dict[str, object]:
        found = {}
        for path in paths:
            read = features.pickles(str(self._base / path))
            found[path] = (
                read
                if isinstance(read, str)
                else [
                    ExpectedPickle(line=line, steps=tuple(ExpectedStep(line=at, text=text) for at, text in steps))
                    for line, steps in read
                ]
            )
        return found


def scan(folder: Path, **texts: str):
    (folder / "features").mkdir()
    (folder / "src").mkdir()
    (folder / "testmark.toml").write_text(DEFINITION)
    for name, text in texts.items():
        (folder / "features" / f"{name}.feature").write_text(text)
    return scan_project(folder, load_definition(folder).definition, Parser(folder))


def test_a_scenario_whose_words_behave_reads_otherwise_stays_with_behaves_words(tmp_path: Path) -> None:
    report = scan(tmp_path, escaped=ESCAPED)
    assert not report.dropped
    assert [pickle.steps[0].text for pickle in report.ready[0].pickles] == ['the text "a\\nb"', 'the text "c"']
    assert [(reading.id, reading.detail) for reading in report.readings] == [
        (
            "p/features/escaped.feature:2",
            "line 6: the framework reads 'the text \"a\\\\nb\"', the official parser 'the text \"a\\nb\"'",
        )
    ]


def test_a_file_that_behave_cannot_parse_is_named_and_the_others_stay(tmp_path: Path) -> None:
    report = scan(
        tmp_path,
        good="Feature: g\n  Scenario: s\n    Given a\n",
        mark="\ufeffFeature: b\n  Scenario: s\n    Given a\n",
    )
    assert [ready.feature.path for ready in report.ready] == ["features/good.feature"]
    assert [(drop.id, drop.rule) for drop in report.dropped] == [("p/features/mark.feature:2", "parsers-disagree")]
    assert report.dropped[0].detail.startswith("the framework cannot parse the file")
