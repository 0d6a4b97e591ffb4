"""Every form of report, over made-up results that hold hostile texts."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import xmlschema

from testmark.errors import UserError
from testmark.intervals import bootstrap_mean, mcnemar, paired_test, sign_flip
from testmark.records.results import METRICS
from testmark.records.slugs import slug
from testmark.reports import find_shown, render, render_show, report
from testmark.reports.load import load_results
from tests.reports.synthetic import HOSTILE, mutant_ids, row, write_results


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    top = tmp_path_factory.mktemp("results")
    return [write_results(top / "a"), write_results(top / "b", model="model-b", seed=1)]


@pytest.mark.parametrize("kind", ["table", "json", "md", "html", "junit"])
def test_each_form_shows_every_run_and_is_the_same_each_time(kind: str, folders: list[Path]) -> None:
    text = render(kind, folders)
    assert "model-a" in text
    assert "model-b" in text
    assert text == render(kind, folders)


def test_the_table_needs_no_terminal_and_shows_the_paired_test(folders) -> None:
    text = render("table", folders)
    assert "\x1b" not in text
    assert "Difference to model-a" in text
    assert max(map(len, text.splitlines())) <= 160
    assert "Difference" not in render("table", folders[:1])


def test_the_table_shows_the_summary_and_its_interval(folders) -> None:
    found = load_results(folders[0]).summary.metrics["pass_at_1"]
    (line,) = [line for line in render("table", folders[:1]).splitlines() if "model-a" in line and "[" in line]
    assert f"{found.value:.3f} [{found.low:.2f}, {found.high:.2f}]" in line


@pytest.mark.parametrize("kind", ["table", "md"])
def test_several_projects_are_shown_with_their_mean(kind: str, folders, tmp_path: Path) -> None:
    text = render(kind, folders)
    macro = load_results(folders[0]).summary.macro
    lines = [line.replace("|", " ").split() for line in text.splitlines()]
    found = [words[:3] for words in lines if len(words) == 8 and words[0] == "model-a" and not words[1].isdigit()]
    assert found == [
        ["model-a", "bank", "14"],
        ["model-a", "library", "13"],
        ["model-a", "shop", "13"],
        ["model-a", "macro", "40"],
    ]
    assert ["model-a", "macro", "40", *(f"{macro[metric]:.3f}" for metric in METRICS)] in lines
    one = write_results(tmp_path / "r", count=1)
    assert "macro" not in render(kind, [one])


def test_json_is_one_object_with_counts_that_add_up(folders) -> None:
    value = json.loads(render("json", folders))
    for run in value["runs"]:
        assert sum(run["verdicts"].values()) == run["tasks"] == 40
    assert [found["metric"] for found in value["comparisons"]] == list(METRICS)
    assert all(found["paired"]["n"] == 40 for found in value["comparisons"])


def test_markdown_tables_are_whole_whatever_a_model_is_called(tmp_path: Path) -> None:
    folders = [write_results(tmp_path / "a", model="a|b <i>\n# c"), write_results(tmp_path / "b", seed=1)]
    text = render("md", folders)
    tables = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    assert len(tables) == 5
    for rows in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in rows}) == 1
    assert "<i>" not in text
    assert "# c" not in text.splitlines()


def test_junit_follows_the_schema_and_counts_right(folders) -> None:
    text = render("junit", folders)
    xmlschema.XMLSchema(Path(__file__).with_name("junit.xsd")).validate(text)
    suites = ET.fromstring(text)
    assert [suite.get("name") for suite in suites] == ["model-a", "model-b"]
    for suite in suites:
        assert int(suite.get("tests", "")) == len(suite.findall("testcase")) == 40
        assert int(suite.get("failures", "")) == len(suite.findall("testcase/failure")) > 0
        assert int(suite.get("errors", "")) == len(suite.findall("testcase/error")) == 0
        assert int(suite.get("skipped", "")) == len(suite.findall("testcase/skipped")) > 0


def test_junit_says_infra_is_an_error_and_keeps_hostile_texts_as_text(tmp_path: Path) -> None:
    text = render("junit", [write_results(tmp_path / "r", verdict="infra", model=f"m {HOSTILE}")])
    (suite,) = ET.fromstring(text)
    assert suite.get("errors") == "40"
    assert suite.get("name", "").startswith("m </script><script>")
    messages = [error.get("message", "") for error in suite.findall("testcase/error")]
    assert all(message.startswith("infra: ") for message in messages)
    assert any("<img src=x" in message for message in messages)


def test_the_page_holds_no_text_of_a_prediction_as_markup(folders) -> None:
    page = render("html", folders)
    assert "<img" not in page
    assert "<!--" not in page
    assert "\x00" not in page
    assert page.count("</script>") == page.count("<script") == 3
    assert not re.search(r"(?:src|href|action)\s*=\s*[\"']?\w+:", page.split('id="data"')[0])


def test_a_model_named_like_markup_stays_text(tmp_path: Path) -> None:
    page = render("html", [write_results(tmp_path / "r", count=2, model="</title><script>alert(1)</script>")])
    assert "<script>alert" not in page


def labels(kind: str, text: str) -> list[str]:
    """The run's names as a reader of this form sees them: once where the runs are listed first."""
    if kind == "html":
        title = re.search("<title>testmark: (.*)</title>", text)
        assert title
        return title[1].split(", ")
    if kind == "json":
        return [run["label"] for run in json.loads(text)["runs"]]
    if kind == "junit":
        return [suite.get("name", "") for suite in ET.fromstring(text)]
    first = text.split("Verdicts", maxsplit=1)[0]
    names = re.findall(r"^\|? ?(model-\w(?: \([\w/]+\))?(?: #\d+)?)  *\|? *\d", first, re.MULTILINE)
    return [str(name) for name in names]


