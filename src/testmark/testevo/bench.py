"""A benchmark folder of TestEvo as the judge reads it, and its trees and store as folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from testmark.engine.bench import BenchFolder, read_manifest
from testmark.errors import UserError
from testmark.records.evokit import EvoKit, EvoView, KitSide
from testmark.records.slugs import slug
from testmark.records.tasks import TRACKS, TaskRow, Track
from testmark.runtimes.maven.maven_home import toolchain_for
from testmark.runtimes.maven.protocol import BuiltTree, Toolchain
from testmark.testevo.archives import unpacked
from testmark.testevo.identity import utc_text

Part = Literal["full", "lite"]


@dataclass(frozen=True)
class Selection:
    """Which tasks are meant; dates are those of `rev2`, both ends included."""

    tracks: tuple[Track, ...] = TRACKS
    part: Part = "full"
    only: tuple[str, ...] = ()
    limit: int | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True)
class EvoBench(BenchFolder):
    """An opened benchmark of TestEvo."""

    def rows(self, track: Track, part: Part = "full") -> list[TaskRow]:
        """The tasks of one track, in the data set's order."""
        return list(self.records(TaskRow, f"{track}/data/{part}.jsonl"))

    def names(self) -> list[str]:
        """The identifiers of all tasks of all tracks."""
        return [row.task_id for track in TRACKS for row in self.rows(track)]

    def select(self, selection: Selection) -> list[tuple[Track, TaskRow]]:
        """The tasks that were asked for; raises `UserError` when there are none."""
        low = utc_text(selection.since) if selection.since else ""
        high = utc_text(selection.until) if selection.until else "~"
        found = [
            (track, row)
            for track in selection.tracks
            for row in self.rows(track, selection.part)
            if low <= row.date <= high and _named(row.task_id, selection.only)
        ]
        if not found:
            raise UserError(
                f"{self.folder}: no task is selected; correct --track, --only, --since, --until or --lite, or see "
                f"{self.folder / 'dropped.jsonl'}"
            )
        return found[: selection.limit]

    def kit(self, task_id: str) -> EvoKit:
        """What the judge knows of a task."""
        return self.record(EvoKit, f"kit/tasks/{slug(task_id)}.json")

    def view(self, task_id: str) -> EvoView:
        """What an agent is told of a task."""
        return self.record(EvoView, f"views/{slug(task_id)}.json")

    def tree(self, side: KitSide, toolchains: Sequence[Toolchain], cache: Path) -> BuiltTree:
        """One revision's built tree with the store, unpacked below `cache`; raises `UserError` without its JDK."""
        toolchain = toolchain_for(side.build, toolchains)
        if toolchain is None:
            raise UserError(
                f"Java {side.build.java_version} is not at hand, which {side.revision[:7]} needs; "
                "`testevo toolchain install` brings it"
            )
        return BuiltTree(self.files(side, cache), self.store(cache), toolchain, side.build.modules, side.build.released)

    def files(self, side: KitSide, cache: Path) -> Path:
        """One revision's files, those of its build among them, unpacked below `cache`."""
        return unpacked(self.folder / "kit/trees" / f"{side.tree}.tar.gz", cache / "trees")

    def store(self, cache: Path) -> Path:
        """The repository's offline store of artifacts, unpacked below `cache`."""
        return unpacked(self.folder / "kit/store.tar", cache / "stores")


def _named(task_id: str, only: Sequence[str]) -> bool:
    return not only or any(fnmatchcase(task_id, pattern) for pattern in only)


def open_bench(folder: Path) -> EvoBench:
    """Open a benchmark folder; raises `UserError` when it is none."""
    return EvoBench(folder, read_manifest(folder, "testevo"))
