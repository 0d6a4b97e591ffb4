"""One run on one mutant, and what it means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from testmark.agents.steps import idle_steps
from testmark.engine.pool import Gate
from testmark.mutants import apply, reach_lines, swap_target
from testmark.records.base import FileText
from testmark.records.kit import Control, Mutant, MutantVerdict
from testmark.req2test.requests import InstanceRuns, step_texts, steps_folder
from testmark.runtimes.protocol import RunOutcome, RunRequest, Swap

Run = Callable[[RunRequest], RunOutcome]


def mutant_request(runs: InstanceRuns, prediction: Sequence[FileText], mutant: Mutant) -> RunRequest:
    """A run of the prediction on the code with this edit, delivered the fastest way that can express it."""
    source = runs.originals[mutant.path]
    swap = _swap(source, mutant)
    return runs.request(
        prediction,
        changed={mutant.path: apply(source, mutant)},
        swaps=(swap,) if swap is not None else (),
        resident=swap is not None,
    )


def _swap(source: str, mutant: Mutant, *, moved: int = 0) -> Swap | None:
    place = swap_target(source, mutant)
    return Swap(mutant.path, place[0], place[1], moved) if place is not None else None


def controls_request(
    runs: InstanceRuns, prediction: Sequence[FileText], controls: Sequence[Control], *, resident: bool
) -> RunRequest:
    """A run on the code with several control edits at once, delivered like mutants of functions if `resident`.

    One alone is delivered exactly like a mutant.
    """
    if len(controls) == 1:
        return mutant_request(runs, prediction, controls[0].mutant)
    changed = {}
    swaps: list[Swap | None] = []
    for path in sorted({control.mutant.path for control in controls}):
        edits = [control.mutant for control in controls if control.mutant.path == path]
        original = source = runs.originals[path]
        # From the back, so that the offsets of the earlier ones stay right.
        for edit in sorted(edits, key=lambda edit: edit.start_byte, reverse=True):
            source = apply(source, edit)
            above = [other for other in edits if other.start_byte < edit.start_byte]
            swaps.append(_swap(original, edit, moved=sum(e.after.count("\n") - e.before.count("\n") for e in above)))
        changed[path] = source
    expressed = tuple(swap for swap in swaps if swap is not None)
    resident = resident and len(expressed) == len(swaps)
    return runs.request(prediction, changed=changed, swaps=expressed if resident else (), resident=resident)


def compatible(controls: Sequence[Control]) -> list[Control]:
    """Controls in the given order, without those that overlap an earlier one."""
    chosen: list[Control] = []
    for control in controls:
        edit = control.mutant
        clashes = any(
            edit.path == other.mutant.path
            and edit.start_byte <= other.mutant.end_byte
            and other.mutant.start_byte <= edit.end_byte
            for other in chosen
        )
        if not clashes:
            chosen.append(control)
    return chosen


def run_patiently(request: RunRequest, run: Run, gate: Gate) -> RunOutcome:
    """Run beside others; a run that times out or is lost on our side is tried once more, alone, before it counts."""
    with gate.shared():
        outcome = run(request)
    if outcome.status in {"timeout", "infra"}:
        with gate.alone():
            outcome = run(request)
    return outcome


def mutant_verdict(outcome: RunOutcome) -> MutantVerdict:
    """What a run on a mutant says about it; a skipped or undefined step is no failure, so it kills nothing."""
    if outcome.status == "failed":
        return "killed" if outcome.assertion else "killed_error"
    verdicts: Mapping[str, MutantVerdict] = {
        "passed": "survived",
        "undefined": "survived",
        "invalid": "killed_error",
        "timeout": "killed_timeout",
        "infra": "infra",
    }
    return verdicts[outcome.status]


def is_kill(verdict: MutantVerdict) -> bool:
    """Whether the verdict counts as the test having noticed the mutant."""
    return verdict in {"killed", "killed_error", "killed_timeout"}


def noticed_without_steps(runs: InstanceRuns, mutants: Sequence[Mutant], run: Run, gate: Gate) -> dict[str, str]:
    """Mutants that the Scenario notices although its steps do nothing, each with the reason of that failure.

    Hooks and other support code notice them, so no test earns a kill by them: a test that does nothing must have none.
    """
    idle = (idle_steps(step_texts(runs.pickles), steps_folder(runs.reference_files)),)
    on_real_code = run_patiently(runs.request(idle, measure=True), run, gate)
    if on_real_code.status != "passed" or on_real_code.trace is None:
        return {}
    lines = on_real_code.trace.lines
    noticed = {}
    for mutant in mutants:
        if reach_lines(runs.originals[mutant.path], mutant) & lines.get(mutant.path, frozenset()):
            outcome = run_patiently(mutant_request(runs, idle, mutant), run, gate)
            if is_kill(mutant_verdict(outcome)):
                noticed[mutant.mutant_id] = outcome.reason
    return noticed