@pytest.mark.parametrize("kind", ["table", "json", "md", "html", "junit"])
def test_runs_of_one_model_are_told_apart(kind: str, tmp_path: Path) -> None:
    one, two = write_results(tmp_path / "one", count=3), write_results(tmp_path / "two", count=3)
    deep = write_results(tmp_path / "other/one", count=3)
    another = write_results(tmp_path / "b", count=3, model="model-b")
    assert labels(kind, render(kind, [one, another, two])) == ["model-a (one)", "model-b", "model-a (two)"]
    assert labels(kind, render(kind, [one, one])) == ["model-a (one) #1", "model-a (one) #2"]
    assert labels(kind, render(kind, [one, deep])) == [f"model-a ({tmp_path.name}/one)", "model-a (other/one)"]


@pytest.mark.parametrize("kind", ["table", "json", "md"])
def test_a_comparison_names_both_runs_of_one_model(kind: str, tmp_path: Path) -> None:
    folders = [write_results(tmp_path / name, count=3) for name in ("one", "two")]
    text = render(kind, folders)
    if kind == "json":
        found = json.loads(text)["comparisons"]
        assert {(pair["first"], pair["other"]) for pair in found} == {("model-a (one)", "model-a (two)")}
    else:
        compared = text[text.index("Difference to model-a (one)") :]
        assert compared.count("model-a (two)") == len(METRICS)


def test_the_page_of_a_whole_benchmark_is_small_and_holds_shared_texts_once(tmp_path: Path) -> None:
    folders = [write_results(tmp_path / name, count=239, mutants=20) for name in "ab"]
    one, two = len(render("html", folders[:1])), len(render("html", folders))
    assert one < 3_000_000
    assert two < 1.6 * one


KINDS = ["table", "json", "md", "html", "junit"]


