"""Evaluate: every prediction of a run judged, one small file a task, the summary derived from them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from testmark import __version__
from testmark.agents.predictions import read_predictions
from testmark.engine.cache import ResultCache, default_cache
from testmark.engine.files import digest, owned, sweep_parts
from testmark.engine.pool import Gate, Pool
from testmark.engine.progress import Progress
from testmark.engine.results import ResultsFolder
from testmark.mutants import diff
from testmark.records.base import FileText
from testmark.records.dataset import InstanceRow
from testmark.records.kit import KitInstance
from testmark.records.results import MutantDiff, Prediction, RunSettings, Summary, TaskResult
from testmark.reports.summary import summarise
from testmark.req2test import judge as judging
from testmark.req2test.bench import Bench, open_bench
from testmark.req2test.killing import Run
from testmark.req2test.policy import Accepted, Rejected, check
from testmark.req2test.production import Production
from testmark.req2test.runtime import open_project, runtime_of
from testmark.runtimes.protocol import RunOutcome, RunRequest, Runtime, RuntimeProject, Worker
from testmark.sandbox.confinement import Sandbox

JUDGE_VERSION = 2
"""Part of every cache key: raise it when a verdict's meaning changes."""
DEFAULT_AUDIT_SHARE = 0.02


@dataclass(frozen=True)
class EvaluateOptions:
    """How to evaluate; the verdicts depend on the benchmark, the predictions and the seed alone."""

    sandbox: Sandbox
    only: tuple[str, ...] = ()
    limit: int | None = None
    jobs: int | None = None
    seed: int = 0
    audit_share: float = DEFAULT_AUDIT_SHARE
    use_cache: bool = True
    cache: Path | None = None
    quiet: bool = False


@dataclass(frozen=True)
class _Task:
    row: InstanceRow
    prediction: Prediction | None


def evaluate(bench_folder: Path, predictions: Path, out: Path, options: EvaluateOptions) -> Summary:
    """Judge the predictions into `out` and return the summary; run again it goes on where it was.

    Raises `UserError` for predictions, a benchmark or a results folder that cannot be used.
    """
    bench = open_bench(bench_folder)
    bench.verify()
    rows = bench.select(options.only, options.limit)
    given = read_predictions(predictions)
    given.check_ids([row.instance_id for row in bench.rows("full")])
    without = sum(row.instance_id not in given.predictions for row in rows)
    if without and not options.quiet:
        print(f"note: {given.path} predicts nothing for {without} of {len(rows)} instances: `empty`", file=sys.stderr)
    with owned(out, "evaluation"):
        sweep_parts(out)
        return _Evaluation(bench, rows, given.predictions, given.model, out, options).run()


