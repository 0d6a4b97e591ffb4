"""The cards of a TestEvo benchmark: one a track, which `datasets.load_dataset(BENCH/<track>)` reads, and one on top."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from testmark.records.tasks import TRACKS, Track

_TRACK = """\
---
pretty_name: TestEvo {track} of {name}
language:
- en
tags:
- code
- java
- test-evolution
- software-testing
configs:
- config_name: full
  default: true
  data_files:
  - split: test
    path: data/full.parquet
- config_name: lite
  data_files:
  - split: test
    path: data/lite.parquet
---

# TestEvo {track} of {name}

{meaning}

| | `full` | `lite` |
|---|---:|---:|
| tasks | {full} | {lite} |

Mined by testmark from `{url}`. `new_test_code` is the developers' solution: keep these files away from the agents that
are measured. The code snippets stay under the licence of their project.
"""
_MEANINGS: Mapping[Track, str] = {
    "update": "The developers' old test fails on the new code. The task restores it; the updated test must pass on the "
    "new code and fail on the old one.",
    "generation": "The test is new. The task asks for it; it must pass on the new code and fail on the old one.",
    "refinement": "The developers' old test passes on the new code, and they extended it. The refined test must pass "
    "on the new code and cover more lines of the production methods that the developers' test executes.",
}
_TOP = """\
# TestEvo of {name}

Three data sets, mined by testmark from `{url}`: load one with `datasets.load_dataset("path/of/this/folder/update")`.

| track | `full` | `lite` |
|---|---:|---:|
{rows}

`dropped.jsonl` names every commit, pair, test and mutant that is not here, with stage, reason and detail. Keep `kit/`,
`mutants.jsonl` and the data away from the agents that are measured: they get what `testevo prepare` makes.
"""


@dataclass(frozen=True)
class TrackCounts:
    """Tasks of one track."""

    full: int
    lite: int


def track_card(track: Track, name: str, url: str, counts: TrackCounts) -> str:
    """`README.md` of one track's folder."""
    return _TRACK.format(track=track, name=name, url=url, meaning=_MEANINGS[track], full=counts.full, lite=counts.lite)


def top_card(name: str, url: str, counts: Mapping[Track, TrackCounts]) -> str:
    """`README.md` of the benchmark folder."""
    rows = "\n".join(f"| {track} | {counts[track].full} | {counts[track].lite} |" for track in TRACKS)
    return _TOP.format(name=name, url=url, rows=rows)
