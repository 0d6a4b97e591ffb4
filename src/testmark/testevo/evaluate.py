"""Evaluate: every prediction of a run judged, one small file a task, the summary derived from them."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

from testmark import __version__
from testmark.agents.predictions import read_predictions
from testmark.engine.cache import ResultCache, default_cache
from testmark.engine.files import digest, owned, sweep_parts
from testmark.engine.pool import Pool
from testmark.engine.progress import Progress
from testmark.engine.results import ResultsFolder
from testmark.errors import InfraError, UserError
from testmark.mutants import diff
from testmark.records.evokit import EvoKit, KitSide
from testmark.records.evoresults import EVO_METRICS, EVO_VERDICTS, EvoTaskResult
from testmark.records.results import MutantDiff, Prediction, RunSettings, Summary
from testmark.records.tasks import TaskRow, Track
from testmark.reports.summary import summarise
from testmark.runtimes.maven.protocol import BuiltTree, JavaWorker
from testmark.runtimes.maven.worker_javac import Javacs
from testmark.sandbox.confinement import Sandbox
from testmark.testevo import judge as judging
from testmark.testevo.bench import EvoBench, Selection, open_bench
from testmark.testevo.policy import Refused, check
from testmark.testevo.sides import Side
from testmark.testevo.workshop import MavenWorkshop

JUDGE_VERSION = 8
"""Part of every cache key: raise it when a verdict's meaning changes."""
DEFAULT_AUDIT_SHARE = 0.02


@dataclass(frozen=True)
class EvoOptions:
    """How to evaluate; the verdicts depend on the benchmark, the predictions and the seed alone."""

    sandbox: Sandbox
    selection: Selection = field(default_factory=Selection)
    jobs: int | None = None
    seed: int = 0
    audit_share: float = DEFAULT_AUDIT_SHARE
    changed_only: bool = False
    use_cache: bool = True
    cache: Path | None = None
    quiet: bool = False


@dataclass(frozen=True)
class _Task:
    track: Track
    row: TaskRow
    prediction: Prediction | None


def evaluate(bench_folder: Path, predictions: Path, out: Path, options: EvoOptions) -> Summary:
    """Judge the predictions into `out` and return the summary; run again it goes on where it was.

    Raises `UserError` for predictions, a benchmark or a results folder that cannot be used.
    """
    bench = open_bench(bench_folder)
    bench.verify()
    chosen = bench.select(options.selection)
    given = read_predictions(predictions)
    given.check_ids(bench.names())
    tasks = [_Task(track, row, given.predictions.get(row.task_id)) for track, row in chosen]
    without = sum(task.prediction is None for task in tasks)
    if without and not options.quiet:
        print(f"note: {given.path} predicts nothing for {without} of {len(tasks)} tasks: `empty`", file=sys.stderr)
    with owned(out, "evaluation"):
        sweep_parts(out)
        return _Evaluation(bench, tasks, given.predictions, given.model, out, options).run()


class Courts:
    """Opens the two sides of tasks: their trees unpacked, a worker each."""

    def __init__(self, bench: EvoBench, options: EvoOptions) -> None:
        self._bench = bench
        self._options = options
        self._cache = options.cache or default_cache()
        self._workshop = MavenWorkshop(options.sandbox, self._cache)
        self.toolchains = self._workshop.toolchains()

    def tree(self, side: KitSide) -> BuiltTree:
        """One side's tree."""
        return self._bench.tree(side, self.toolchains, self._cache)

    @contextlib.contextmanager
    def context(self, kit: EvoKit, date: str, javacs: Javacs | None = None) -> Iterator[judging.JudgeContext]:
        """What judging predictions of one task needs; with `javacs` of the thread nothing is compiled by a cold JVM."""
        options = self._options
        with contextlib.ExitStack() as closing:

            def open_side(side: KitSide) -> Side | None:
                module = next((one for one in side.build.modules if one.path == side.module), None)
                if module is None:
                    return None
                tree = self.tree(side)
                worker: JavaWorker = closing.enter_context(contextlib.closing(self._workshop.worker(tree, javacs)))
                maven = partial(self._workshop.cold, tree)
                return Side(side.revision, tree.tree, module, side.build.modules, worker, maven)

            new = open_side(kit.new)
            if new is None:
                raise UserError(f"{self._bench.folder}: the kit of {kit.task_id} names no module; mine it again")
            old = open_side(kit.old) if kit.track != "refinement" else None

            yield judging.JudgeContext(
                kit=kit,
                old=old,
                new=new,
                date=date,
                seed=options.seed,
                how="cold" if new.only_maven else "warm",
                audit_share=options.audit_share,
                changed_only=options.changed_only,
            )


