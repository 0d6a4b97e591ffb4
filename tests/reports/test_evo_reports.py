"""Every form of report over TestEvo's results."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import xmlschema

from testmark.errors import UserError
from testmark.records.evoresults import EVO_METRICS, EVO_VERDICTS
from testmark.records.results import Summary
from testmark.records.slugs import slug
from testmark.reports import find_shown, render, render_show, report
from testmark.reports.compare import compare
from testmark.reports.load import load_results, load_runs
from tests.reports.evo import DASH, SHARED, row, task, write_evo, write_evo_tasks
from tests.reports.synthetic import write_results

KINDS = ["table", "json", "md", "html", "junit"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The first run solves update and refinement, the second only generation."""
    top = tmp_path_factory.mktemp("evo")
    return [
        write_evo(top / "a", {"update": "success", "generation": "failed", "refinement": "success"}),
        write_evo(top / "b", {"update": "failed", "generation": "success", "refinement": "empty"}, model="model-b"),
    ]


def words(text: str) -> list[list[str]]:
    """The cells of each line of a table, split at spaces too."""
    return [line.replace("|", " ").split() for line in text.splitlines()]


@pytest.mark.parametrize("kind", KINDS)
def test_each_form_shows_every_run_and_is_the_same_each_time(kind: str, folders: list[Path]) -> None:
    text = render(kind, folders)
    assert "model-a" in text
    assert "model-b" in text
    assert text == render(kind, folders)


@pytest.mark.parametrize("kind", ["table", "md"])
def test_columns_are_those_of_the_benchmark(kind: str, folders: list[Path]) -> None:
    text = render(kind, folders)
    assert ["run", "n", "Success", "CovOnPass", "MutOnPass", "Overall"] in words(text)
    assert "Pass@1" not in text
    assert "success" in text
    if kind == "table":
        assert max(map(len, text.splitlines())) <= 160


@pytest.mark.parametrize("kind", ["table", "md"])
def test_a_figure_of_solved_tasks_says_of_how_many(kind: str, folders: list[Path], tmp_path: Path) -> None:
    assert re.search(r"model-a .*0\.700 \[0\.70+, 0\.70+\] n 2", render(kind, folders))
    none = render(kind, [write_evo(tmp_path / "r", {"update": "failed", "generation": "empty"})])
    (line,) = [line for line in none.splitlines() if "model-a" in line and "[" in line]
    assert line.count(DASH) == 2
    assert ["model-a", "macro", "2", "0.000", DASH, DASH, "0.250"] in words(none)


@pytest.mark.parametrize("kind", ["table", "md"])
def test_projects_shares_and_tracks_are_shown(kind: str, folders: list[Path]) -> None:
    found = words(render(kind, folders))
    for line in (
        ["model-a", "a_shop-main", "2", "1.000", "0.700", "0.500", "0.733"],
        ["model-a", "b_bank-main", "1", "0.000", DASH, DASH, "0.667"],
        # A project in which nothing is solved has no CovOnPass; it does not count as 0 in the mean of projects.
        ["model-a", "macro", "3", "0.500", "0.700", "0.500", "0.700"],
        ["run", "n", "Pass", "ExecFail", "CmplFail", "HrnsFail"],
        ["model-a", "3", "1.000", "0.000", "0.000", "0.000"],
        ["model-b", "3", "0.500", "0.167", "0.000", "0.000"],
        ["run", "track", "n", "Success", "CovOnPass", "MutOnPass", "Overall"],
        ["model-a", "generation", "1", "0.000", DASH, DASH, "0.667"],
        ["model-b", "update", "1", "0.000", DASH, DASH, "0.500"],
        ["model-b", "refinement", "1", "0.000", DASH, DASH, "0.000"],
    ):
        assert line in found, line


def test_markdown_tables_are_whole(folders: list[Path]) -> None:
    tables = [block.splitlines() for block in render("md", folders).split("\n\n") if block.startswith("|")]
    assert len(tables) == 7
    for rows in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in rows}) == 1


def test_json_has_shares_and_tracks(folders: list[Path]) -> None:
    value = json.loads(render("json", folders))
    first, second = value["runs"]
    for run in (first, second):
        assert list(run["metrics"]) == list(EVO_METRICS)
        assert list(run["verdicts"]) == list(EVO_VERDICTS)
        assert sum(run["verdicts"].values()) == run["tasks"] == 3
    assert second["shares"]["Pass"]["value"] == 0.5
    share = second["shares"]["ExecFail"]
    assert (share["value"], share["n"]) == (0.166667, 3)
    assert share["low"] == 0 < share["value"] < share["high"]
    assert list(first["by_track"]) == ["update", "generation", "refinement"]
    assert first["by_track"]["update"]["cov_on_pass"] == {"value": 0.7, "low": 0.7, "high": 0.7, "n": 1}
    assert first["by_track"]["generation"]["cov_on_pass"]["n"] == 0
    assert [found["metric"] for found in value["comparisons"]] == list(EVO_METRICS)


