"""The benchmark folder from built instances: population, split, rows, views, kit, manifest and card."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from testmark import __version__
from testmark.engine.files import digest, write_text
from testmark.engine.folder import FolderWriter
from testmark.records.dataset import InstanceRow
from testmark.records.kit import SCHEMA_VERSION, BenchManifest, Dropped, KitProject, Mutant
from testmark.records.slugs import slug
from testmark.req2test.card import BenchSummary, card_text
from testmark.req2test.instances import BuiltInstance
from testmark.req2test.mutation import FileMutants
from testmark.req2test.parquet import rows_to_parquet
from testmark.req2test.runtime import OpenProject


def assemble(
    out: Path,
    *,
    project: OpenProject,
    kit_project: KitProject,
    instances: Sequence[BuiltInstance],
    dropped: Iterable[Dropped],
    generated: Iterable[FileMutants],
    seed: int,
) -> BenchSummary:
    """Write everything that `instances` and the project make up, and nothing else."""
    full = [instance for instance in instances if instance.row is not None]
    chosen, capped = choose_eval(full, kit_project.definition.caps.eval, seed)
    gone: list[Dropped] = [*dropped, *(drop for instance in instances for drop in instance.dropped)]
    gone += [
        Dropped(id=instance.row.instance_id, kind="eval", rule=instance.eval_rule, detail=instance.eval_detail)
        for instance in full
        if instance.row is not None and instance.eval_rule
    ]
    gone += [Dropped(id=name, kind="eval", rule="cap", detail="not in the seeded sample") for name in capped]
    mutants = _all_mutants(full)
    gone += _mutants_gone(generated, mutants, gone)
    rows = [_with_split(instance, chosen) for instance in full]
    references = [instance.reference for instance in full if instance.reference is not None]
    writer = FolderWriter(out)
    writer.lines("data/full.jsonl", rows)
    writer.lines("data/eval.jsonl", [row for row in rows if row.in_eval_split])
    writer.lines("gt_tests/full.jsonl", references)
    writer.lines("mutants.jsonl", mutants)
    gone.sort(key=_drop_order)
    writer.lines("dropped.jsonl", gone)
    writer.bytes("data/full.parquet", rows_to_parquet(rows, reference=False))
    writer.bytes("data/eval.parquet", rows_to_parquet([row for row in rows if row.in_eval_split], reference=False))
    writer.bytes("gt_tests/full.parquet", rows_to_parquet(references, reference=True))
    for instance in full:
        if instance.kit is not None and instance.view is not None:
            name = slug(instance.kit.instance_id)
            writer.record(f"kit/instances/{name}.json", instance.kit)
            writer.record(f"views/{name}.json", instance.view)
    portable = _portable(project, kit_project)
    writer.record("kit/project.json", portable)
    if portable.definition.runtime.lock is not None:
        writer.text(f"kit/{portable.definition.runtime.lock}", _lock_text(project))
    writer.tree("kit/project", project.runtime_project.base)
    summary = BenchSummary(
        bench_id=digest(
            sorted((p, h) for p, h in writer.hashes.items() if p.startswith(("kit/", "mutants", "data/eval.jsonl")))
        ),
        full=len(rows),
        eval=sum(row.in_eval_split for row in rows),
        mutants=sum(len(i.kit.mutants) for i in full if i.kit is not None),
        killed=sum(len(i.kit.kill_set) for i in full if i.kit is not None),
        controls=sum(len(i.kit.controls) for i in full if i.kit is not None),
        dropped=dict(sorted(Counter(f"{drop.kind}: {drop.rule}" for drop in gone).items())),
        examples=_examples(gone),
        cold_only=sum(not i.kit.warm for i in full if i.kit is not None),
    )
    writer.text("README.md", card_text(kit_project.definition.project, summary, writer.hashes))
    manifest = BenchManifest(
        benchmark="req2test",
        schema_version=SCHEMA_VERSION,
        testmark_version=__version__,
        bench_id=summary.bench_id,
        projects=(kit_project.definition.project.name,),
        seed=seed,
        counts={"full": summary.full, "eval": summary.eval, "mutants": len(mutants), "pairs": summary.mutants},
        hashes=dict(sorted(writer.hashes.items())),
        interpreter=project.environment.version,
        runtime_lock=project.environment.lock,
    )
    writer.remove_strangers(("data", "gt_tests", "kit", "views"))
    write_text(out / "bench.json", manifest.to_json(indent=1) + "\n")
    return summary


def choose_eval(full: Sequence[BuiltInstance], cap: int | None, seed: int) -> tuple[set[str], list[str]]:
    """The instances of `eval`, and those that only the cap keeps out.

    A capped split is a seeded sample, drawn round-robin over Feature folder and test level.
    """
    able = [i.row for i in full if i.row is not None and not i.eval_rule]
    if cap is None or len(able) <= cap:
        return {row.instance_id for row in able}, []
    strata: dict[tuple[str, str], list[InstanceRow]] = defaultdict(list)
    for row in sorted(able, key=lambda row: digest(seed, row.instance_id)):
        strata[(str(Path(row.feature.file_path).parent), row.test_level)].append(row)
    chosen: set[str] = set()
    while len(chosen) < cap:
        for key in sorted(strata):
            if strata[key] and len(chosen) < cap:
                chosen.add(strata[key].pop(0).instance_id)
    return chosen, sorted(row.instance_id for row in able if row.instance_id not in chosen)


def _drop_order(drop: Dropped) -> tuple[str, str, str]:
    return drop.kind, drop.id, drop.rule


def _with_split(instance: BuiltInstance, chosen: set[str]) -> InstanceRow:
    assert instance.row is not None  # noqa: S101 - `full` holds rows only
    return instance.row.model_copy(update={"in_eval_split": instance.row.instance_id in chosen})


def _all_mutants(full: Sequence[BuiltInstance]) -> list[Mutant]:
    found = {mutant.mutant_id: mutant for instance in full for mutant in instance.mutants}
    return sorted(found.values(), key=lambda mutant: (mutant.path, mutant.start_byte, mutant.end_byte, mutant.after))


def _mutants_gone(generated: Iterable[FileMutants], kept: Sequence[Mutant], gone: Iterable[Dropped]) -> list[Dropped]:
    """Mutants that are in no instance: pruned by a rule, or not selected; unstable ones are in `gone`."""
    known = {mutant.mutant_id for mutant in kept} | {drop.id.rpartition("#")[2] for drop in gone}
    found: list[Dropped] = []
    for file in generated:
        found += file.dropped
        found += [
            Dropped(id=mutant.mutant_id, kind="mutant", rule="not-selected", detail=f"{mutant.path}:{mutant.line}")
            for mutant in file.kept
            if mutant.mutant_id not in known
        ]
    return found


def _portable(project: OpenProject, kit_project: KitProject) -> KitProject:
    """The kit's own definition: its source is the kit's copy, its lock stands beside it."""
    definition = kit_project.definition
    source = definition.source.model_copy(
        update={"path": "project", "git": None, "commit": None, "pypi": None, "version": None, "sha256": None}
    )
    runtime = definition.runtime
    if runtime.lock is not None:
        runtime = runtime.model_copy(update={"lock": "requirements.lock"})
    else:
        runtime = runtime.model_copy(update={"dependencies": project.environment.lock})
    return kit_project.model_copy(
        update={"definition": definition.model_copy(update={"source": source, "runtime": runtime})}
    )


def _lock_text(project: OpenProject) -> str:
    lock = project.loaded.definition.runtime.lock
    assert lock is not None  # noqa: S101 - the caller looked
    return (project.loaded.folder / lock).read_text(encoding="utf-8")


def _examples(gone: Iterable[Dropped]) -> dict[str, str]:
    found: dict[str, str] = {}
    for drop in gone:
        if drop.kind in {"scenario", "eval"} and drop.detail:
            found.setdefault(f"{drop.kind}: {drop.rule}", f"{drop.id}: {drop.detail}")
    return found
