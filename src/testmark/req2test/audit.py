"""Audit: warm verdicts of an evaluation run again, cold."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from testmark.engine.cache import default_cache
from testmark.engine.files import digest, owned
from testmark.engine.pool import Gate, Pool
from testmark.engine.progress import Progress
from testmark.errors import UserError
from testmark.records.base import FileText
from testmark.records.results import TaskResult
from testmark.reports.auditing import AuditReport, Disagreement, note, settings_of
from testmark.req2test.bench import Bench, open_bench
from testmark.req2test.judge import JudgeContext, instance_runs
from testmark.req2test.killing import Run, mutant_request, mutant_verdict, run_patiently
from testmark.req2test.production import Production
from testmark.req2test.runtime import open_project, runtime_of
from testmark.req2test.scanning import selected
from testmark.sandbox.confinement import Sandbox


@dataclass(frozen=True)
class AuditOptions:
    """What to audit: a seeded share of all warm verdicts, on mutants and on the real code alike."""

    sandbox: Sandbox
    share: float = 0.02
    bench: Path | None = None
    only: tuple[str, ...] = ()
    limit: int | None = None
    jobs: int | None = None
    seed: int = 0
    quiet: bool = False
    cache: Path | None = None


@dataclass(frozen=True)
class _Pair:
    instance_id: str
    files: tuple[FileText, ...]
    mutant_id: str
    warm: str


@dataclass(frozen=True)
class _Compared:
    cold: str
    detail: str


class _NoSlot:
    """A cold run needs nothing kept between runs."""

    def close(self) -> None:
        """Nothing to give back."""


def audit(results: Path, options: AuditOptions) -> AuditReport:
    """Run a share of the warm verdicts cold and write the count into the summary.

    Raises `UserError` when `results` is not an evaluation, or its benchmark is not to be found or another.
    """
    settings = settings_of(results, "req2test")
    folder = options.bench or Path(settings.bench)
    bench = open_bench(folder)
    bench.verify()
    if bench.manifest.bench_id != settings.bench_id:
        raise UserError(f"{results}: was evaluated on another benchmark than {folder}; name the right one with --bench")
    with owned(results, "evaluation"):
        pairs = list(_pairs(results, options))
        compared = _compare(bench, pairs, options)
        report = AuditReport(
            sampled=sum(found.cold != "infra" for found in compared),
            disagreements=tuple(
                Disagreement(pair.instance_id, pair.mutant_id, pair.warm, found.cold, found.detail)
                for pair, found in zip(pairs, compared, strict=True)
                if found.cold not in {pair.warm, "infra"}
            ),
            infra=sum(found.cold == "infra" for found in compared),
            infra_detail=next((found.detail for found in compared if found.cold == "infra"), ""),
        )
        note(results, report)
    return report


def _pairs(results: Path, options: AuditOptions) -> Iterator[_Pair]:
    """The sampled pairs of prediction and mutant, and for each sampled prediction the run on the real code."""
    count = 0
    for path in sorted((results / "tasks").glob("*.json")):
        try:
            result = TaskResult.from_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise UserError(f"{path}: is damaged; run the same `evaluate` again") from error
        if result.how != "warm" or not selected(result.instance_id, options.only):
            continue
        count += 1
        if options.limit is not None and count > options.limit:
            return
        names: list[tuple[str, str]] = (
            [("", result.verdict)] if result.verdict in {"passed", "failed", "undefined", "invalid"} else []
        )
        names += [(mutant.mutant_id, mutant.verdict) for mutant in result.mutants if mutant.how == "warm"]
        for name, verdict in names:
            key = digest(options.seed, "audit", result.instance_id, result.prediction_hash, name)
            if int(key[:8], 16) / 0xFFFFFFFF <= options.share:
                yield _Pair(result.instance_id, result.files, name, verdict)


def _compare(bench: Bench, pairs: Sequence[_Pair], options: AuditOptions) -> list[_Compared]:
    project = bench.project
    opened = open_project(bench.definition(), options.cache or default_cache(), preload=project.preload)
    runtime = runtime_of(project.definition.project.framework)
    layout = project.definition.layout
    context = JudgeContext(
        project=project,
        production=Production(opened.runtime_project.base, layout.production_roots, layout.import_paths),
        mutants=bench.mutants,
        seed=options.seed,
        audit_share=0.0,
        gate=Gate(),
    )
    found: dict[int, _Compared] = {}

    def work(number: int, _slot: _NoSlot) -> _Compared:
        return _run_cold(
            bench,
            pairs[number],
            context,
            lambda request: runtime.run_cold(opened.runtime_project, options.sandbox, request),
        )

    with Progress("auditing", len(pairs), quiet=options.quiet) as progress:

        def done(number: int, compared: _Compared) -> None:
            found[number] = compared
            progress.step()

        pool: Pool[int, _Compared, _NoSlot] = Pool(options.jobs or os.cpu_count() or 1, _NoSlot)
        pool.run(range(len(pairs)), work, done)
    return [found[number] for number in range(len(pairs))]


def _run_cold(bench: Bench, pair: _Pair, context: JudgeContext, cold: Run) -> _Compared:
    runs = instance_runs(bench.kit(pair.instance_id), context)
    if not pair.mutant_id:
        outcome = run_patiently(runs.cold(runs.request(pair.files)), cold, context.gate)
        return _Compared(outcome.status, outcome.reason)
    request = runs.cold(mutant_request(runs, pair.files, context.mutants[pair.mutant_id]))
    outcome = run_patiently(request, cold, context.gate)
    return _Compared(mutant_verdict(outcome), outcome.reason)
