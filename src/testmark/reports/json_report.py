"""One JSON object: the runs' summaries and their comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from testmark.records.base import dump_json
from testmark.reports.compare import compare
from testmark.reports.load import LoadedResults


def render(runs: Sequence[LoadedResults]) -> str:
    """`{"runs": [label, what is incomplete, and summary…], "comparisons": […]}`.

    A run of TestEvo also has `shares` and `by_track`, estimates like those of `metrics` and `by_project`.
    """
    value = {
        "runs": [
            {
                "label": run.label,
                "incomplete": run.incomplete,
                **run.summary.model_dump(mode="json"),
                **(run.breakdown.as_dict() if run.breakdown else {}),
            }
            for run in runs
        ],
        "comparisons": [asdict(found) for found in compare(runs)],
    }
    return dump_json(value, indent=1) + "\n"
