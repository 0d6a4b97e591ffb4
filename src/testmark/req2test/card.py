"""`README.md` of a benchmark folder: a data set card that `datasets.load_dataset(BENCH)` reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from testmark.records.definition import ProjectTable

_TEMPLATE = """\
---
pretty_name: Req2Test of {name}
language:
- en
tags:
- code
- software-testing
- test-generation
- bdd
- gherkin
- mutation-testing
configs:
- config_name: default
  default: true
  description: instances of sha256-{rows}
  data_files:
  - split: eval
    path: data/eval.parquet
  - split: full
    path: data/full.parquet
- config_name: gt_tests
  description: reference tests of sha256-{references}
  data_files:
  - split: full
    path: gt_tests/full.parquet
---

# Req2Test of {name}

A benchmark of requirement-to-test generation, built by testmark from `{repo_url}` at `{commit}`.
Upstream licence: {licence}. Task content stays under it.

| | |
|---|---:|
| instances in `full` | {full} |
| instances in `eval` | {eval} |
| pairs of an instance of `full` and a mutant | {mutants} |
| of these killed by the reference test | {killed} |
| control edits | {controls} |

Load the rows with `datasets.load_dataset("path/of/this/folder")` and the reference tests with its configuration
`gt_tests`. `dropped.jsonl` names each Scenario and mutant that is not here, with the rule that dropped it.

Keep `gt_tests/`, `kit/` and `mutants.jsonl` away from the agents that are measured: they hold the answers. An agent
gets what `req2test prepare` makes from `views/`, and nothing else.
"""


@dataclass(frozen=True)
class BenchSummary:
    """What a benchmark folder holds."""

    bench_id: str
    full: int
    eval: int
    mutants: int
    killed: int
    controls: int
    dropped: dict[str, int]
    """Counts by `kind: rule`."""
    examples: dict[str, str]
    """For each `kind: rule` of Scenarios the first that it dropped, and why."""
    cold_only: int


def card_text(project: ProjectTable, summary: BenchSummary, hashes: Mapping[str, str]) -> str:
    """The card's text; `hashes` are those of the data files, by path.

    They stand in its header because `datasets` caches by the folder's name and that header, and looks at no row.
    """
    return _TEMPLATE.format(
        rows=hashes["data/full.parquet"],
        references=hashes["gt_tests/full.parquet"],
        name=project.name,
        repo_url=project.repo_url,
        commit=project.commit,
        licence=project.licence or "not stated",
        full=summary.full,
        eval=summary.eval,
        mutants=summary.mutants,
        killed=summary.killed,
        controls=summary.controls,
    )