@pytest.mark.parametrize("kind", ["table", "md"])
def test_a_figure_is_compared_over_tasks_that_have_it_in_both_runs(
    kind: str, folders: list[Path], tmp_path: Path
) -> None:
    assert {found.metric: found.paired.n for found in compare(load_runs(folders))} == {
        "success": 3, "cov_on_pass": 0, "mut_on_pass": 0, "overall": 3,
    }  # fmt: skip
    found = words(render(kind, folders))
    dashes = 3 if kind == "table" else 2
    assert ["model-b", "CovOnPass", "0", *[DASH] * dashes] in found
    assert ["model-b", "Success", "3", "-0.333"] in [line[:4] for line in found]
    other = write_evo(tmp_path / "c", {"update": "success", "generation": "success"}, model="model-c")
    assert [found.paired.n for found in compare(load_runs([folders[0], other]))] == [2, 1, 1, 2]


@pytest.mark.parametrize("kind", KINDS)
def test_runs_of_two_benchmarks_are_refused_in_one_sentence(kind: str, folders: list[Path], tmp_path: Path) -> None:
    other = write_results(tmp_path / "r", count=2)
    with pytest.raises(UserError, match=r"is a run of TestEvo, .* one of Req2Test; report the runs of each") as found:
        render(kind, [*folders, other])
    assert str(found.value).startswith(str(folders[0]))
    assert str(other) in str(found.value)
    assert "\n" not in str(found.value)


def test_a_benchmark_or_metrics_that_no_report_knows_are_named(folders: list[Path], tmp_path: Path) -> None:
    for number, change in enumerate(({"benchmark": "other"}, {"metrics": {}})):
        made = write_evo(tmp_path / str(number), {"update": "success"})
        summary = Summary.from_json((made / "summary.json").read_bytes()).model_copy(update=change)
        (made / "summary.json").write_text(summary.to_json(), encoding="utf-8")
        with pytest.raises(UserError, match=["benchmark `other`", "other metrics than TestEvo"][number]):
            render("table", [made])


def test_junit_follows_the_schema_and_counts_right(folders: list[Path]) -> None:
    text = render("junit", folders)
    xmlschema.XMLSchema(Path(__file__).with_name("junit.xsd")).validate(text)
    first, second = ET.fromstring(text)
    counts = [[suite.get(name) for name in ("tests", "failures", "errors", "skipped")] for suite in (first, second)]
    assert counts == [["3", "1", "0", "0"], ["3", "1", "0", "1"]]
    case = first[0]
    assert (case.get("classname"), case.get("name")) == ("a_shop-main", row("update").task_id)
    assert case.findtext("system-out") == "2 of 4 mutants killed"


@pytest.mark.parametrize("verdict", EVO_VERDICTS)
def test_each_verdict_in_each_form(verdict: str, tmp_path: Path) -> None:
    folder = write_evo(tmp_path / "r", {"update": verdict})
    (suite,) = ET.fromstring(render("junit", [folder]))
    expected = {"success": "system-out", "empty": "skipped", "infra": "error"}.get(verdict, "failure")
    assert [element.tag for element in suite[0]] == [expected]
    if verdict != "success":
        assert suite[0][0].get("message", "").startswith(f"{verdict}: ")
    assert sum(int(suite.get(name, "")) for name in ("failures", "errors", "skipped")) == (verdict != "success")
    for kind in ("table", "md", "json", "html"):
        assert verdict in report([folder], kind).text
    assert f": {verdict}" in render_show(folder, row("update").task_id).splitlines()[0]


