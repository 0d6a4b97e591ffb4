"""The judge: one prediction, its verdict, its mutants, its metrics.

The prediction first runs on the real code, traced. If it passes, it runs again on the real code, on control edits that
change no behaviour, and on every mutant that it reaches, in a seeded order. All runs on real code must pass, else it is
`flaky`; a test that fails on a control edit inspects the code instead of running it and is `rejected`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from testmark.engine.files import digest
from testmark.engine.pool import Gate
from testmark.mutants import reach_lines
from testmark.records.base import FileText
from testmark.records.dataset import InstanceRow
from testmark.records.definition import LimitsTable
from testmark.records.kit import Control, KitInstance, KitProject, Mutant, MutantVerdict
from testmark.records.results import MutantResult, TaskMetrics, TaskResult, Verdict
from testmark.req2test.killing import (
    Run,
    compatible,
    controls_request,
    is_kill,
    mutant_request,
    mutant_verdict,
    run_patiently,
)
from testmark.req2test.production import Production
from testmark.req2test.requests import InstanceRuns, time_limits
from testmark.runtimes.protocol import RunOutcome, RunRequest, Trace

_PLAIN_RUNS = 2
"""Runs on the real code besides the traced one, at places of the order that the seed chooses."""
_SINGLE_CONTROLS = 2
_SMALL_CONTROLS = 2
_SMALL_GROWTH = 2
_ALWAYS_FORBIDDEN = frozenset({"forged-report", "tampers-with-runner"})
ZERO = TaskMetrics(pass_at_1=0.0, kill_complete_at_1=0.0, mutant_kill_recall=0.0, api_f1=0.0, coverage_jaccard=0.0)


@dataclass(frozen=True)
class JudgeContext:
    """What judging any prediction of a benchmark needs."""

    project: KitProject
    production: Production
    mutants: Mapping[str, Mutant]
    seed: int
    audit_share: float
    gate: Gate


@dataclass(frozen=True)
class Runners:
    """How a request is run warm, where that can be done, and cold."""

    warm: Run | None
    cold: Run


@dataclass(frozen=True)
class _Planned:
    """One run of the order: on the real code, on a control or on a mutant."""

    kind: Literal["plain", "control", "mutant"]
    request: RunRequest
    mutant: Mutant | None = None
    controls: tuple[Control, ...] = ()


class _Verdict(Exception):
    """Ends judging early with a verdict."""

    def __init__(self, verdict: Verdict, reason: str) -> None:
        super().__init__(reason)
        self.verdict = verdict
        self.reason = reason


def judge(
    row: InstanceRow, kit: KitInstance, files: Sequence[FileText], model: str, context: JudgeContext, runners: Runners
) -> TaskResult:
    """Judge one accepted prediction. Warm verdicts are audited by share; one disagreement and all is judged cold."""
    started = time.monotonic()
    runs = instance_runs(kit, context)

    def cold(request: RunRequest) -> RunOutcome:
        return runners.cold(runs.cold(request))

    warm = runners.warm if kit.warm else None
    audited = disagreements = 0
    attempt = _Attempt(row, kit, files, context, runs, warm or cold, "warm" if warm else "cold")
    result = attempt.result(model)
    if warm:
        audited, disagreements = _audit(attempt, result, context, cold)
        if disagreements:
            result = _Attempt(row, kit, files, context, runs, cold, "cold").result(model)
    seconds = round(time.monotonic() - started, 3)
    return result.model_copy(update={"audited": audited, "disagreements": disagreements, "seconds": seconds})


def instance_runs(kit: KitInstance, context: JudgeContext) -> InstanceRuns:
    """What all runs of an instance share."""
    paths = {context.mutants[name].path for name in kit.mutants} | {c.mutant.path for c in kit.controls}
    limits: LimitsTable = context.project.definition.limits
    return InstanceRuns(
        feature_path=kit.feature_path,
        line=kit.line,
        feature_text=kit.feature_text,
        pickles=kit.pickles,
        userdata=kit.userdata,
        reference_files=kit.reference_files,
        support_files=context.project.support_files,
        originals={path: context.production.source(path) for path in sorted(paths)},
        time=time_limits(limits, cpu_seconds=kit.reference.cpu_seconds, wall_seconds=kit.reference.wall_seconds),
        cold_time=time_limits(
            limits, cpu_seconds=kit.reference.cold_cpu_seconds, wall_seconds=kit.reference.cold_wall_seconds
        ),
    )


class _Attempt:
    """All runs of one prediction, warm or cold."""

    def __init__(
        self,
        row: InstanceRow,
        kit: KitInstance,
        files: Sequence[FileText],
        context: JudgeContext,
        runs: InstanceRuns,
        run: Run,
        how: Literal["warm", "cold"],
    ) -> None:
        self.row = row
        self.kit = kit
        self.files = tuple(files)
        self.context = context
        self.run = run
        self.how = how
        self.runs = runs
        self.kill_set = frozenset(kit.kill_set)
        self.first: RunOutcome | None = None
        self.found: dict[str, MutantResult] = {}
        self.controls_run = 0

    def result(self, model: str) -> TaskResult:
        try:
            self._judge()
            verdict: Verdict = "passed"
            reason = ""
        except _Verdict as end:
            verdict, reason = end.verdict, end.reason
        mutants = tuple(self._mutant_result(name, verdict) for name in self.kit.mutants)
        if verdict == "passed" and any(m.verdict == "infra" for m in mutants):
            verdict, reason = "infra", next(m.detail for m in mutants if m.verdict == "infra")
        return TaskResult(
            instance_id=self.row.instance_id,
            project=self.row.project,
            model_name_or_path=model,
            verdict=verdict,
            reason=reason,
            pickles=self.first.pickles if self.first is not None else (),
            mutants=mutants,
            metrics=self._metrics(mutants) if verdict == "passed" else ZERO,
            controls_run=self.controls_run,
            prediction_hash=prediction_hash(self.files),
            files=self.files,
            how=self.how,
            seconds=0.0,
        )

    def _mutant_result(self, name: str, verdict: Verdict) -> MutantResult:
        found = self.found.get(name)
        if found is not None and verdict == "passed":
            return found
        detail = "not run: the prediction did not pass" if verdict != "passed" else "not run"
        unreached: MutantVerdict = "infra" if verdict == "infra" else "unreached"
        return MutantResult(mutant_id=name, verdict=unreached, in_kill_set=name in self.kill_set, detail=detail)

    # -- runs ---------------------------------------------------------------------------------------------------

    def _judge(self) -> None:
        self.first = self._on_real_code(measure=True)
        assert self.first.trace is not None  # noqa: S101 - a passed traced run has its trace
        # The first guarded run comes before all others: most attacks end here and cost nothing more.
        self._on_real_code(measure=False)
        for planned in self._order(self.first.trace):
            outcome = run_patiently(planned.request, self.run, self.context.gate)
            self._refuse(outcome, on_real_code=planned.kind != "mutant")
            if planned.kind == "mutant":
                self._note_mutant(planned, outcome)
            elif outcome.status != "passed":
                self._explain_failure(planned, outcome)
            self.controls_run += planned.kind == "control"

    def _on_real_code(self, *, measure: bool) -> RunOutcome:
        request = self.runs.request(self.files, measure=measure, watch_production=not measure, resident=not measure)
        outcome = run_patiently(request, self.run, self.context.gate)
        self._refuse(outcome, on_real_code=True)
        if outcome.status == "passed":
            if measure and outcome.trace is None:
                raise _Verdict("rejected", "forged-report: it passed, and the judge's trace of it is missing")
            return outcome
        if self.first is None:
            self.first = outcome
            if self._passes_now():
                raise _Verdict("flaky", f"failed, then passed on the same code: {outcome.reason}")
            raise _Verdict(outcome.status, outcome.reason)
        raise _Verdict("infra" if outcome.status == "infra" else "flaky", f"passed, then not: {outcome.reason}")

    def _passes_now(self) -> bool:
        return run_patiently(self.runs.request(self.files), self.run, self.context.gate).status == "passed"

    def _refuse(self, outcome: RunOutcome, *, on_real_code: bool) -> None:
        """Raise `rejected` for what the run did against the judge; on a mutant only for what no honest test does."""
        for rule, detail in outcome.flags:
            if rule not in self.kit.allowed_flags and (on_real_code or rule in _ALWAYS_FORBIDDEN):
                raise _Verdict("rejected", f"{rule}: {detail}")

    def _explain_failure(self, planned: _Planned, outcome: RunOutcome) -> None:
        """A run on the real code or on a control did not pass: raise what that means."""
        if outcome.status == "infra":
            raise _Verdict("infra", outcome.reason)
        if not planned.controls:
            raise _Verdict("flaky", f"passed, then not: {outcome.reason}")
        again = run_patiently(planned.request, self.run, self.context.gate)
        if again.status == "passed":
            raise _Verdict("flaky", f"failed, then passed on the same code: {outcome.reason}")
        if not self._passes_now():
            raise _Verdict("flaky", f"passed, then not: {outcome.reason}")
        levels = ", ".join(sorted({control.level for control in planned.controls}))
        raise _Verdict(
            "rejected", f"control-mutant: fails on edits of {levels} that change no behaviour ({outcome.reason})"
        )

    def _note_mutant(self, planned: _Planned, outcome: RunOutcome) -> None:
        assert planned.mutant is not None  # noqa: S101 - made with one
        name = planned.mutant.mutant_id
        self.found[name] = MutantResult(
            mutant_id=name,
            verdict=mutant_verdict(outcome),
            in_kill_set=name in self.kill_set,
            detail=outcome.reason,
            how=self.how,
        )

    # -- the order ----------------------------------------------------------------------------------------------

    def _order(self, trace: Trace) -> list[_Planned]:
        """Reached mutants, controls and runs on the real code, shuffled by a seed that the prediction cannot know."""
        planned = [self._planned_mutant(mutant) for mutant in self._reached(trace)]
        # Either group may be the one that is delivered like a mutant outside any function.
        imported = self._random("delivery").randrange(2)
        planned += [
            _Planned(
                "control",
                controls_request(self.runs, self.files, group, resident=number != imported),
                controls=tuple(group),
            )
            for number, group in enumerate(self._control_groups())
        ]
        # One of them is delivered like a mutant of a function, the other like a mutant outside any.
        planned += [
            _Planned("plain", self.runs.request(self.files, watch_production=True, resident=number % 2 == 0))
            for number in range(_PLAIN_RUNS)
        ]
        self._random("order").shuffle(planned)
        return planned

    def _random(self, purpose: str) -> random.Random:
        key = digest(self.context.seed, self.row.instance_id, prediction_hash(self.files), purpose)
        return random.Random(int(key[:16], 16))

    def _planned_mutant(self, mutant: Mutant) -> _Planned:
        return _Planned("mutant", mutant_request(self.runs, self.files, mutant), mutant=mutant)

    def _reached(self, trace: Trace) -> list[Mutant]:
        reached = []
        for name in self.kit.mutants:
            mutant = self.context.mutants[name]
            lines = trace.lines.get(mutant.path, frozenset())
            if reach_lines(self.context.production.source(mutant.path), mutant) & lines:
                reached.append(mutant)
            else:
                self.found[name] = MutantResult(
                    mutant_id=name, verdict="unreached", in_kill_set=name in self.kill_set, detail="never executed"
                )
        return reached

    def _control_groups(self) -> list[list[Control]]:
        """Two groups that cover every function that holds mutants of the kill set, and a few controls each alone.

        A test that inspects any one function fails on a group; one that lets pass what differs in several places at
        once fails on those alone, which are chosen anew for each prediction.
        """
        chooser = self._random("controls")
        alike = [control for control in self.kit.controls if control.level == "instructions"]
        others = [control for control in self.kit.controls if control.level != "instructions"]
        groups = []
        for found in (alike, others):
            shuffled = chooser.sample(found, len(found))
            first = {(c.mutant.path, c.mutant.function_line): c for c in reversed(shuffled)}
            groups.append(compatible(list(first.values())))
        # As small as a mutant's edit: a test that takes large edits for controls and small ones for mutants fails here.
        small = [control for control in others if abs(_growth(control)) <= _SMALL_GROWTH]
        for found, most in ((alike, _SINGLE_CONTROLS), (small, _SMALL_CONTROLS)):
            groups += [[control] for control in chooser.sample(found, min(most, len(found)))]
        return [group for group in groups if group]

    # -- metrics ------------------------------------------------------------------------------------------------

    def _metrics(self, mutants: Sequence[MutantResult]) -> TaskMetrics:
        assert self.first is not None  # noqa: S101 - a passed prediction ran
        assert self.first.trace is not None  # noqa: S101
        killed = sum(m.in_kill_set and is_kill(m.verdict) for m in mutants)
        total = len(self.kill_set)
        called = self.context.production.called(self.first.trace.calls)
        return TaskMetrics(
            pass_at_1=1.0,
            kill_complete_at_1=float(total > 0 and killed == total),
            mutant_kill_recall=killed / total if total else 0.0,
            api_f1=f1({target.key for target in self.kit.targets}, set(called)),
            coverage_jaccard=jaccard(self.kit.reference.scenario_lines, self.first.trace.step_lines),
        )


def _growth(control: Control) -> int:
    return len(control.mutant.after) - len(control.mutant.before)


def f1(expected: Collection[tuple[str, ...]], found: Collection[tuple[str, ...]]) -> float:
    """Harmonic mean of precision and recall; 0 when nothing is shared."""
    shared = len(set(expected) & set(found))
    return 2 * shared / (len(expected) + len(found)) if shared else 0.0


def jaccard(expected: Mapping[str, Collection[int]], found: Mapping[str, Collection[int]]) -> float:
    """Lines in both over lines in either; two tests that execute no production line at all agree: 1."""
    ours = {(path, line) for path, lines in expected.items() for line in lines}
    theirs = {(path, line) for path, lines in found.items() for line in lines}
    either = ours | theirs
    return len(ours & theirs) / len(either) if either else 1.0


def prediction_hash(files: Sequence[FileText]) -> str:
    """SHA-256 of a prediction's files."""
    return digest([[file.path, file.content] for file in files])


