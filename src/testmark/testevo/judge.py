"""The judge of TestEvo: one prediction, its target methods on both revisions, its mutants, its figures.

The file first runs on the new code, measured, then on the old code where the track asks for it. A target that meets its
criterion runs again: on the real code, on control edits that change no behaviour and on every mutant that it reaches,
in a seeded order. All runs on the real code must agree, else the prediction is `flaky`; a test that fails on a control
inspects the code instead of running it and is `rejected`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from testmark.engine.files import digest
from testmark.records.base import FileText
from testmark.records.evokit import EvoKit, KitTarget
from testmark.records.evoresults import EvoTargetResult, EvoTaskMetrics, EvoTaskResult, EvoVerdict
from testmark.records.kit import Control, Mutant
from testmark.records.results import MutantResult
from testmark.records.tasks import CellResult
from testmark.runtimes.maven.protocol import MethodsRun
from testmark.runtimes.protocol import TimeLimits
from testmark.source.java import JavaMethod, read_java
from testmark.testevo.executed import Sources
from testmark.testevo.families import families, families_of_classes
from testmark.testevo.gain import Line
from testmark.testevo.judged import (
    JudgedRun,
    agrees,
    gain_of,
    inside,
    kind_of,
    missed,
    mutant_verdict,
    sampled,
    unreached,
)
from testmark.testevo.judging import (
    Mutated,
    covered_lines,
    methods_of,
    mutated_line,
    production_lines,
    scope_lines,
    time_of,
    time_on_mutants,
    with_mutant,
)
from testmark.testevo.metrics import DOES_NOT_COMPILE, FAILS, MEETS, MISSES, shares, task_metrics
from testmark.testevo.placing import NotPlaced, Placed
from testmark.testevo.policy import production_classes
from testmark.testevo.sides import Asked, Side, ask

_PLAIN_RUNS = 2
"""Runs on the real code besides the measured one, at places of the order that the seed chooses."""
_MOST_AUDITED = 5
"""Of one prediction while it is judged: each is a call of Maven, and `testevo audit` runs any share of them."""
NOTHING = EvoTaskMetrics(success=0.0, cov_on_pass=None, mut_on_pass=None, overall=0.0)


@dataclass(frozen=True)
class JudgeContext:
    """What judging any prediction of a task needs."""

    kit: EvoKit
    old: Side | None
    new: Side
    date: str
    seed: int
    how: Literal["warm", "cold"] = "warm"
    """`cold`: every run is Maven's; `warm`: those of modules that a worker cannot run as Maven would are."""
    audit_share: float = 0.0
    changed_only: bool = False
    """The narrower scope of the leaderboard: changed dependency methods alone."""


class _Verdict(Exception):
    """Ends judging early with a verdict."""

    def __init__(self, verdict: EvoVerdict, reason: str) -> None:
        super().__init__(reason)
        self.verdict = verdict
        self.reason = reason


def judge(content: str, model: str, ignored: Sequence[str], context: JudgeContext) -> EvoTaskResult:
    """Judge one accepted test file. Warm verdicts are audited by share; one disagreement and all is judged cold."""
    started = time.monotonic()
    attempt = _Attempt(content, context)
    found = attempt.result(model, ignored)
    audited = disagreements = 0
    if context.how == "warm":
        audited, disagreements = _audit(attempt, context)
        if disagreements:
            found = _Attempt(content, replace(context, how="cold")).result(model, ignored)
    seconds = round(time.monotonic() - started, 3)
    return found.model_copy(update={"audited": audited, "disagreements": disagreements, "seconds": seconds})


def _audit(attempt: _Attempt, context: JudgeContext) -> tuple[int, int]:
    """How many warm runs were compared with cold ones, and how many differed; one lost on our side is neither."""
    chosen = sampled(attempt.judged, context.kit.task_id, context.audit_share, context.seed, _MOST_AUDITED)
    if attempt.other_framework:
        chosen += [one for one in attempt.judged if not one.mutant_id and one not in chosen]
    found = [(one, one.side.run_cold(one.asked)) for one in chosen]
    compared = [agrees(one, cold) for one, cold in found if cold.status != "infra"]
    return len(compared), compared.count(False)


