"""How a run of an instance is asked for; the same for references, predictions, mutants and controls."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from testmark.records.base import FileText
from testmark.records.definition import LimitsTable
from testmark.records.kit import ExpectedPickle
from testmark.runtimes.protocol import RunRequest, Swap, TimeLimits

_TRACE_SLOWDOWN = 8
"""A traced run may use this many times the CPU time of a plain one."""
_ROOM = 4096
"""Production files of a run are filled up to a multiple of so many bytes, beyond the real text's own size."""


@dataclass(frozen=True)
class InstanceRuns:
    """What all runs of one instance have in common."""

    feature_path: str
    line: int
    feature_text: str
    pickles: tuple[ExpectedPickle, ...]
    userdata: Mapping[str, str]
    reference_files: tuple[str, ...]
    support_files: tuple[str, ...]
    """Files beside the step files, of which those in Python are loaded with every prediction."""
    originals: Mapping[str, str]
    """Every production file that some run of the instance changes, with its real text: all runs write all of them."""
    time: TimeLimits
    cold_time: TimeLimits
    """Limits of a run in a fresh process, which loads behave and the project's libraries first."""

    def request(
        self,
        prediction: Sequence[FileText],
        *,
        changed: Mapping[str, str] | None = None,
        swaps: tuple[Swap, ...] = (),
        resident: bool = False,
        measure: bool = False,
        watch_production: bool = False,
    ) -> RunRequest:
        """A run of `prediction` on the real code, or on the code with `changed` texts.

        All runs but traced ones, which a test can tell anyway, end after the first failing pickle: what a test sees of
        its configuration is the same on real code, controls and mutants.
        """
        texts = {**self.originals, **(changed or {})}
        production = {path: of_one_size(text, self.originals.get(path, "")) for path, text in texts.items()}
        files = (
            FileText(path=self.feature_path, content=self.feature_text),
            *(FileText(path=path, content=text) for path, text in sorted(production.items())),
            *prediction,
        )
        test_files = tuple(file.path for file in prediction)
        return RunRequest(
            feature_path=self.feature_path,
            line=self.line,
            files=files,
            remove=self.reference_files,
            load=tuple(path for path in (*self.support_files, *test_files) if path.endswith(".py")),
            test_files=test_files,
            pickles=self.pickles,
            userdata=self.userdata,
            time=traced(self.time) if measure else self.time,
            stop=not measure,
            measure=measure,
            watch_production=watch_production,
            resident=resident,
            swaps=swaps,
        )

    def cold(self, request: RunRequest) -> RunRequest:
        """The same run under the limits of a fresh process."""
        return replace(request, time=traced(self.cold_time) if request.measure else self.cold_time)


def of_one_size(text: str, original: str) -> str:
    """The text with a comment at its end that makes it as large as every other text of the file with so small edits.

    A mutant that puts one sign for another changes a file's size by a byte or none, a control edit by more: without
    the comment a test would tell them apart by `stat`, without a look into the file.
    """
    if not text.strip():
        # Nothing to tell apart, and an empty `__init__.py` stays one.
        return text
    end = "\n" if text.endswith("\n") else "\n\n"
    room = -(-(_size(original) + _ROOM) // _ROOM) * _ROOM
    while room < _size(text) + len(end) + 1:
        room += _ROOM
    return text + end + "#" * (room - _size(text) - len(end))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def time_limits(limits: LimitsTable, *, cpu_seconds: float, wall_seconds: float) -> TimeLimits:
    """Limits of a run whose reference took so much: CPU time counts; the clock is only a last resort."""
    cpu = math.ceil(max(limits.cpu_floor_seconds, limits.cpu_factor * cpu_seconds))
    idle = limits.idle_seconds + 2 * max(0.0, wall_seconds - cpu_seconds)
    return TimeLimits(cpu_seconds=cpu, idle_seconds=idle, wall_seconds=10.0 * cpu + 2 * idle + 30)


def traced(time: TimeLimits) -> TimeLimits:
    """The limits of a traced run."""
    return TimeLimits(time.cpu_seconds * _TRACE_SLOWDOWN, time.idle_seconds, time.wall_seconds * _TRACE_SLOWDOWN)


def step_texts(pickles: Sequence[ExpectedPickle]) -> tuple[str, ...]:
    """The distinct texts of an instance's steps, in the order of the Scenario."""
    return tuple(dict.fromkeys(step.text for pickle in pickles for step in pickle.steps))


def steps_folder(reference_files: Sequence[str]) -> str:
    """Where an instance's step definitions lie, and a prediction's may."""
    return reference_files[0].rpartition("/")[0]