def said(kind: str, text: str) -> str:
    """What a reader of this form is told of incomplete runs."""
    if kind == "html":
        data = json.loads(re.findall('<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[0])
        return "\n".join(run["incomplete"] for run in data["runs"])
    if kind == "json":
        return "\n".join(run["incomplete"] for run in json.loads(text)["runs"])
    if kind == "junit":
        return "\n".join(error.get("message", "") for error in ET.fromstring(text).iter("error"))
    return text


@pytest.mark.parametrize("kind", KINDS)
def test_infra_is_no_zero_and_makes_the_run_incomplete(kind: str, tmp_path: Path) -> None:
    broken, whole = write_results(tmp_path / "r", verdict="infra"), write_results(tmp_path / "w", model="model-b")
    run = load_results(broken)
    assert not run.summary.complete
    assert run.summary.metrics["pass_at_1"].n == 0
    found = report([whole, broken], kind)
    sentence = "model-a: INCOMPLETE, 40 of 40 could not be judged (infra); run the same `evaluate` again"
    assert found.incomplete == (sentence,)
    assert ("infra: the sandbox could not be started" if kind == "junit" else sentence) in said(kind, found.text)
    assert report([whole], kind).incomplete == ()


@pytest.mark.parametrize("kind", KINDS)
def test_a_stopped_evaluation_is_reported_as_far_as_it_came(kind: str, tmp_path: Path) -> None:
    folder = write_results(tmp_path / "r", count=6, verdict="passed")
    (folder / "summary.json").unlink()
    for number in (1, 3):
        (folder / "tasks" / f"{slug(row(number).instance_id)}.json").unlink()
    run = load_results(folder)
    assert (run.summary.tasks, run.summary.verdicts["passed"], run.summary.complete) == (6, 4, False)
    assert run.summary.by_project.keys() == {"bank", "library", "shop"}
    found = report([folder], kind)
    assert found.incomplete == ("model-a: INCOMPLETE, 2 of 6 are not judged yet; run the same `evaluate` again",)
    assert "not judged yet" in said(kind, found.text)
    if kind == "junit":
        (suite,) = ET.fromstring(found.text)
        assert suite.get("errors") == "2"
        assert len(suite.findall("testcase")) == 6


def test_an_evaluation_stopped_at_its_very_end_is_incomplete_all_the_same(tmp_path: Path) -> None:
    folder = write_results(tmp_path / "r", count=2, verdict="passed")
    (folder / "summary.json").unlink()
    assert "stopped before its end" in load_results(folder).incomplete
    for place in (folder / "tasks").iterdir():
        place.unlink()
    assert report([folder]).incomplete[0].startswith("r: INCOMPLETE, 2 of 2 are not judged yet")


def test_titles_stay_on_one_line_above_narrow_tables(tmp_path: Path) -> None:
    folder = write_results(tmp_path / "r", count=1, verdict="passed")
    assert "Verdicts: predictions, then mutants" in render("table", [folder])


def test_show_goes_down_to_a_mutant_and_names_near_matches(folders) -> None:
    instance = row(1)
    mutant = mutant_ids(instance, 1)[0]
    name = instance.instance_id
    text = render_show(folders[0], name)
    for expected in ("Feature: Cart", "Given a shop that is open", "features/steps/cart.py", "Mutants", mutant):
        assert expected in text
    assert f"# {mutant}" in render_show(folders[0], name, mutant)
    with pytest.raises(UserError, match="did you mean"):
        render_show(folders[0], name + "x")
    with pytest.raises(UserError, match="no mutant"):
        render_show(folders[0], name, "zzz")


def test_show_as_plain_values_holds_the_whole_result(folders) -> None:
    name = row(1).instance_id
    value = find_shown(folders[0], name)
    assert value["instance"]["instance_id"] == value["result"]["instance_id"] == name
    mutant = value["result"]["mutants"][0]
    found = find_shown(folders[0], name, mutant["mutant_id"])
    assert found["mutant"] == mutant
    assert mutant["mutant_id"] in found["diff"]


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no evaluation"):
        render("table", [tmp_path])
    with pytest.raises(UserError, match="table, json, md, html, junit"):
        render("pdf", [tmp_path])


def test_a_damaged_result_is_named(tmp_path: Path) -> None:
    folder = write_results(tmp_path / "r", count=2)
    place = folder / "tasks" / f"{slug(row(1).instance_id)}.json"
    place.write_text("{", encoding="utf-8")
    with pytest.raises(UserError, match=re.escape(str(place))):
        render("html", [folder])


def test_the_bootstrap_covers_the_mean_and_is_the_same_each_time() -> None:
    values = {"a": [0.0, 1.0] * 30, "b": [1.0, 1.0, 0.0] * 20}
    found = bootstrap_mean(values, seed=3)
    assert found == bootstrap_mean(values, seed=3)
    assert found.low < found.value < found.high
    assert found.n == 120
    assert bootstrap_mean({"a": [1.0] * 5}) == bootstrap_mean({"a": [1.0] * 5}, seed=9)


def test_one_cluster_gives_the_interval_of_its_standard_error() -> None:
    values = [float(number % 2) for number in range(400)]
    found = bootstrap_mean({"a": values})
    half = 1.96 * math.sqrt(0.25 / 400)
    assert found.high - found.low == pytest.approx(2 * half, rel=0.15)


def test_mcnemar_is_the_exact_binomial() -> None:
    assert mcnemar([1.0] * 5) == pytest.approx(2 / 32)
    assert mcnemar([1.0, -1.0, 0.0]) == 1.0
    assert mcnemar([]) == 1.0


def test_the_sign_flip_test_tells_a_difference_from_none() -> None:
    assert sign_flip([0.3] * 12) < 0.01
    assert sign_flip([0.3, -0.3] * 6) > 0.5


def test_pairs_are_formed_over_shared_instances_only() -> None:
    found = paired_test({"x": 1.0, "y": 0.0, "z": 1.0}, {"x": 0.0, "y": 0.0}, project={"x": "p", "y": "p"})
    assert (found.n, found.difference, found.test) == (2, 0.5, "mcnemar")
