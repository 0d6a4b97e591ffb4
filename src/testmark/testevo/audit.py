"""Audit: warm verdicts of an evaluation run again, by Maven."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from testmark.engine.files import owned
from testmark.engine.pool import Pool
from testmark.engine.progress import Progress
from testmark.errors import InfraError, UserError
from testmark.records.evokit import EvoKit
from testmark.records.evoresults import EvoTaskResult
from testmark.reports.auditing import AuditReport, Disagreement, note, settings_of
from testmark.runtimes.maven.worker_javac import Javacs
from testmark.sandbox.confinement import Sandbox
from testmark.testevo.bench import open_bench
from testmark.testevo.evaluate import Courts, EvoOptions
from testmark.testevo.judge import run_again
from testmark.testevo.judged import agrees, kind_of, sampled


@dataclass(frozen=True)
class EvoAuditOptions:
    """What to audit: a seeded share of all warm verdicts, on mutants and on the real code of both revisions alike."""

    sandbox: Sandbox
    share: float = 0.02
    bench: Path | None = None
    jobs: int | None = None
    seed: int = 0
    quiet: bool = False
    cache: Path | None = None


@dataclass(frozen=True)
class _Audited:
    """What was found of one prediction."""

    compared: int
    disagreements: tuple[Disagreement, ...]
    infra: tuple[str, ...]


def audit(results: Path, options: EvoAuditOptions) -> AuditReport:
    """Run a share of the warm verdicts cold and write the count into the summary.

    Raises `UserError` when `results` is not an evaluation, or its benchmark is not to be found or another.
    """
    settings = settings_of(results, "testevo")
    folder = options.bench or Path(settings.bench)
    bench = open_bench(folder)
    bench.verify()
    if bench.manifest.bench_id != settings.bench_id:
        raise UserError(f"{results}: was evaluated on another benchmark than {folder}; name the right one with --bench")
    courts = Courts(
        bench,
        EvoOptions(
            sandbox=options.sandbox,
            seed=settings.seed,
            cache=options.cache,
            changed_only=settings.mutation_scope == "changed",
        ),
    )
    with owned(results, "evaluation"):
        todo = [found for found in map(_result, sorted((results / "tasks").glob("*.json"))) if found.how == "warm"]
        done: list[_Audited] = []

        def work(found: EvoTaskResult, javacs: Javacs) -> _Audited:
            return _audit(found, courts, javacs, bench.kit(found.task_id), options)

        with Progress("auditing", len(todo), quiet=options.quiet) as progress:

            def keep(_: EvoTaskResult, audited: _Audited) -> None:
                done.append(audited)
                progress.step()

            pool: Pool[EvoTaskResult, _Audited, Javacs] = Pool(
                options.jobs or os.cpu_count() or 1, lambda: Javacs(options.sandbox)
            )
            pool.run(todo, work, keep)
        report = AuditReport(
            sampled=sum(one.compared for one in done),
            disagreements=tuple(found for one in done for found in one.disagreements),
            infra=sum(len(one.infra) for one in done),
            infra_detail=next((detail for one in done for detail in one.infra), ""),
        )
        note(results, report)
    return report


def _result(path: Path) -> EvoTaskResult:
    try:
        return EvoTaskResult.from_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise UserError(f"{path}: is damaged; run the same `evaluate` again") from error


def _audit(found: EvoTaskResult, courts: Courts, javacs: Javacs, kit: EvoKit, options: EvoAuditOptions) -> _Audited:
    """Judge the prediction warm once more, and a share of its runs cold."""
    compared = 0
    disagreements: list[Disagreement] = []
    infra: list[str] = []
    try:
        with courts.context(kit, found.date, javacs) as context:
            for one in sampled(run_again(found.content, context), found.task_id, options.share, options.seed):
                run = one.side.run_cold(one.asked)
                if run.status == "infra":
                    infra.append(run.reason)
                    continue
                compared += 1
                if not agrees(one, run):
                    name = f"{one.method} {one.mutant_id}".strip()
                    disagreements.append(Disagreement(found.task_id, name, one.kind, kind_of(run), run.reason))
    except InfraError as error:  # it stops no other task
        infra.append(str(error))
    return _Audited(compared, tuple(disagreements), tuple(infra))
