"""Reference runs: does the developers' own test pass, N times of N, and what does it execute and call?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from testmark.engine.pool import Gate
from testmark.records.base import FileText
from testmark.records.definition import LimitsTable
from testmark.req2test.killing import run_patiently
from testmark.req2test.requests import InstanceRuns, time_limits
from testmark.runtimes.protocol import RunOutcome, TimeLimits, Trace, Worker

FIRST_CPU_SECONDS = 60.0
"""What a reference may use before anything is known of it, times the limits' own factor."""


class DropInstance(Exception):
    """The Scenario leaves the benchmark: `rule` and `detail` say why."""

    def __init__(self, rule: str, detail: str = "") -> None:
        super().__init__(f"{rule}: {detail}")
        self.rule = rule
        self.detail = detail


@dataclass(frozen=True)
class ReferenceRuns:
    """What N passing runs of the reference test showed."""

    trace: Trace
    cpu_seconds: float
    wall_seconds: float
    time: TimeLimits
    flags: tuple[str, ...]


def first_limits(limits: LimitsTable) -> TimeLimits:
    """Generous limits for a test of which nothing is known yet."""
    return time_limits(limits, cpu_seconds=FIRST_CPU_SECONDS / limits.cpu_factor, wall_seconds=FIRST_CPU_SECONDS)


def run_reference(
    runs: InstanceRuns, files: Sequence[FileText], times: int, limits: LimitsTable, worker: Worker, gate: Gate
) -> ReferenceRuns:
    """Run the reference `times` times plain and twice traced; raises `DropInstance` unless all of them pass alike."""
    traces: list[Trace] = []
    plain: list[RunOutcome] = []
    for number in range(times + 2):
        measure = number in {0, times + 1}
        resident = not measure and number % 2 == 0
        request = runs.request(files, measure=measure, watch_production=not measure, resident=resident)
        outcome = run_patiently(request, worker.run, gate)
        if outcome.status != "passed":
            first = number == 0
            if outcome.status == "infra":
                raise DropInstance("infra", outcome.reason)
            raise DropInstance("reference-fails" if first else "reference-flaky", outcome.reason)
        if outcome.trace is not None:
            traces.append(outcome.trace)
        else:
            plain.append(outcome)
    if _api_and_lines(traces[0]) != _api_and_lines(traces[1]):
        raise DropInstance("unstable-trace", "two traced runs of the reference executed different lines")
    cpu = max(outcome.cpu_seconds for outcome in plain)
    wall = max(outcome.wall_seconds for outcome in plain)
    return ReferenceRuns(
        trace=traces[0],
        cpu_seconds=cpu,
        wall_seconds=wall,
        time=time_limits(limits, cpu_seconds=cpu, wall_seconds=wall),
        flags=tuple(sorted({rule for outcome in plain for rule, _ in outcome.flags})),
    )


def _api_and_lines(trace: Trace) -> tuple[object, ...]:
    return (dict(trace.step_lines), frozenset(trace.calls))