@pytest.mark.parametrize("kind", KINDS)
def test_infra_is_no_zero(kind: str, tmp_path: Path) -> None:
    folder = write_evo(tmp_path / "r", {"update": "success", "generation": "infra"})
    found = report([folder], kind)
    assert found.incomplete == (
        "model-a: INCOMPLETE, 1 of 2 could not be judged (infra); run the same `evaluate` again",
    )
    if kind == "json":
        (run,) = json.loads(found.text)["runs"]
        assert run["shares"]["Pass"] == {"value": 1.0, "low": 1.0, "high": 1.0, "n": 1}
        assert list(run["by_track"]) == ["update"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_stopped_evaluation_is_reported_as_far_as_it_came(kind: str, tmp_path: Path) -> None:
    folder = write_evo(tmp_path / "r", {"update": "success", "generation": "failed", "refinement": "success"})
    (folder / "summary.json").unlink()
    (folder / "tasks" / f"{slug(row('generation').task_id)}.json").unlink()
    summary = load_results(folder).summary
    assert (summary.tasks, summary.verdicts["success"], summary.complete) == (3, 2, False)
    assert list(summary.metrics) == list(EVO_METRICS)
    found = report([folder], kind)
    assert found.incomplete == ("model-a: INCOMPLETE, 1 of 3 are not judged yet; run the same `evaluate` again",)
    if kind == "junit":
        (suite,) = ET.fromstring(found.text)
        assert [case.get("name") for case in suite if case.find("error") is not None] == [row("generation").task_id]


def test_show_has_the_task_the_file_its_targets_and_mutants(folders: list[Path]) -> None:
    text = render_show(folders[0], row("refinement").task_id)
    for expected in (
        "refinement, 4 control edits run, ignored: src/test/java/shop/Notes.java",
        "cov_on_pass 0.700",
        "Test file: src/test/java/shop/CartTest.java",
        "Target method: shop.CartTest#testMore",
        f"Old revision (rev1): {'1' * 40}",
        f"New revision (rev2): {'2' * 40}, 2026-01-02T03:04:05Z",
        "Java: 17",
        "class CartTest {",
        "Pass       new revision 2222222222",
        "7 of 10 lines of the dependency methods, gain +0.200",
        "1 of 2 killed",
    ):
        assert expected in text
    assert "old revision" not in text.split("\nTargets\n")[1]
    failed = render_show(folders[1], row("update").task_id)
    assert f"cov_on_pass {DASH}" in failed
    cells = failed.split("\nTargets\n")[1]
    assert re.search(r"Pass +new .*\n +Pass +old .*\n +missed .*\(graded progress 0\.667\)  it passes on", cells)
    assert re.search(r"ExecFail +new .*\n +not run +old .*\n +missed .*0\.333\)  expected 3", cells)


def test_show_tells_targets_apart_that_share_a_mutant(folders: list[Path]) -> None:
    name = row("update").task_id
    assert [line.split()[:4] for line in render_show(folders[0], name).splitlines() if SHARED in line] == [
        [f"{SHARED}@1", "killed", "testTotal", "expected:"],
        [f"{SHARED}@2", "killed", "testRebate", "expected:"],
    ]
    text = render_show(folders[0], name, f"{SHARED}@2")
    assert "testRebate" in text
    assert "+    total -= price;" in text
    with pytest.raises(UserError, match=f"several targets; choose `{SHARED}@1` or `{SHARED}@2`"):
        render_show(folders[0], name, SHARED)
    with pytest.raises(UserError, match="did you mean"):
        render_show(folders[0], name[:-1])


def test_show_as_plain_values_is_what_the_files_hold(folders: list[Path]) -> None:
    name = row("update").task_id
    value = find_shown(folders[0], name)
    assert value["instance"] == json.loads(row("update").to_json())
    assert value["result"] == json.loads(task("update", "success").to_json())
    survived = value["result"]["targets"][1]["mutants"][1]
    found = find_shown(folders[0], name, survived["mutant_id"])
    assert found["mutant"] == survived
    assert survived["mutant_id"] in found["diff"]
    assert find_shown(folders[0], name, f"{SHARED}@2")["mutant"]["mutant_id"] == SHARED


def test_records_are_the_benchmarks_own(folders: list[Path]) -> None:
    run = load_results(folders[0])
    assert [made.task_id for made in run.rows] == [made.task_id for made in run.tasks()]
    assert run.task(row("update").task_id) == task("update", "success")


def test_the_page_holds_no_text_of_a_prediction_as_markup(folders: list[Path]) -> None:
    page = render("html", folders)
    assert "<img" not in page
    assert "\x00" not in page
    assert page.count("</script>") == page.count("<script") == 3


def test_a_disagreement_is_said(tmp_path: Path) -> None:
    made = task("update", "success").model_copy(update={"how": "cold", "audited": 3, "disagreements": 2})
    folder = write_evo_tasks(tmp_path / "r", [made])
    assert "2 of 3 audited warm runs differed from cold ones" in render_show(folder, made.task_id)
