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
  description: {full.description}
  data_files:
  - split: test
    path: data/full.parquet
- config_name: lite
  description: {lite.description}
  data_files:
  - split: test
    path: data/lite.parquet
---

# TestEvo {track} of {name}

{meaning}

| | `full` | `lite` |
|---|---:|---:|
| tasks | {full.tasks} | {lite.tasks} |

```python
from datasets import load_dataset

tasks = load_dataset("path/of/this/folder", "full", split="test"{streaming})
```

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

`datasets` reads a configuration without tasks with `streaming=True` alone.

`dropped.jsonl` names every commit, pair, test and mutant that is not here, with stage, reason and detail. Keep `kit/`,
`mutants.jsonl` and the data away from the agents that are measured: they get what `testevo prepare` makes.
"""


@dataclass(frozen=True)
class TrackCounts:
    """Tasks of one track."""

    full: int
    lite: int


@dataclass(frozen=True)
class Configuration:
    """One configuration of a track's data set."""

    tasks: int
    sha256: str
    """Of its Parquet file."""

    @property
    def description(self) -> str:
        """It tells rows apart: `datasets` caches by the folder's name and the card's header, and looks at no row."""
        return f"tasks of sha256-{self.sha256}"


def track_card(track: Track, name: str, url: str, full: Configuration, lite: Configuration) -> str:
    """`README.md` of one track's folder."""
    return _TRACK.format(
        track=track,
        name=name,
        url=url,
        meaning=_MEANINGS[track],
        full=full,
        lite=lite,
        streaming="" if full.tasks else ", streaming=True",
    )


def top_card(name: str, url: str, counts: Mapping[Track, TrackCounts]) -> str:
    """`README.md` of the benchmark folder."""
    rows = "\n".join(f"| {track} | {counts[track].full} | {counts[track].lite} |" for track in TRACKS)
    return _TOP.format(name=name, url=url, rows=rows)
