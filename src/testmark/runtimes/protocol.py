"""What the judge asks of a framework's room, whatever the framework: one run of one test on one text of the code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from testmark.records.base import FileText
from testmark.records.definition import LimitsTable
from testmark.records.kit import ExpectedPickle
from testmark.records.results import PickleResult
from testmark.sandbox.confinement import Mount, Sandbox

RunStatus = Literal["passed", "failed", "undefined", "invalid", "timeout", "infra"]


@dataclass(frozen=True)
class RuntimeProject:
    """A project that can be run: its real code, its interpreter and how tests are confined."""

    name: str
    base: Path
    """The project with its real code, never written to."""
    prefix: Path
    """The environment (a virtual environment) with the dependencies."""
    interpreter_mounts: tuple[Mount, ...]
    root: Path | None
    """A Debian root that stands in for the host's system, or none."""
    production_roots: tuple[str, ...]
    import_paths: tuple[str, ...]
    test_roots: tuple[str, ...]
    environment: Mapping[str, str]
    preload: tuple[str, ...]
    """Third-party modules that the project's tests import."""
    limits: LimitsTable


@dataclass(frozen=True)
class TimeLimits:
    """CPU seconds of all processes of a run, seconds it may sleep, and seconds by the clock as a last resort."""

    cpu_seconds: int
    idle_seconds: float
    wall_seconds: float


@dataclass(frozen=True)
class Swap:
    """Where a changed text differs from the base: inside one outermost function, named by its place."""

    path: str
    qualname: str
    line: int
    moved: int = 0
    """By how many lines edits further up push the function down."""


@dataclass(frozen=True)
class RunRequest:
    """One run: `files` are written over a fresh copy of the project, `remove` are deleted from it first."""

    feature_path: str
    line: int | None
    """The Scenario's line, or None for the whole Feature."""
    files: tuple[FileText, ...]
    remove: tuple[str, ...]
    load: tuple[str, ...] | None
    """Step files to load; None loads all that the project has."""
    test_files: tuple[str, ...]
    """The files of `files` that the prediction brought; all other code is trusted."""
    pickles: tuple[ExpectedPickle, ...]
    userdata: Mapping[str, str]
    time: TimeLimits
    stop: bool = False
    """End after the first failing pickle: enough to know that a mutant is killed."""
    measure: bool = False
    """Trace lines and direct calls."""
    watch_production: bool = False
    """Report production code that the test leaves replaced."""
    matches: bool = False
    """Report the files whose step definitions matched."""
    resident: bool = False
    """Use production code that the worker has loaded already, where it can express `files`."""
    swaps: tuple[Swap, ...] = ()
    """Where the loaded code differs from `files`."""


@dataclass(frozen=True)
class Call:
    """A production function that ran: its file, the first line of its code and its bare name."""

    path: str
    line: int
    name: str


@dataclass(frozen=True)
class Trace:
    """Production lines executed at all, in steps, and in When and Then steps; and the direct calls of the latter."""

    lines: Mapping[str, frozenset[int]]
    step_lines: Mapping[str, frozenset[int]]
    checked_lines: Mapping[str, frozenset[int]]
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Matches:
    """Files whose step definitions matched, by pickle line; all files that define steps; third-party modules."""

    files: Mapping[int, tuple[str, ...]]
    definitions: tuple[str, ...]
    modules: tuple[str, ...]


@dataclass(frozen=True)
class RunOutcome:
    """What one run showed; the decision is the judge's own, from structured events."""

    status: RunStatus
    reason: str
    assertion: bool = False
    """Whether the first failing step failed by an assertion."""
    pickles: tuple[PickleResult, ...] = ()
    flags: tuple[tuple[str, str], ...] = ()
    """Rules that the prediction broke while it ran, with details."""
    trace: Trace | None = None
    matches: Matches | None = None
    patterns: tuple[tuple[str, int], ...] = ()
    """Regular expressions that a traced run compiled; a later run of the same test starts with them."""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    output: str = ""
    how: Literal["warm", "cold"] = "cold"


class Worker(Protocol):
    """Runs one request at a time."""

    @property
    def how(self) -> Literal["warm", "cold"]:
        """Whether its runs share a loaded process."""
        ...

    def run(self, request: RunRequest) -> RunOutcome:
        """Run it; a fault of the worker itself is an outcome of status `infra`."""
        ...

    def digests(self, sources: Sequence[tuple[str, str]]) -> list[str]:
        """For each (path, source) a digest of its byte code in the project's interpreter; empty if there is none."""
        ...

    def parse(self, paths: Sequence[str]) -> dict[str, list[ExpectedPickle] | str]:
        """For each feature file the pickles that the framework's own parser finds, or its complaint."""
        ...

    def close(self) -> None:
        """End the worker and all that it started."""
        ...


class Runtime(Protocol):
    """One framework."""

    name: str

    def worker(self, project: RuntimeProject, sandbox: Sandbox) -> Worker:
        """Start a worker for the project: a warm one wherever the sandbox allows it."""
        ...

    def run_cold(self, project: RuntimeProject, sandbox: Sandbox, request: RunRequest) -> RunOutcome:
        """One run in a fresh process, by the framework's own main program."""
        ...
