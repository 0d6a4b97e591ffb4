"""What reports show, whichever benchmark it comes from: plain values, made by one adapter a benchmark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from testmark.records.base import Record
from testmark.reports.summary import Judged


class JudgedTask(Judged, Protocol):
    """A task file's record, of either benchmark."""

    @property
    def model_name_or_path(self) -> str:
        """Whose prediction it is."""
        ...

    @property
    def audited(self) -> int:
        """Warm verdicts that were compared with cold ones."""
        ...

    @property
    def disagreements(self) -> int:
        """Of these, how many differed."""
        ...


RowType = TypeVar("RowType", bound=Record)
TaskType = TypeVar("TaskType", bound=JudgedTask)


@dataclass(frozen=True)
class ShownInstance:
    """What an agent worked on."""

    name: str
    """Its identifier."""
    project: str
    title: str
    text: str
    """What was asked, as the page shows it."""
    lead: str
    """The same for the terminal: what stands around it,"""
    body: str
    """and the thing itself."""
    targets: tuple[str, ...]
    case: tuple[str, str]
    """Class name and name of its JUnit test case."""


@dataclass(frozen=True)
class ShownFile:
    """A file of the prediction."""

    path: str
    content: str
    language: str


@dataclass(frozen=True)
class ShownStep:
    """One line of what ran: where, what it was, how it ended."""

    line: int | None
    keyword: str
    text: str
    status: str
    message: str = ""


@dataclass(frozen=True)
class ShownGroup:
    """Lines that belong together: a pickle's steps, or what a target method did."""

    line: int | None
    name: str
    steps: tuple[ShownStep, ...]


@dataclass(frozen=True)
class ShownMutant:
    """The finding on one mutant."""

    name: str
    """Tells it from all others of its task."""
    mutant_id: str
    """Its diff's name; two findings of a task may share it."""
    verdict: str
    counts: bool
    """Whether killing it is asked for."""
    label: str
    """What the terminal says of it besides its verdict, padded to a column."""
    detail: str
    how: str
    group: int | None = None
    """Index of the group that it belongs to, where mutants are judged by group."""


@dataclass(frozen=True)
class ShownTask:
    """What the judge found on one prediction."""

    name: str
    project: str
    verdict: str
    reason: str
    how: str
    metrics: Mapping[str, float | None]
    """None is a figure that this task does not have; it takes no part in a mean."""
    files: tuple[ShownFile, ...]
    groups: tuple[ShownGroup, ...]
    mutants: tuple[ShownMutant, ...]
    facts: tuple[str, ...] = ()
    """More about the result, a few words each."""
    kind: str = ""
    """One of the benchmark's kinds of task; empty where it has none."""
    shares: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Benchmark(Generic[RowType, TaskType]):
    """What reports must know of a benchmark to show its results."""

    name: str
    """As in `run.json` and `summary.json`, and the command that makes them."""
    title: str
    metrics: Mapping[str, str]
    """The name of each metric's column."""
    verdicts: tuple[str, ...]
    passed: str
    """The verdict of a prediction that is right."""
    groups: str
    """Heading of a task's groups."""
    row: type[RowType]
    task: type[TaskType]
    name_of: Callable[[RowType], str]
    show_row: Callable[[RowType], ShownInstance]
    show_task: Callable[[RowType, TaskType], ShownTask]
    partial: frozenset[str] = frozenset()
    """Metrics that some tasks alone have; without any there is no mean."""
    kind: str = ""
    """What kinds of task are called."""
    kinds: tuple[str, ...] = ()
    shares: tuple[str, ...] = ()
    shares_title: str = ""
    scripts: tuple[str, ...] = ()
    """What its page has besides the common scripts: files of `page/`, before the last one."""
    styles: tuple[str, ...] = ()

    def figure(self, metric: str, value: float, n: int) -> float | None:
        """A mean over `n` tasks; None for a figure that no task has."""
        return None if metric in self.partial and not n else value
