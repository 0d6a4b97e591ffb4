"""`datasets.load_dataset` on the benchmark folder as it was mined: three tracks, `full` and `lite`.

`datasets` cannot read a split of no rows but as a stream (its `ArrowReader` refuses it before it looks at the schema), so
that is how an empty configuration is loaded here, and what its card tells readers to do.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from testmark.engine.folder import FolderWriter
from testmark.records.tasks import TRACKS, TaskRow, Track
from testmark.testevo.assemble import Repository, write_track
from testmark.testevo.bench import open_bench
from tests.testevo.test_card import CARD, Shape

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.xdist_group("testevo")]
Load = Callable[..., Any]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """`load_dataset` of the split `test`, without network and with a cache of its own."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    datasets = pytest.importorskip("datasets", reason="the package `datasets` is not installed")
    return lambda folder, *name, **more: datasets.load_dataset(
        str(folder), *name, split="test", cache_dir=str(tmp_path / "cache"), **more
    )


def features(shape: Shape) -> object:
    """What `datasets` makes of the card's types."""
    import datasets

    if isinstance(shape, str):
        return datasets.Value({"int": "int64", "float": "float64"}.get(shape, shape))
    if isinstance(shape, list):
        return datasets.List(features(shape[0]))
    return {name: features(inner) for name, inner in shape.items()}


def as_mined(rows: list[TaskRow]) -> list[dict[str, Any]]:
    return [row.model_dump(mode="json", by_alias=True) for row in rows]


@pytest.mark.parametrize("track", TRACKS)
@pytest.mark.parametrize("part", ["full", "lite"])
def test_every_configuration_loads_with_the_cards_types(bench: Path, load: Load, track: Track, part: str) -> None:
    rows = open_bench(bench).rows(track, "lite" if part == "lite" else "full")
    loaded = load(bench / track, part, streaming=not rows)
    assert dict(loaded.features) == features(CARD)
    assert list(loaded) == as_mined(rows)


def test_what_is_meant_without_a_name_is_full(bench: Path, load: Load) -> None:
    assert list(load(bench / "update")) == as_mined(open_bench(bench).rows("update"))


def test_each_track_may_be_empty_in_full(bench: Path, load: Load, tmp_path: Path) -> None:
    for track in TRACKS:
        write_track(FolderWriter(tmp_path / "empty"), Repository("shop-main", "url"), track, [], [])
        for part in ("full", "lite"):
            loaded = load(tmp_path / "empty" / track, part, streaming=True)
            assert (dict(loaded.features), list(loaded)) == (features(CARD), [])


def test_rows_of_another_benchmark_do_not_come_out_of_the_cache(bench: Path, load: Load, tmp_path: Path) -> None:
    # `datasets` caches by the folder's name, which is the track's, and by the header of the card.
    rows = open_bench(bench).rows("update")
    assert list(load(bench / "update", "full")) == as_mined(rows)
    others = [rows[0].model_copy(update={"date": "2025-01-01T00:00:00Z"})]
    write_track(FolderWriter(tmp_path / "other"), Repository("shop-main", "url"), "update", others, others)
    for part in ("full", "lite"):
        assert list(load(tmp_path / "other/update", part)) == as_mined(others)
    mended = [rows[0].model_copy(update={"date": "2026-01-01T00:00:00Z"})]
    shutil.rmtree(tmp_path / "other")
    write_track(FolderWriter(tmp_path / "other"), Repository("shop-main", "url"), "update", mended, mended)
    assert list(load(tmp_path / "other/update", "lite")) == as_mined(mended)
