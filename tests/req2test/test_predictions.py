"""Reading predictions: every fault is one sentence with file and line, exit code 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testmark.agents.predictions import read_predictions
from testmark.engine.files import owned
from testmark.errors import UserError
from testmark.records.results import AgentRun
from testmark.reports.load import load_results

GOOD = {
    "instance_id": "p/f.feature:3",
    "model_name_or_path": "m",
    "files": [{"path": "features/steps/a.py", "content": "x"}],
}


def write(folder: Path, *lines: object, name: str = "predictions.jsonl") -> Path:
    place = folder / name
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    place.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return place


def test_lines_files_and_run_folders_are_read(tmp_path: Path) -> None:
    other = {**GOOD, "instance_id": "p/f.feature:9"}
    found = read_predictions(write(tmp_path, GOOD, "", other))
    assert list(found.predictions) == ["p/f.feature:3", "p/f.feature:9"]
    assert found.model == "m"
    assert read_predictions(tmp_path).predictions == found.predictions


def test_a_run_that_was_stopped_has_no_predictions_yet(tmp_path: Path) -> None:
    run = AgentRun(agent="command", command="x", bench_id="b", seed=0)
    (tmp_path / "run.json").write_text(run.to_json(), encoding="utf-8")
    with pytest.raises(UserError, match="stopped before its end; finish it with the same `run`"):
        read_predictions(tmp_path)
    with pytest.raises(UserError, match="holds the run of an agent; judge it with"):
        load_results(tmp_path)


def test_a_folder_of_something_else_is_not_written_into(tmp_path: Path) -> None:
    for mark, what, taken in (
        ("testmark.toml", "a project", ()),
        ("bench.json", "a benchmark", ("benchmark",)),
        ("run.json", "a run or an evaluation", ("run", "evaluation")),
    ):
        folder = tmp_path / mark.replace(".", "-")
        folder.mkdir()
        (folder / mark).touch()
        for kind in {"benchmark", "run", "evaluation", "set of workspaces"} - set(taken):
            with pytest.raises(UserError, match=rf"holds {what}.*; choose another --out"), owned(folder, kind):
                pass
        assert [path.name for path in folder.iterdir()] == [mark]
        for kind in taken:
            with owned(folder, kind):
                pass


@pytest.mark.parametrize("kind", ["benchmark", "run", "evaluation", "set of workspaces"])
def test_a_folder_with_files_that_are_not_ours_is_left_as_it_is(tmp_path: Path, kind: str) -> None:
    (tmp_path / "README.md").write_text("of somebody", encoding="utf-8")
    (tmp_path / "kit").mkdir()
    told = r"holds README.md and more, which no .* of testmark has left"
    with pytest.raises(UserError, match=told), owned(tmp_path, kind):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["README.md", "kit"]


@pytest.mark.parametrize("kind", ["benchmark", "run", "evaluation", "set of workspaces"])
def test_a_folder_that_was_ours_once_is_gone_on_with(tmp_path: Path, kind: str) -> None:
    for _ in range(2):
        with owned(tmp_path, kind):
            (tmp_path / "part").touch()


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    place = write(tmp_path, GOOD)
    place.write_bytes(b"\xef\xbb\xbf" + place.read_bytes())
    assert len(read_predictions(place).predictions) == 1


@pytest.mark.parametrize("indent", [None, 2])
def test_the_keyed_object_of_mini_swe_agent_is_read(tmp_path: Path, indent: int | None) -> None:
    value = {"p/f.feature:3": {"model_name_or_path": "m", "instance_id": "p/f.feature:3", "model_patch": ""}}
    place = tmp_path / "preds.json"
    place.write_text(json.dumps(value, indent=indent), encoding="utf-8")
    assert read_predictions(place).predictions["p/f.feature:3"].model_patch == ""


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([GOOD, "{broken"], ":2: is not JSON"),
        ([GOOD, GOOD], ":2: .* predicted in line 1 already"),
        ([GOOD, [1]], ":2: is no JSON object"),
        ([{**GOOD, "files": None}], ":1: give exactly one of"),
        ([{**GOOD, "model_patch": "x"}], ":1: give exactly one of"),
        ([{"files": []}], ":1: .*instance_id"),
        ([{**GOOD, "files": [{"path": 1, "content": "x"}]}], ":1: .*path"),
        ([GOOD, {**GOOD, "instance_id": "b", "model_name_or_path": "n"}], ":2: the model is `n`"),
    ],
)
def test_each_fault_names_its_line(tmp_path: Path, lines: list[object], says: str) -> None:
    with pytest.raises(UserError, match=says) as caught:
        read_predictions(write(tmp_path, *lines))
    assert caught.value.exit_code == 2


def test_what_is_not_utf8_names_its_line(tmp_path: Path) -> None:
    place = write(tmp_path, GOOD)
    place.write_bytes(place.read_bytes() + b'{"instance_id": "\xff"}\n')
    with pytest.raises(UserError, match=":2: is not UTF-8"):
        read_predictions(place)


def test_unknown_instances_are_named_with_the_nearest(tmp_path: Path) -> None:
    found = read_predictions(write(tmp_path, GOOD))
    with pytest.raises(UserError, match=r"did you mean `p/f\.feature:4`"):
        found.check_ids(["p/f.feature:4", "q"])


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such file"):
        read_predictions(tmp_path / "nothing.jsonl")
