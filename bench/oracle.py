"""Mined tasks against published ones: what is found, what is missed and why, and what is extra.

Usage: python bench/oracle.py ORACLE.json BENCH [ORACLE.json BENCH ...]
ORACLE is `{"project_name", "tasks": [{"track", "task_id", "rev1", "rev2", "test_methods", ...}]}`. Exits 1 when fewer
than 95 % of all published tasks are found.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from testmark.records.tasks import TRACKS
from testmark.testevo.bench import open_bench
from testmark.testevo.changes import called_once

_GOAL = 0.95
Key = tuple[str, str, str, str]


def main() -> None:
    """Print a table for each benchmark, and the share of all tasks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("places", type=Path, nargs="+", metavar="ORACLE BENCH")
    places = parser.parse_args().places
    if len(places) % 2:
        parser.error("each ORACLE.json stands before its BENCH")
    counts = [_table(oracle, folder) for oracle, folder in zip(places[::2], places[1::2], strict=True)]
    same, published = (sum(column) for column in zip(*counts, strict=True))
    print(f"\n{same} of {published} published tasks in all ({same / published:.1%})")
    sys.exit(0 if same >= _GOAL * published else 1)


def _table(oracle: Path, folder: Path) -> tuple[int, int]:
    """How many published tasks have the same identifier here, and how many there are."""
    published = json.loads(oracle.read_text(encoding="utf-8"))["tasks"]
    wanted = {
        (task["track"].removeprefix("test_"), task["rev1"], task["rev2"], method)
        for task in published
        for method in task["test_methods"]
    }
    bench = open_bench(folder)
    found: dict[Key, str] = {}
    names = set()
    for track in TRACKS:
        for row in bench.rows(track):
            names.add(row.task_id)
            found |= {
                (track, row.rev1, row.rev2, _shown(c.class_, c.method)): c.new_test_code for c in row.test_changes
            }
    dropped = _dropped(folder)
    same = [task for task in published if task["task_id"] in names]
    print(f"\n{oracle.stem}: {len(same)} of {len(published)} published tasks have the same identifier")
    print(f"{len(wanted & found.keys())} of {len(wanted)} published target methods are found\n")
    print("| | track | pair | method | what became of it here |\n|---|---|---|---|---|")
    for key in sorted(wanted - found.keys(), key=lambda key: (key[2], key[3])):
        print(f"| missed | {key[0]} | {key[1][:7]} {key[2][:7]} | {key[3]} | {_became(key, found, dropped)} |")
    pairs = {(task["rev1"], task["rev2"]) for task in published}
    for key in sorted(found.keys() - wanted, key=lambda key: (key[2], key[3])):
        print(f"| extra | {key[0]} | {key[1][:7]} {key[2][:7]} | {key[3]} | {_why_extra(key, found[key], pairs)} |")
    return len(same), len(published)


def _why_extra(key: Key, code: str, pairs: set[tuple[str, str]]) -> str:
    """As far as it can be told from here: why a record was left out there is published nowhere."""
    if not called_once(code):
        return "parameterized, repeated or dynamic; published targets are `@Test` methods"
    if (key[1], key[2]) in pairs:
        return "passes every stage here, in a pair of which other tasks are published"
    return "passes every stage here; no task of the pair is published"


def _shown(test_class: str, method: str) -> str:
    return f"{test_class.rpartition('.')[2]}#{method}"


def _dropped(bench: Path) -> dict[str, list[dict[str, Any]]]:
    by_revision: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in (bench / "dropped.jsonl").read_text(encoding="utf-8").splitlines():
        drop = json.loads(line)
        if drop["kind"] in {"commit", "pair", "test"}:
            revision = drop["id"].partition("#")[0].rpartition("_")[2]
            by_revision[revision[:7]].append(drop)
    return by_revision


def _became(key: Key, found: Iterable[Key], dropped: dict[str, list[dict[str, Any]]]) -> str:
    other = [one for one in found if one[2:] == key[2:]]
    if other:
        return f"{other[0][0]} of the pair {other[0][1][:7]} {other[0][2][:7]}"
    own = key[3].rpartition("#")[2]
    drops = dropped.get(key[2][:7], [])
    named = [drop for drop in drops if drop["kind"] == "test" and f"#{own}(" in drop["id"]]
    for drop in named or [drop for drop in drops if drop["kind"] != "test"]:
        return f"{drop['rule']}: {drop['detail']}".replace("|", "\\|").replace("\n", " ")[:200]
    return "no candidate"


if __name__ == "__main__":
    main()
