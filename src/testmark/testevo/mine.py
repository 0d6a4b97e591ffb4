"""`testevo mine`: from a repository's history to mined pairs; run again it goes on where it was."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import dropwhile
from pathlib import Path
from typing import Protocol

from pydantic import ValidationError

from testmark.engine.files import digest, write_text
from testmark.engine.pool import in_order
from testmark.engine.progress import Progress
from testmark.errors import InfraError
from testmark.records.builds import BuildRecord
from testmark.records.mining import ChangedTest, PairRecord
from testmark.runtimes.maven.cold import ColdRequest
from testmark.runtimes.maven.protocol import BuiltTree, JavaWorker, MethodsRun
from testmark.testevo.candidates import Dropped, Lineage, Pair, ancestors_in_reach, find_candidates
from testmark.testevo.changes import PairChanges, changed
from testmark.testevo.history import History
from testmark.testevo.identity import utc_text
from testmark.testevo.merges import tell_merged
from testmark.testevo.pairs import PairMiner, Refactored, revision_of
from testmark.testevo.revisions import Revisions
from testmark.testevo.rows import tasks_of
from testmark.testevo.stretches import Stretch

MINE_VERSION = 12
"""Part of every pair's key: raise it when what mining says of a pair changes."""
_CHUNK = 4
"""Pairs a job that are built together: trees of those that hold no task are removed after each chunk."""
_LIMITED_CHUNK = 8
"""The same where a number of tasks is enough: what is mined must not depend on the number of jobs."""


class Workshop(Protocol):
    """What mining needs beside the history."""

    def worker(self, tree: BuiltTree) -> JavaWorker:
        """A JVM for a built tree."""
        ...

    def cold(self, tree: BuiltTree, request: ColdRequest) -> MethodsRun:
        """One run of test methods by Maven itself."""
        ...

    def refactored(self, history: History, pair: Pair, changes: PairChanges) -> Refactored:
        """What of a pair is refactoring and nothing else."""
        ...


@dataclass(frozen=True)
class MineOptions:
    """What is mined, and how; the window is over committer's dates."""

    since: datetime | None = None
    until: datetime | None = None
    most_pairs: int | None = None
    enough: int | None = None
    """Of tasks: with so many no more pairs are begun."""
    hours: float | None = None
    """After so many no more pairs are begun."""
    jobs: int = 2
    quiet: bool = False


@dataclass
class Funnel:
    """Everything that was looked at, and what left."""

    commits: int = 0
    candidates: int = 0
    pairs: list[PairRecord] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    builds: dict[str, BuildRecord] = field(default_factory=dict)
    unreached: int = 0
    """Pairs that were not looked at in the time given."""


@dataclass(frozen=True)
class _Side:
    """A revision that builds."""

    record: BuildRecord
    java: int | None = None
    """The JDK that was asked for; None for the first that builds it."""


@dataclass(frozen=True)
class _Ready:
    """A pair whose two revisions are built with one JDK."""

    pair: Pair
    old: _Side
    new: _Side