def run_again(content: str, context: JudgeContext) -> list[JudgedRun]:
    """Judge once more and give every run that decided something: what an audit repeats cold."""
    attempt = _Attempt(content, context)
    attempt.result("", ())
    return attempt.judged


def not_run(kit: EvoKit, date: str, model: str, verdict: EvoVerdict, reason: str) -> EvoTaskResult:
    """The result of a prediction that is empty or refused."""
    return EvoTaskResult(
        task_id=kit.task_id,
        project=kit.project,
        track=kit.track,
        date=date,
        model_name_or_path=model,
        verdict=verdict,
        reason=reason,
        targets=(),
        metrics=NOTHING,
        shares=shares(()),
        controls_run=0,
        ignored=(),
        prediction_hash="",
        content="",
        how="not-run",
        seconds=0.0,
    )


def _first_reason(targets: Sequence[EvoTargetResult]) -> str:
    missing = [target for target in targets if not target.success]
    return f"{missing[0].method}: {missing[0].reason}" if missing else "the task has no target"


@dataclass(frozen=True)
class _Ready:
    """A target whose measured run has passed on the new code."""

    asked: Asked
    gain: float | None
    production: frozenset[Line]
    """Every production line that it executed."""
    limits: TimeLimits
    """On mutants."""


class _Attempt:
    """All runs of one prediction."""

    def __init__(self, content: str, context: JudgeContext) -> None:
        self._kit = context.kit
        self._context = context
        self._file = FileText(path=context.kit.test_file, content=content)
        self._mutated = Mutated(context.new)
        self._sources = Sources(context.new.tree, [module.main_root for module in context.new.siblings])
        self.other_framework = False
        """Whether it is written for one that the developer's test, which Maven runs, does not use."""
        self.controls_run = 0
        self.judged: list[JudgedRun] = []
        """Every run that decided something."""

    def result(self, model: str, ignored: Sequence[str]) -> EvoTaskResult:
        """What there is to say of the prediction, but for the audit."""
        verdict: EvoVerdict
        try:
            targets = self.targets()
            solved = all(target.success for target in targets)
            verdict, reason = ("success", "") if solved else ("failed", _first_reason(targets))
            metrics, part = task_metrics(targets), shares(targets)
        except _Verdict as stop:
            targets, verdict, reason, metrics, part = (), stop.verdict, stop.reason, NOTHING, shares(())
        context = self._context
        return EvoTaskResult(
            task_id=self._kit.task_id,
            project=self._kit.project,
            track=self._kit.track,
            date=context.date,
            model_name_or_path=model,
            verdict=verdict,
            reason=reason,
            targets=targets,
            metrics=metrics,
            shares=part,
            controls_run=self.controls_run,
            ignored=tuple(ignored),
            prediction_hash=digest(self._file.content),
            content=self._file.content,
            how=context.how,
            seconds=0.0,
        )

    def targets(self) -> tuple[EvoTargetResult, ...]:
        """Every target of the kit, in its order; raises `_Verdict`."""
        read = read_java(self._file.content)
        # Of the old revision parts of it may be left out; for the new one it is written, and compiles as it is or not.
        placed = self._context.new.lay(self._file, None, self._kit.new.test_file)
        if isinstance(placed, NotPlaced):
            return tuple(missed(target, "CmplFail", placed.error, DOES_NOT_COMPILE) for target in self._kit.targets)
        used = families_of_classes(placed.classes.values())
        self.other_framework = not used <= {*families(self._kit.new_text)}
        declared = {*placed.classes, *(cls.binary_name for cls in read.classes)}
        shadowed = sorted(declared & production_classes(self._context.new))
        if shadowed:
            raise _Verdict("rejected", f"shadows-production: it declares {shadowed[0]}, a class of the production code")
        return tuple(self._target(target, placed) for target in self._kit.targets)

    def _target(self, target: KitTarget, placed: Placed) -> EvoTargetResult:
        methods = methods_of(self._file.content, target)
        if not methods:
            reason = f"the file has no method {target.method} in {target.test_class}"
            return missed(target, "HrnsFail", reason, DOES_NOT_COMPILE)
        built_path = self._kit.new.test_file
        asked = ask(self._context.new, placed, methods[0], built_path=built_path, measure=True, time=time_of(target))
        first = self._run(self._context.new, asked)
        self.judged.append(JudgedRun(target.method, "", self._context.new, asked, kind_of(first)))
        if first.status == "timeout":
            raise _Verdict("timeout", f"{target.method}: {first.reason}")
        if first.status != "passed":
            cell = _cell(first)
            progress = FAILS if cell == "ExecFail" else DOES_NOT_COMPILE
            return missed(target, cell, first.reason or first.status, progress)
        # What the unrefined test covers is known of all dependency methods; a criterion knows no narrower scope.
        whole, scope = scope_lines(target.dependencies), self._scope(target)
        covered, production = covered_lines(first, self._sources, whole), production_lines(first, self._sources)
        gain = gain_of(target, covered, whole)
        ready = _Ready(asked, gain, production, time_on_mutants(asked.warm.time, first))
        old, reason = self._criterion(target, methods, ready)
        mutants: tuple[MutantResult, ...] = ()
        if reason:
            self._again(asked)
        else:
            mutants = self._prove(target, ready)
        return EvoTargetResult(
            test_class=target.test_class,
            method=target.method,
            new="Pass",
            old=old,
            reason=reason,
            success=not reason,
            progress=MISSES if reason else MEETS,
            covered=len(covered & scope),
            scope=len(scope),
            gain=gain,
            mutants=mutants,
        )

    # -- the criterion ----------------------------------------------------------------------------------------------

    def _criterion(
        self, target: KitTarget, methods: Sequence[JavaMethod], ready: _Ready
    ) -> tuple[CellResult | None, str]:
        """What the target did on the old code, and why it misses its track's criterion; empty when it does not."""
        if self._kit.track == "refinement":
            if ready.gain is None or ready.gain <= 0:
                return None, "it covers no more lines of the dependency methods than the unrefined test"
            return None, ""
        old, skipped = self._on_old(target, methods)
        if skipped:
            return None, "it is skipped on the old code, and does not fail"
        return old, "it passes on the old code too" if old == "Pass" else ""

    def _on_old(self, target: KitTarget, methods: Sequence[JavaMethod]) -> tuple[CellResult, bool]:
        """What it did on the old code, and whether it was skipped there."""
        side = self._context.old
        if side is None:
            return "HrnsFail", False
        placed = side.lay(self._file, methods, self._kit.old.test_file)
        if isinstance(placed, NotPlaced):
            return "CmplFail", False
        built_path = self._kit.old.test_file
        asked = ask(side, placed, methods[0], built_path=built_path, measure=False, time=time_of(target))
        runs = [self._run(side, asked) for _ in range(1 + _PLAIN_RUNS)]
        self.judged.append(JudgedRun(target.method, "", side, asked, kind_of(runs[0])))
        found = [_cell(run) for run in runs]
        if len(set(found)) > 1:
            raise _Verdict("flaky", f"{target.method}: runs on the old code differ: {', '.join(found)}")
        return found[0], any(run.status == "skipped" for run in runs)

    def _scope(self, target: KitTarget) -> frozenset[Line]:
        changed_only = self._context.changed_only
        return scope_lines([one for one in target.dependencies if one.changed or not changed_only])

    # -- mutants ----------------------------------------------------------------------------------------------------

    def _prove(self, target: KitTarget, ready: _Ready) -> tuple[MutantResult, ...]:
        """Runs on the real code, on controls and on mutants in a seeded order."""
        methods = {(one.path, line) for one in target.dependencies for line in range(one.line, one.end_line + 1)}
        wanted = frozenset(target.mutants)
        changed = [one for one in target.dependencies if one.changed]
        mutants = [
            mutant
            for mutant in self._kit.mutants
            if mutant.mutant_id in wanted and (not self._context.changed_only or inside(mutant, changed))
        ]
        controls = [
            control
            for control in self._kit.controls
            if (control.mutant.path, control.mutant.line) in methods and self._reached(control.mutant, ready)
        ]
        results = {mutant.mutant_id: unreached(mutant) for mutant in mutants if not self._reached(mutant, ready)}
        order: list[Mutant | Control | None] = [None] * _PLAIN_RUNS
        order += controls
        order += [mutant for mutant in mutants if mutant.mutant_id not in results]
        random.Random(digest(self._context.seed, self._kit.task_id, target.method)).shuffle(order)
        for one in order:
            if one is None:
                self._again(ready.asked)
            elif isinstance(one, Control):
                self._control(target, one, ready)
            else:
                judged = self._mutant(target, one, ready)
                results |= {one.mutant_id: judged} if judged is not None else {}
        return tuple(results[mutant.mutant_id] for mutant in mutants if mutant.mutant_id in results)

    def _reached(self, mutant: Mutant, ready: _Ready) -> bool:
        """Whether the test executes a line of the mutant, or the edit stands where JaCoCo sees no line at all."""
        lines = {(mutant.path, line) for line in mutated_line(mutant)}
        executable = {
            (one.path, line) for target in self._kit.targets for one in target.dependencies for line in one.lines
        }
        return bool(lines & ready.production) or not lines & executable

    def _mutant(self, target: KitTarget, mutant: Mutant, ready: _Ready) -> MutantResult | None:
        """None where the project's own build refuses it, whatever the test: then it is no mutant."""
        classes = self._mutated.classes(mutant)
        if classes is None:
            raise _Verdict("infra", f"mutant {mutant.mutant_id} does not compile, as it did when the kit was made")
        asked = with_mutant(ready.asked, self._mutated.file(mutant), classes, ready.limits)
        run = self._run(self._context.new, asked)
        if run.status == "not-compiled":
            return None
        self.judged.append(JudgedRun(target.method, mutant.mutant_id, self._context.new, asked, kind_of(run)))
        verdict = mutant_verdict(run)
        return MutantResult(
            mutant_id=mutant.mutant_id, verdict=verdict, in_kill_set=True, detail=run.reason, how=run.how
        )

    def _control(self, target: KitTarget, control: Control, ready: _Ready) -> None:
        classes = self._mutated.classes(control.mutant)
        if classes is None:
            return
        asked = with_mutant(ready.asked, self._mutated.file(control.mutant), classes, ready.limits)
        run = self._run(self._context.new, asked)
        if run.status == "not-compiled":
            return  # a build that refuses an edit says nothing of the test
        self.controls_run += 1
        if run.status != "passed":
            raise _Verdict(
                "rejected", f"control-mutant: {target.method} fails on an edit that changes no behaviour: {run.reason}"
            )

    def _again(self, asked: Asked) -> None:
        run = self._run(self._context.new, asked.unmeasured())
        if run.status == "not-compiled":
            raise _Verdict("infra", f"what Maven compiled a moment ago does not compile: {run.reason}")
        if run.status != "passed":
            raise _Verdict("flaky", f"{asked.warm.methods[0]}: one run on the new code passed, another: {run.reason}")

    def _run(self, side: Side, asked: Asked) -> MethodsRun:
        """One run; a time-out is tried again once, at full speed."""
        run = self._once(side, asked)
        if run.status == "timeout":
            run = self._once(side, asked.at_full_speed())
        if run.status == "infra":
            raise _Verdict("infra", run.reason)
        return run

    def _once(self, side: Side, asked: Asked) -> MethodsRun:
        return side.run_cold(asked) if self._context.how == "cold" else side.run(asked)


def _cell(run: MethodsRun) -> CellResult:
    match run.status:
        case "passed":
            return "Pass"
        case "not-compiled":
            return "CmplFail"
        case "not-found":
            return "HrnsFail"
        case "failed" | "skipped" | "timeout":
            return "ExecFail"
        case "infra":
            raise _Verdict("infra", run.reason)