class _Evaluation:
    def __init__(
        self,
        bench: Bench,
        rows: Sequence[InstanceRow],
        predictions: dict[str, Prediction],
        model: str,
        out: Path,
        options: EvaluateOptions,
    ) -> None:
        self.bench = bench
        self.rows = rows
        self.model = model
        self.folder = ResultsFolder(out, TaskResult)
        self.options = options
        self.tasks = [_Task(row, predictions.get(row.instance_id)) for row in rows]
        self.settings = RunSettings(
            benchmark=bench.manifest.benchmark,
            bench=str(bench.folder.resolve()),
            bench_id=bench.manifest.bench_id,
            predictions=digest([p.model_dump(mode="json") for _, p in sorted(predictions.items())]),
            only=options.only,
            limit=options.limit,
            seed=options.seed,
            sandbox=options.sandbox.name,
            testmark_version=__version__,
        )
        cache = options.cache or default_cache()
        self.cache_folder = cache
        self.cache = ResultCache(cache / "results" if options.use_cache else None)
        self.gate = Gate()

    def run(self) -> Summary:
        started = time.monotonic()
        self.folder.claim(self.settings)
        todo = [task for task in self.tasks if self.folder.stored(task.row.instance_id) is None]
        self._write_companions()
        if todo:
            self.folder.begin()
            self._judge_all(todo)
        return self._summarise(time.monotonic() - started)

    # -- one task -----------------------------------------------------------------------------------------------

    def _judge_all(self, todo: Sequence[_Task]) -> None:
        project = self.bench.project
        opened = open_project(self.bench.definition(), self.cache_folder, preload=project.preload)
        runtime_project = opened.runtime_project
        runtime = runtime_of(project.definition.project.framework)
        layout = project.definition.layout
        context = judging.JudgeContext(
            project=project,
            production=Production(runtime_project.base, layout.production_roots, layout.import_paths),
            mutants=self.bench.mutants,
            seed=self.options.seed,
            audit_share=self.options.audit_share,
            gate=self.gate,
        )
        environment = [opened.environment.version, *opened.environment.lock]

        def cold(request: RunRequest) -> RunOutcome:
            return runtime.run_cold(runtime_project, self.options.sandbox, request)

        def work(task: _Task, worker: _LazyWorker) -> TaskResult:
            return self._judge_one(task, context, environment, lambda: judging.Runners(worker.warm(), cold))

        with Progress("judging", len(todo), quiet=self.options.quiet) as progress:

            def done(task: _Task, judged: TaskResult) -> None:
                self.folder.store(task.row.instance_id, judged)
                progress.step(task.row.instance_id)

            pool: Pool[_Task, TaskResult, _LazyWorker] = Pool(
                self.options.jobs or os.cpu_count() or 1,
                lambda: _LazyWorker(runtime, runtime_project, self.options.sandbox),
            )
            pool.run(todo, work, done)

    def _judge_one(
        self,
        task: _Task,
        context: judging.JudgeContext,
        environment: list[str],
        runners: Callable[[], judging.Runners],
    ) -> TaskResult:
        kit = self.bench.kit(task.row.instance_id)
        checked = self._check(task, kit)
        if not isinstance(checked, tuple):
            return checked
        key = digest(
            JUDGE_VERSION,
            self.bench.manifest.bench_id,
            task.row.instance_id,
            judging.prediction_hash(checked),
            self.model,
            environment,
            self.options.seed,
            self.options.audit_share,
            self.options.sandbox.name,
        )
        cached = self.cache.get(key, TaskResult)
        if cached is not None:
            return cached
        judged = judging.judge(task.row, kit, checked, self.model, context, runners())
        if judged.verdict != "infra":
            self.cache.put(key, judged)
        return judged

    def _check(self, task: _Task, kit: KitInstance) -> tuple[FileText, ...] | TaskResult:
        """The files to run, or the result of a prediction that is not run."""
        if task.prediction is None:
            return judging.not_run(task.row, kit, "empty", "no prediction for this instance", (), self.model)
        view = self.bench.view(task.row.instance_id)
        accepted = check(
            task.prediction,
            view=view,
            project=self.bench.project,
            base=self.bench.folder / "kit/project",
        )
        if isinstance(accepted, Accepted):
            return accepted.files
        if isinstance(accepted, Rejected):
            reason = f"{accepted.rule}: {accepted.detail}"
            return judging.not_run(task.row, kit, "rejected", reason, (), self.model)
        return judging.not_run(task.row, kit, "empty", "the prediction holds no test", (), self.model)

    # -- what is derived ----------------------------------------------------------------------------------------

    def _write_companions(self) -> None:
        production: dict[str, str] = {}
        diffs = []
        wanted = {name for row in self.rows for name in self.bench.kit(row.instance_id).mutants}
        for name, mutant in self.bench.mutants.items():
            if name not in wanted:
                continue
            if mutant.path not in production:
                from testmark.source.python import read_source

                production[mutant.path] = read_source(self.bench.folder / "kit/project" / mutant.path)
            diffs.append(MutantDiff(mutant_id=name, diff=diff(production[mutant.path], mutant)))
        self.folder.write_companions((row.to_json() for row in self.rows), diffs)

    def _summarise(self, seconds: float) -> Summary:
        names = [row.instance_id for row in self.rows]
        summary = summarise(
            self.folder.results(names),
            settings=self.settings,
            expected=names,
            audit=self.folder.audited(names),
            model=self.model,
        )
        return self.folder.finish(summary, seconds)


class _LazyWorker:
    """A worker that starts with its first request: an evaluation of cached results starts none."""

    def __init__(self, runtime: Runtime, project: RuntimeProject, sandbox: Sandbox) -> None:
        self._open: Callable[[], Worker] = lambda: runtime.worker(project, sandbox)
        self._worker: Worker | None = None

    def warm(self) -> Run | None:
        """Its warm runs, or None where it has none."""
        if self._worker is None:
            self._worker = self._open()
        return self._worker.run if self._worker.how == "warm" else None

    def close(self) -> None:
        """End the worker if it was started."""
        if self._worker is not None:
            self._worker.close()
