"""Rows against the data set's card, field by field: names, nesting, types, what may be null, and what they mean.

The card is that of the refinement track. Update and generation have the same schema; where the card's words do not
hold for them a value is null.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from hashlib import md5
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from testmark.records.tasks import TRACKS, Track
from testmark.testevo.parquet import rows_to_parquet
from tests.testevo.repository import Repository

Shape = str | list["Shape"] | dict[str, "Shape"]
CARD: dict[str, Shape] = {
    "task_id": "string",
    "project_name": "string",
    "git_clone_url": "string",
    "rev1": "string",
    "rev2": "string",
    "date": "string",
    "test_file": "string",
    "test_changes": [
        {
            "change_id": "string",
            "test_sign": "string",
            "class": "string",
            "method": "string",
            "module": "string",
            "junit_selector": "string",
            "old_test_code": "string",
            "new_test_code": "string",
            "old_test_lnum": ["string"],
            "new_test_lnum": ["string"],
            "old_test_file_path": ["string"],
            "all_deps_new": ["string"],
            "variant_result": {
                "old_on_old": "string",
                "old_on_new": "string",
                "new_on_old": "string",
                "new_on_new": "string",
            },
            "coverage_gold": "float",
            "coverage_delta_gold": "float",
            "coverage_gain": {
                "denominator": "int",
                "baseline_covered": "int",
                "developer_covered": "int",
                "gained": "int",
                "lost": "int",
                "net": "int",
                "gain": "float",
                "status": "string",
                "version": "string",
            },
        }
    ],
    "java_version": "int",
}
"""Every field in the card's order. A list has elements of its one member's shape."""
NULL: Mapping[Track, frozenset[str]] = {
    "update": frozenset({"coverage_delta_gold", "coverage_gain"}),
    "generation": frozenset({
        "old_test_code", "variant_result.old_on_old", "variant_result.old_on_new", "coverage_delta_gold", "coverage_gain",
    }),
    "refinement": frozenset(),
}  # fmt: skip
"""What is null in every element of `test_changes`; all else never is."""
EMPTY: Mapping[Track, frozenset[str]] = {
    "update": frozenset(),
    "generation": frozenset({"old_test_lnum", "old_test_file_path"}),
    "refinement": frozenset(),
}
"""Lists that are empty in every element; no other list of strings is."""
OUTCOMES = {"Pass", "ExecFail", "CmplFail", "HrnsFail"}
_DESCRIPTOR = r"\[*(?:[ZBCSIJFD]|L[\w$/]+;)"
_JVM_METHOD = re.compile(rf"[\w$.]+#(?:[\w$]+|<init>)\((?:{_DESCRIPTOR})*\)(?:V|{_DESCRIPTOR})")
_PLAIN: Mapping[str, tuple[Callable[[], pa.DataType], type]] = {
    "string": (pa.string, str),
    "int": (pa.int64, int),
    "float": (pa.float64, float),
}


def arrow(shape: Shape) -> pa.DataType:
    if isinstance(shape, str):
        return _PLAIN[shape][0]()
    if isinstance(shape, list):
        return pa.list_(arrow(shape[0]))
    return pa.struct([(name, arrow(inner)) for name, inner in shape.items()])


def rows(bench: Path, track: Track, part: str = "full") -> list[dict[str, Any]]:
    lines = (bench / track / "data" / f"{part}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def deviations(value: object, shape: Shape, path: str = "") -> Iterator[str]:
    """What of a value is not of its shape; nulls are left to `nulls`."""
    if value is None:
        return
    if isinstance(shape, str):
        if type(value) is not _PLAIN[shape][1]:
            yield f"{path}: {value!r} is no {shape}"
    elif isinstance(shape, list):
        if not isinstance(value, list):
            yield f"{path}: {value!r} is no list"
            return
        for element in value:
            yield from deviations(element, shape[0], path)
    elif not isinstance(value, dict) or list(value) != list(shape):
        yield f"{path}: {value!r} has not the members {list(shape)} in this order"
    else:
        for name, inner in shape.items():
            yield from deviations(value[name], inner, f"{path}.{name}".lstrip("."))


def nulls(value: object, path: str = "") -> Iterator[str]:
    """Paths of all that is null."""
    if value is None:
        yield path
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from nulls(inner, f"{path}.{name}".lstrip("."))
    elif isinstance(value, list):
        for element in value:
            yield from nulls(element, path)


def test_a_file_without_rows_has_the_whole_schema() -> None:
    expected = pa.schema([(name, arrow(shape)) for name, shape in CARD.items()])
    file = pq.ParquetFile(io.BytesIO(rows_to_parquet([])))
    assert file.schema_arrow.equals(expected)
    assert file.metadata.num_row_groups == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"java_version": "8"}, "java_version: '8' is no int"),
        ({"java_version": True}, "java_version: True is no int"),
        ({"test_changes": {}}, "test_changes: {} is no list"),
        ({"test_changes": [{"change_id": "a"}]}, "test_changes: {'change_id': 'a'} has not the members"),
        ({"more": 1}, "has not the members"),
    ],
)
def test_a_row_that_is_not_of_the_card_is_found(change: dict[str, object], said: str) -> None:
    row = {
        name: {"string": "", "int": 1}.get(shape, []) if isinstance(shape, str) else [] for name, shape in CARD.items()
    }
    assert list(deviations(row, CARD)) == []
    (found,) = deviations({**row, **change}, CARD)
    assert said in found


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.xdist_group("testevo")
class TestMinedRows:
    """On the benchmark of the small history."""

    @pytest.mark.parametrize("track", TRACKS)
    @pytest.mark.parametrize("part", ["full", "lite"])
    def test_the_schema_of_the_files_is_the_cards(self, bench: Path, track: Track, part: str) -> None:
        expected = pa.schema([(name, arrow(shape)) for name, shape in CARD.items()])
        assert pq.read_schema(bench / track / "data" / f"{part}.parquet").equals(expected)

    @pytest.mark.parametrize("track", TRACKS)
    def test_every_value_has_its_type_and_only_what_must_be_is_null(self, bench: Path, track: Track) -> None:
        assert rows(bench, track)
        for row in rows(bench, track):
            assert list(deviations(row, CARD)) == []
            assert list(nulls({**row, "test_changes": []})) == []
            for change in row["test_changes"]:
                assert set(nulls(change)) == NULL[track]
                lists = {name for name, value in change.items() if value == []}
                assert lists == EMPTY[track]

    def test_rows_say_which_revisions_they_compare(self, bench: Path, place: Path, commits: list[str]) -> None:
        repository = Repository(place / "repository")
        for track in TRACKS:
            for row in rows(bench, track):
                assert row["git_clone_url"] == "https://host/example/fees"
                assert row["project_name"] == "example_fees-main"
                assert {row["rev1"], row["rev2"]} <= set(commits)
                repository.git("merge-base", "--is-ancestor", row["rev1"], row["rev2"])
                committed = repository.git("show", "-s", "--format=%ct", row["rev2"])
                assert datetime.strptime(row["date"], "%Y-%m-%dT%H:%M:%S%z").timestamp() == int(committed)
                assert row["date"].endswith("Z")
                assert row["java_version"] in {8, 9, 11, 17, 18, 21, 25}
                name = Path(row["test_file"]).stem
                methods = ",".join(sorted(change["method"] for change in row["test_changes"]))
                mark = md5(f"{row['test_file']}|{methods}".encode()).hexdigest()[:8]
                assert row["task_id"] == f"example_fees-main__{row['rev1'][:7]}_{row['rev2'][:7]}__{name}_{mark}"

    def test_code_and_lines_are_those_of_the_revisions(self, bench: Path, place: Path) -> None:
        repository = Repository(place / "repository")
        for track in TRACKS:
            for row in rows(bench, track):
                for change in row["test_changes"]:
                    (new,) = change["new_test_lnum"]
                    assert lines(repository, row["rev2"], row["test_file"], new) == change["new_test_code"]
                    if track == "generation":
                        continue
                    (old,), (path,) = change["old_test_lnum"], change["old_test_file_path"]
                    assert lines(repository, row["rev1"], path, old) == change["old_test_code"]
                    assert change["old_test_code"] != change["new_test_code"]

    @pytest.mark.parametrize("track", TRACKS)
    def test_a_change_names_its_method_and_what_it_did(self, bench: Path, track: Track) -> None:
        changes = [change for row in rows(bench, track) for change in row["test_changes"]]
        assert len({change["change_id"] for change in changes}) == len(changes)
        for change in changes:
            own = f"{change['class']}#{change['method']}"
            assert change["junit_selector"] == own
            assert change["test_sign"] == f"{own}()V"
            assert change["module"] == "."
            assert set(change["variant_result"].values()) - {None} <= OUTCOMES
            dependencies = change["all_deps_new"]
            assert len(set(dependencies)) == len(dependencies)
            assert [one for one in dependencies if not _JVM_METHOD.fullmatch(one)] == []
            assert 0 < change["coverage_gold"] <= 1

    def test_the_outcomes_are_those_of_the_track(self, bench: Path) -> None:
        for track in TRACKS:
            for row in rows(bench, track):
                for change in row["test_changes"]:
                    found = change["variant_result"]
                    assert found["new_on_new"] == "Pass"
                    if track == "refinement":
                        assert (found["old_on_old"], found["old_on_new"]) == ("Pass", "Pass")
                    else:
                        assert found["new_on_old"] != "Pass"
                    if track == "update":
                        assert (found["old_on_old"], found["old_on_new"]) == ("Pass", "ExecFail")

    def test_the_parts_of_a_gain_add_up(self, bench: Path) -> None:
        for row in rows(bench, "refinement"):
            for change in row["test_changes"]:
                gain = change["coverage_gain"]
                before, after = gain["baseline_covered"], gain["developer_covered"]
                assert 0 <= before < after <= gain["denominator"]
                assert gain["net"] == after - before == gain["gained"] - gain["lost"]
                assert gain["gain"] == change["coverage_delta_gold"] == gain["net"] / gain["denominator"] > 0
                assert change["coverage_gold"] == after / gain["denominator"]
                assert (gain["status"], gain["version"]) == ("gain", "rev2")

    @pytest.mark.parametrize("track", TRACKS)
    def test_rows_of_lite_are_rows_of_full_to_the_byte(self, bench: Path, track: Track) -> None:
        full, lite = ((bench / track / "data" / f"{part}.jsonl").read_bytes().splitlines() for part in ("full", "lite"))
        assert [line for line in full if line in set(lite)] == lite


def lines(repository: Repository, revision: str, path: str, span: str) -> str:
    """The text of a range of lines, both ends included, without the first line's indentation."""
    first, last = map(int, span.split("-"))
    text = repository.git("show", f"{revision}:{path}")
    return "\n".join(text.splitlines()[first - 1 : last]).lstrip()