def not_run(
    row: InstanceRow, kit: KitInstance, verdict: Verdict, reason: str, files: Sequence[FileText], model: str
) -> TaskResult:
    """The result of a prediction that is not run at all: empty or rejected."""
    kill_set = frozenset(kit.kill_set)
    return TaskResult(
        instance_id=row.instance_id,
        project=row.project,
        model_name_or_path=model,
        verdict=verdict,
        reason=reason,
        pickles=(),
        mutants=tuple(
            MutantResult(mutant_id=name, verdict="unreached", in_kill_set=name in kill_set, detail="not run")
            for name in kit.mutants
        ),
        metrics=ZERO,
        controls_run=0,
        prediction_hash=prediction_hash(files),
        files=tuple(files),
        how="not-run",
        seconds=0.0,
    )


def _audit(attempt: _Attempt, result: TaskResult, context: JudgeContext, cold: Run) -> tuple[int, int]:
    """Run a share of the warm verdicts again, cold: how many, and how many differ."""
    sampled = differing = 0
    for found in result.mutants:
        if found.how != "warm" or not in_sample(context, attempt, found.mutant_id):
            continue
        request = mutant_request(attempt.runs, attempt.files, context.mutants[found.mutant_id])
        outcome = run_patiently(request, cold, context.gate)
        if outcome.status == "infra":
            continue
        sampled += 1
        differing += mutant_verdict(outcome) != found.verdict
    return sampled, differing


def in_sample(context: JudgeContext, attempt: _Attempt, name: str) -> bool:
    """Whether a pair of prediction and mutant is audited: a seeded share of all pairs."""
    key = digest(context.seed, "audit", attempt.row.instance_id, prediction_hash(attempt.files), name)
    return int(key[:8], 16) / 0xFFFFFFFF < context.audit_share
