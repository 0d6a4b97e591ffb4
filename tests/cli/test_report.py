"""`report` and `show` as commands: exit codes, what goes to which stream, and one JSON object with `--json`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from testmark.cli.req2test import main
from testmark.records.slugs import slug
from tests.reports.synthetic import mutant_ids, row, write_results

KINDS = ("table", "json", "md", "html", "junit")


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_results(tmp_path_factory.mktemp("results") / "whole", model="model-b", count=6)


@pytest.fixture(params=["infra", "stopped"])
def incomplete(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    folder = write_results(tmp_path / "r", count=6, verdict="infra" if request.param == "infra" else "passed")
    if request.param == "stopped":
        (folder / "summary.json").unlink()
        (folder / "tasks" / f"{slug(row(2).instance_id)}.json").unlink()
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_a_complete_run_exits_0(kind: str, whole: Path) -> None:
    done = call("report", whole, "--format", kind)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "model-b" in done.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_an_incomplete_run_says_so_and_exits_1(kind: str, whole: Path, incomplete: Path) -> None:
    done = call("report", whole, incomplete, "--format", kind)
    assert done.exit_code == 1
    assert "model-a: INCOMPLETE" in (done.stdout if kind == "table" else done.stderr)
    assert "model-b: INCOMPLETE" not in done.output


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_in_a_file_says_so_too(kind: str, incomplete: Path, tmp_path: Path) -> None:
    place = tmp_path / "report"
    done = call("report", incomplete, "--format", kind, "--out", place)
    assert done.exit_code == 1
    assert done.stdout == f"wrote {place}\n"
    assert "model-a: INCOMPLETE" in done.stderr
    assert "model-a" in place.read_text(encoding="utf-8")


def test_json_is_one_object(whole: Path, tmp_path: Path) -> None:
    assert json.loads(call("report", whole, "--json").stdout) == json.loads(
        call("report", whole, "--format", "json").stdout
    )
    place = tmp_path / "r.html"
    done = call("report", whole, "--format", "html", "--out", place, "--json")
    assert json.loads(done.stdout) == {"out": str(place), "format": "html", "incomplete": []}
    refused = call("report", whole, "--format", "html", "--json")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--out" in refused.stderr


def test_show_gives_an_instance_or_a_mutant_as_json(whole: Path) -> None:
    name = row(1).instance_id
    assert json.loads(call("show", whole, name, "--json").stdout)["result"]["instance_id"] == name
    mutant = mutant_ids(row(1), 1)[0]
    assert json.loads(call("show", whole, name, mutant, "--json").stdout)["mutant"]["mutant_id"] == mutant
    unknown = call("show", whole, "nothing", "--json")
    assert (unknown.exit_code, unknown.stdout) == (2, "")


def test_a_folder_without_an_evaluation_exits_2(tmp_path: Path) -> None:
    done = call("report", tmp_path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "holds no evaluation" in done.stderr