class _Evaluation:
    def __init__(
        self,
        bench: EvoBench,
        tasks: Sequence[_Task],
        predictions: dict[str, Prediction],
        model: str,
        out: Path,
        options: EvoOptions,
    ) -> None:
        self.bench = bench
        self.tasks = tasks
        self.model = model
        self.folder = ResultsFolder(out, EvoTaskResult)
        self.options = options
        cache = options.cache or default_cache()
        self.cache = ResultCache(cache / "results" if options.use_cache else None)
        self.courts = Courts(bench, options)
        selection = options.selection
        self.settings = RunSettings(
            benchmark=bench.manifest.benchmark,
            bench=str(bench.folder.resolve()),
            bench_id=bench.manifest.bench_id,
            predictions=digest([p.model_dump(mode="json") for _, p in sorted(predictions.items())]),
            only=tuple(task.row.task_id for task in tasks) if selection != Selection() else (),
            limit=selection.limit,
            seed=options.seed,
            mutation_scope="changed" if options.changed_only else "all",
            sandbox=options.sandbox.name,
            testmark_version=__version__,
        )

    def run(self) -> Summary:
        started = time.monotonic()
        self.folder.claim(self.settings)
        todo = [task for task in self.tasks if self.folder.stored(task.row.task_id) is None]
        if todo:
            self.folder.begin()
            self._write_companions()
            self._judge_all(todo)
        return self._summarise(time.monotonic() - started)

    # -- one task -----------------------------------------------------------------------------------------------

    def _judge_all(self, todo: Sequence[_Task]) -> None:
        with Progress("judging", len(todo), quiet=self.options.quiet) as progress:

            def done(task: _Task, judged: EvoTaskResult) -> None:
                self.folder.store(task.row.task_id, judged)
                progress.step(task.row.task_id)

            pool: Pool[_Task, EvoTaskResult, Javacs] = Pool(
                self.options.jobs or os.cpu_count() or 1, lambda: Javacs(self.options.sandbox)
            )
            pool.run(todo, self._judge_one, done)

    def _judge_one(self, task: _Task, javacs: Javacs) -> EvoTaskResult:
        kit = self.bench.kit(task.row.task_id)
        accepted = check(task.prediction, kit.test_file, kit.old_text)
        if isinstance(accepted, Refused):
            verdict: Literal["empty", "rejected"] = "empty" if accepted.reason == "empty" else "rejected"
            reason = "no test file for this task" if verdict == "empty" else accepted.reason
            return judging.not_run(kit, task.row.date, self.model, verdict, reason)
        key = digest(
            JUDGE_VERSION,
            self.bench.manifest.bench_id,
            task.row.task_id,
            accepted.content,
            self.model,
            self.options.seed,
            self.options.changed_only,
            self.options.audit_share,
            self.options.sandbox.name,
            [one.jdk.version for one in self.courts.toolchains],
        )
        cached = self.cache.get(key, EvoTaskResult)
        if cached is not None:
            return cached.model_copy(update={"ignored": accepted.ignored})
        try:
            with self.courts.context(kit, task.row.date, javacs) as context:
                judged = judging.judge(accepted.content, self.model, accepted.ignored, context)
        except InfraError as error:
            return judging.not_run(kit, task.row.date, self.model, "infra", str(error))
        if judged.verdict != "infra":
            self.cache.put(key, judged)
        return judged

    # -- what is derived ----------------------------------------------------------------------------------------

    def _write_companions(self) -> None:
        diffs: dict[str, str] = {}
        for task in self.tasks:
            kit = self.bench.kit(task.row.task_id)
            missing = [mutant for mutant in kit.mutants if mutant.mutant_id not in diffs]
            if missing:
                tree = self.courts.tree(kit.new).tree
                for mutant in missing:
                    source = (tree / mutant.path).read_text(encoding="utf-8", errors="surrogateescape")
                    diffs[mutant.mutant_id] = diff(source, mutant)
        lines = [MutantDiff(mutant_id=name, diff=text) for name, text in sorted(diffs.items())]
        self.folder.write_companions((task.row.to_json() for task in self.tasks), lines)

    def _summarise(self, seconds: float) -> Summary:
        names = [task.row.task_id for task in self.tasks]
        summary = summarise(
            self.folder.results(names),
            settings=self.settings,
            expected=names,
            audit=self.folder.audited(names),
            model=self.model,
            metrics=EVO_METRICS,
            known=EVO_VERDICTS,
        )
        return self.folder.finish(summary, seconds)