class Miner:
    """Mines one repository below `folder`."""

    def __init__(
        self, history: History, folder: Path, revisions: Revisions, workshop: Workshop, options: MineOptions
    ) -> None:
        self._history = history
        self._folder = folder
        self._revisions = revisions
        self._workshop = workshop
        self._options = options
        head = history.head()
        self._lineage = Lineage(history, history.commits(head))
        self._window = history.commits(head, since=options.since, until=options.until)
        self._stretch = Stretch(self._build_files)
        self._funnel = Funnel(commits=len(self._window))

    def run(self) -> Funnel:
        """All pairs, oldest first."""
        started = time.monotonic()
        found = find_candidates(self._lineage, self._window)
        pairs = found.pairs[: self._options.most_pairs]
        self._funnel.candidates = len(found.pairs)
        self._funnel.dropped += found.dropped
        self._funnel.unreached = len(found.pairs) - len(pairs)
        chunk = _CHUNK * max(1, self._options.jobs) if self._options.enough is None else _LIMITED_CHUNK
        with Progress("mining", len(pairs), quiet=self._options.quiet) as progress:
            for at in range(0, len(pairs), chunk):
                if self._has_enough(time.monotonic() - started):
                    self._funnel.unreached += len(pairs) - at
                    break
                self._mine_chunk(pairs[at : at + chunk], progress)
                self._sweep(pairs[at + chunk :])
        self._funnel.pairs = tell_merged(self._funnel.pairs, self._lineage.commits)
        return self._funnel

    def _has_enough(self, seconds: float) -> bool:
        hours, enough = self._options.hours, self._options.enough
        if hours is not None and seconds / 3600 > hours:
            return True
        return enough is not None and len(tasks_of(tell_merged(self._funnel.pairs, self._lineage.commits))) >= enough

    def _mine_chunk(self, pairs: Sequence[Pair], progress: Progress) -> None:
        tried = dropwhile(lambda pair: self._stretch.gives_up(pair.rev2), pairs)
        wanted = dict.fromkeys(revision for pair in tried for revision in (pair.rev1, pair.rev2))
        in_order(self._options.jobs, list(wanted), self._revisions.record)
        ready = [one for pair in pairs if (one := self._ready(pair)) is not None]
        mined = in_order(self._options.jobs, ready, self._mine_pair)
        self._funnel.pairs += [record for record in mined if record is not None]
        for pair in pairs:
            progress.step(pair.rev2[:7])

    # -- builds ---------------------------------------------------------------------------------------------------

    def _ready(self, pair: Pair) -> _Ready | None:
        """Both revisions built, or None with the reason in the funnel."""
        if pair.if_broken and self._built(pair.if_broken) is not None:
            self._drop(pair, "mined-with-neighbour", f"{pair.if_broken[:7]} builds and makes a pair of its own")
            return None
        if self._stretch.skips(pair.rev2):
            self._drop(pair, "stretch-abandoned", "five builds in a row before it have failed")
            return None
        new = self._built(pair.rev2)
        self._stretch.saw(pair.rev2, built=new is not None)
        if new is None:
            self._drop(pair, f"build-failed-{self._record(pair.rev2).reason}", self._record(pair.rev2).detail)
            return None
        for candidate in (pair, *ancestors_in_reach(self._lineage, pair)):
            old = self._built(candidate.rev1)
            if old is not None:
                return self._on_one_jdk(candidate, old, new)
        record = self._record(pair.rev1)
        self._drop(pair, f"old-build-failed-{record.reason}", record.detail)
        return None

    def _on_one_jdk(self, pair: Pair, old: _Side, new: _Side) -> _Ready | None:
        """Both built by one JDK: by that of the new revision where it can, else by that of the old one."""
        old_java, new_java = old.record.java_version, new.record.java_version
        if old_java == new_java:
            return _Ready(pair, old, new)
        again = self._revisions.record(pair.rev1, new_java)
        if again.reason is None:
            return _Ready(pair, _Side(again, new_java), new)
        again = self._revisions.record(pair.rev2, old_java)
        if again.reason is None:
            return _Ready(pair, old, _Side(again, old_java))
        detail = f"Java {old_java} builds the old revision alone, {new_java} the new one"
        self._drop(pair, "no-common-jdk", detail)
        return None

    def _built(self, revision: str) -> _Side | None:
        record = self._funnel.builds[revision] = self._record(revision)
        return _Side(record) if record.reason is None else None

    def _record(self, revision: str) -> BuildRecord:
        return self._revisions.record(revision)

    def _drop(self, pair: Pair, reason: str, detail: str) -> None:
        self._funnel.dropped.append(Dropped(pair.key, "S4", reason, detail))

    def _build_files(self, revision: str) -> str:
        """A digest of the pom files of a revision."""
        poms = [path for path in self._history.paths(revision) if path.endswith("pom.xml")]
        return digest(self._history.texts(revision, poms))

    def _sweep(self, later: Sequence[Pair]) -> None:
        """Remove the trees that no task found so far and no later pair needs."""
        kept = {revision for pair in later for revision in (pair.rev1, pair.rev2, pair.if_broken)}
        for record in self._funnel.pairs:
            if any(test.track is not None for test in record.tests):
                kept |= {record.rev1, record.rev2}
        for revision in self._funnel.builds:
            if revision not in kept:
                self._revisions.forget_tree(revision)

    # -- pairs ----------------------------------------------------------------------------------------------------

    def _mine_pair(self, ready: _Ready) -> PairRecord | None:
        """The pair's record; None, with the reason in the funnel, where this machine could not mine it."""
        builds = [ready.old.record.model_dump(mode="json"), ready.new.record.model_dump(mode="json")]
        key = digest(MINE_VERSION, [ready.pair.rev1, ready.pair.rev2, ready.pair.kind], builds)[:32]
        place = self._folder / "pairs" / f"{key}.json"
        with contextlib.suppress(OSError, ValidationError):
            return PairRecord.from_json(place.read_bytes())
        try:
            record = self._mined(ready)
        except InfraError as error:
            self._drop(ready.pair, "infra", str(error))
            return None
        if not any(test.reason == "infra" for test in record.tests):
            write_text(place, record.to_json() + "\n")
        return record

    def _mined(self, ready: _Ready) -> PairRecord:
        pair, old, new = ready.pair, ready.old, ready.new
        changes = changed(self._history, pair.rev1, pair.rev2, old.record.modules, new.record.modules)
        tests: tuple[ChangedTest, ...] = ()
        if changes.tests and changes.production:
            texts = (
                self._history.texts(pair.rev1, {test.old_path for test in changes.tests if test.old_path}),
                self._history.texts(pair.rev2, {test.path for test in changes.tests}),
            )
            old_tree, new_tree = self._tree(pair.rev1, old), self._tree(pair.rev2, new)
            with self._workers(old_tree, new_tree) as (old_worker, new_worker):
                miner = PairMiner(
                    revision_of(pair.rev1, old_tree, texts[0], old_worker, self._workshop.cold),
                    revision_of(pair.rev2, new_tree, texts[1], new_worker, self._workshop.cold),
                    changes,
                    self._workshop.refactored(self._history, pair, changes),
                )
                tests = miner.mine()
        assert new.record.java_version is not None  # noqa: S101 - it is built
        commit = self._lineage.commits[pair.rev2]
        return PairRecord(
            rev1=pair.rev1,
            rev2=pair.rev2,
            kind=pair.kind,
            date=utc_text(commit.date),
            java_version=new.record.java_version,
            tests=tests,
        )

    def _tree(self, revision: str, side: _Side) -> BuiltTree:
        built = self._revisions.get(revision, side.java)
        if built.tree is None:
            raise InfraError(f"{revision}: its tree is gone and cannot be built again: {built.record.detail}")
        return built.tree

    @contextlib.contextmanager
    def _workers(self, old: BuiltTree, new: BuiltTree) -> Iterator[tuple[JavaWorker, JavaWorker]]:
        with (
            contextlib.closing(self._workshop.worker(old)) as old_worker,
            contextlib.closing(self._workshop.worker(new)) as new_worker,
        ):
            yield old_worker, new_worker
