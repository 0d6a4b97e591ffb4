"""Every form of report, over made-up results that hold hostile texts."""

from __future__ import annotations

import json
import math
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from testmark.errors import UserError
from testmark.intervals import bootstrap_mean, mcnemar, paired_test, sign_flip
from testmark.reports import render, render_show
from testmark.reports.load import load_results
from tests.reports.synthetic import HOSTILE, row, write_results


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    return [write_results(tmp_path / "a"), write_results(tmp_path / "b", model="model-b", seed=1)]


@pytest.mark.parametrize("kind", ["table", "json", "md", "html", "junit"])
def test_each_form_shows_every_run(kind: str, folders: list[Path]) -> None:
    text = render(kind, folders)
    assert "model-a" in text
    assert "model-b" in text


def test_the_table_needs_no_terminal_and_shows_the_paired_test(folders) -> None:
    text = render("table", folders)
    assert "\x1b" not in text
    assert "Difference to model-a" in text


def test_json_is_one_object_with_counts_that_add_up(folders) -> None:
    value = json.loads(render("json", folders))
    for run in value["runs"]:
        assert sum(run["verdicts"].values()) == run["tasks"]
    assert len(value["comparisons"]) == 5


def test_junit_is_well_formed_and_counts_right(folders) -> None:
    top = ET.fromstring(render("junit", folders[:1]))
    (suite,) = top
    assert int(suite.get("tests", "")) == len(suite) == 40
    assert int(suite.get("failures", "")) == len(suite.findall("testcase/failure"))
    assert int(suite.get("skipped", "")) == len(suite.findall("testcase/skipped"))


def test_the_page_holds_no_text_of_a_prediction_as_markup(folders) -> None:
    page = render("html", folders)
    assert HOSTILE not in page
    assert page.count("</script>") == 2
    assert "http" not in page.split("<body>")[0].replace("http-equiv", "")


def test_infra_is_no_zero_and_makes_the_run_incomplete(tmp_path: Path) -> None:
    run = load_results(write_results(tmp_path / "r", verdict="infra"))
    assert not run.summary.complete
    assert run.summary.metrics["pass_at_1"].n == 0
    assert "INCOMPLETE" in render("table", [tmp_path / "r"])


def test_show_goes_down_to_a_mutant_and_names_near_matches(folders) -> None:
    name = row(1, "shop").instance_id
    assert "Mutants" in render_show(folders[0], name)
    assert "+a <= b" in render_show(folders[0], name, "m001")
    with pytest.raises(UserError, match="did you mean"):
        render_show(folders[0], name + "x")
    with pytest.raises(UserError, match="no mutant"):
        render_show(folders[0], name, "zzz")


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"summary\.json"):
        render("table", [tmp_path])


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
