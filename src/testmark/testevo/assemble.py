"""The benchmark folder from mined pairs: three data sets, kits, views, archives, what left, manifest and cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from testmark import __version__
from testmark.engine.files import digest, write_text
from testmark.engine.folder import FolderWriter
from testmark.records.evokit import MadeKit
from testmark.records.kit import SCHEMA_VERSION, BenchManifest, Dropped
from testmark.records.mining import PairRecord
from testmark.records.slugs import slug
from testmark.records.tasks import TRACKS, TaskRow, Track
from testmark.testevo.archives import is_of_store, pack
from testmark.testevo.candidates import Dropped as MinedDrop
from testmark.testevo.card import Configuration, TrackCounts, top_card, track_card
from testmark.testevo.lite import LiteDrop
from testmark.testevo.parquet import rows_to_parquet
from testmark.testevo.rows import Mined

TOPS = (*TRACKS, "kit", "views")


@dataclass(frozen=True)
class Repository:
    """What the rows say of the repository."""

    name: str
    """`<owner>_<repo>-<tag>`."""
    url: str


@dataclass(frozen=True)
class MineSummary:
    """What a benchmark folder holds."""

    bench_id: str
    counts: Mapping[Track, TrackCounts]
    mutants: int
    dropped: Mapping[str, int]
    """Counts by `stage: reason`."""


def assemble(
    out: Path,
    *,
    repository: Repository,
    mined: Sequence[Mined],
    lite: frozenset[str],
    lite_dropped: Sequence[LiteDrop],
    kits: Sequence[MadeKit],
    pairs: Sequence[PairRecord],
    dropped: Iterable[MinedDrop],
    trees: Mapping[str, Path],
    store: Path,
    seed: int,
) -> MineSummary:
    """Write everything that the mined tasks make up, and nothing else; `trees` are the built revisions by name."""
    writer = FolderWriter(out)
    counts = {}
    for track in TRACKS:
        rows = [one.row for one in mined if one.track == track]
        counts[track] = write_track(writer, repository, track, rows, [row for row in rows if row.task_id in lite])
    mutants = {mutant.mutant_id: mutant for made in kits for mutant in made.kit.mutants}
    listed = sorted(mutants.values(), key=lambda one: (one.path, one.start_byte, one.end_byte, one.after))
    writer.lines("mutants.jsonl", listed)
    gone = _gone(pairs, dropped, lite_dropped, kits, frozenset(mutants))
    writer.lines("dropped.jsonl", gone)
    for made in kits:
        name = slug(made.kit.task_id)
        writer.record(f"kit/tasks/{name}.json", made.kit)
        writer.record(f"views/{name}.json", made.view)
    for name, tree in sorted(trees.items()):
        writer.made(f"kit/trees/{name}.tar.gz", partial(pack, tree, compress=True))
    if trees:
        writer.made("kit/store.tar", partial(pack, store, compress=False, keep=is_of_store))
    bench_id = digest(sorted((p, h) for p, h in writer.hashes.items() if p.startswith(("kit/", "mutants"))))
    writer.text("README.md", top_card(repository.name, repository.url, counts))
    manifest = BenchManifest(
        benchmark="testevo",
        schema_version=SCHEMA_VERSION,
        testmark_version=__version__,
        bench_id=bench_id,
        projects=(repository.name,),
        seed=seed,
        counts={
            **{f"{track}_{part}": getattr(counts[track], part) for track in TRACKS for part in ("full", "lite")},
            "mutants": len(mutants),
        },
        hashes=dict(sorted(writer.hashes.items())),
        interpreter="java",
        runtime_lock=(),
    )
    writer.remove_strangers(TOPS)
    write_text(out / "bench.json", manifest.to_json(indent=1) + "\n")
    return MineSummary(bench_id, counts, len(mutants), dict(sorted(Counter(drop.rule for drop in gone).items())))


def write_track(
    writer: FolderWriter, repository: Repository, track: Track, full: Sequence[TaskRow], lite: Sequence[TaskRow]
) -> TrackCounts:
    """One track's data set: rows as JSONL and as Parquet, and the card that `datasets` reads."""
    parts = [_write_part(writer, f"{track}/data/{part}", rows) for part, rows in (("full", full), ("lite", lite))]
    writer.text(f"{track}/README.md", track_card(track, repository.name, repository.url, *parts))
    return TrackCounts(len(full), len(lite))


def _write_part(writer: FolderWriter, path: str, rows: Sequence[TaskRow]) -> Configuration:
    writer.lines(f"{path}.jsonl", rows)
    writer.bytes(f"{path}.parquet", rows_to_parquet(rows))
    return Configuration(len(rows), writer.hashes[f"{path}.parquet"])


def _gone(
    pairs: Sequence[PairRecord],
    dropped: Iterable[MinedDrop],
    lite: Sequence[LiteDrop],
    kits: Sequence[MadeKit],
    chosen: frozenset[str],
) -> list[Dropped]:
    """Commits and pairs of S4, tests of S5, tasks that are not in Lite, mutants; the rule is `stage: reason`."""
    found = [
        Dropped(id=one.subject, kind="pair" if "_" in one.subject else "commit", rule=f"{one.stage}: {one.reason}",
                detail=one.detail)
        for one in dropped
    ]  # fmt: skip
    found += [
        Dropped(id=f"{pair.rev1[:7]}_{pair.rev2[:7]}#{test.signature}", kind="test", rule=f"S5: {test.reason}",
                detail=test.detail)
        for pair in pairs
        for test in pair.tests
        if test.track is None
    ]  # fmt: skip
    found += [
        Dropped(id=f"{pair.rev1}_{pair.rev2}", kind="pair", rule="S4: no-changed-test",
                detail="it changes no test method, or no production method")
        for pair in pairs
        if not pair.tests
    ]  # fmt: skip
    found += [Dropped(id=one.task_id, kind="task", rule=f"lite: {one.rule}", detail=one.detail) for one in lite]
    mutants = {drop.mutant.mutant_id: drop for made in kits for drop in made.dropped}
    found += [
        Dropped(id=name, kind="mutant", rule=f"mutant: {drop.reason}", detail=f"{drop.mutant.path}:{drop.mutant.line}")
        for name, drop in mutants.items()
        if name not in chosen
    ]
    problems = dict.fromkeys(problem for made in kits for problem in made.problems)
    found += [
        Dropped(id=problem.split(": ")[0], kind="mutant", rule="mutant: no-mutants", detail=problem)
        for problem in problems
    ]
    return sorted(found, key=lambda one: (one.kind, one.id, one.rule))
