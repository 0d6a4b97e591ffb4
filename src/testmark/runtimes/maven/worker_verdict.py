"""From the events of one run in a JVM to its outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from testmark.runtimes.maven import worker_wire as wire
from testmark.runtimes.maven.protocol import CaseResult, CaseStatus, MethodLines, MethodsRun, RunStatus

_MOST_CASES = 20_000


@dataclass
class Events:
    """What came of one run so far; frames with another token than `token` are not of this run."""

    token: str
    begun: bool = False
    cases: dict[str, CaseResult] = field(default_factory=dict)
    open: set[str] = field(default_factory=set)
    broken: list[CaseResult] = field(default_factory=list)
    limit: str = ""
    exiting: bool = False
    lost: str = ""
    """What the worker itself says was its fault."""
    ended: bool = False
    forged: bool = False
    """Something in the stream is not the worker's."""
    flooded: bool = False
    """There are more cases than any test has."""
    clean: bool = False
    """The JVM may be used again."""
    class_mib: int = 0
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    output: str = ""
    coverage: tuple[MethodLines, ...] = ()

    @property
    def over(self) -> bool:
        """Nothing more is to come, or to be believed."""
        return self.ended or self.forged or self.flooded or bool(self.limit or self.lost)

    def take(self, body: bytes) -> None:
        """One frame."""
        try:
            reader = wire.Reader(body)
            kind = reader.number()
            if reader.text() != self.token:
                self.forged = True
                return
            self._event(kind, reader)
        except ValueError:
            self.forged = True
        self.flooded = len(self.cases) + len(self.broken) > _MOST_CASES

    def _event(self, kind: int, reader: wire.Reader) -> None:
        if kind == wire.BEGUN:
            self.begun = True
        elif kind == wire.STARTED:
            key = reader.text()
            if key in self.cases:
                # Two cases of one name, as a parameterized class may have them: the earlier one keeps its result.
                self.cases[f"{key}\0{len(self.cases)}"] = self.cases.pop(key)
            self.cases[key] = CaseResult(reader.text(), reader.text(), reader.text(), "passed")
            self.open.add(key)
        elif kind == wire.FINISHED:
            self._finish(reader.text(), reader)
        elif kind == wire.SKIPPED:
            self._skip(reader.text(), reader)
        elif kind == wire.BROKEN:
            self.broken.append(_thrown(CaseResult(reader.text(), reader.text(), reader.text(), "error"), reader))
        elif kind == wire.EXITING:
            self.exiting = True
        elif kind == wire.LIMIT:
            self.limit, self.cpu_seconds, self.wall_seconds = reader.text(), reader.real(), reader.real()
        elif kind == wire.LOST:
            self.lost = reader.text()
        elif kind == wire.ENDED:
            self._end(reader)
        else:
            self.forged = True

    def _finish(self, key: str, reader: wire.Reader) -> None:
        if key not in self.cases:
            self.forged = True
            return
        self.open.discard(key)
        found = _thrown(self.cases[key], reader)
        if found.status in {"failed", "error"} and self.cases[key].status in {"passed", "skipped"}:
            self.cases[key] = found

    def _skip(self, key: str, reader: wire.Reader) -> None:
        self.open.discard(key)
        case = CaseResult(reader.text(), reader.text(), reader.text(), "skipped", message=reader.text())
        # What failed once stays failed, whatever else is said of it.
        if key not in self.cases or self.cases[key].status == "passed":
            self.cases[key] = case

    def _end(self, reader: wire.Reader) -> None:
        self.lost = reader.text()
        self.clean = bool(reader.number())
        self.cpu_seconds, self.wall_seconds = reader.real(), reader.real()
        self.class_mib = reader.number()
        self.output = reader.raw().decode("utf-8", "replace")
        self.coverage = tuple(_method(reader) for _ in range(reader.number()))
        self.ended = not self.lost

    def outcome(self, methods: Sequence[str]) -> MethodsRun:
        """The run's outcome; call it when it is over, or when the stream has ended."""
        status, reason = self._status(methods)
        return MethodsRun(
            status,
            reason,
            (*self.cases.values(), *self.broken),
            self.coverage,
            self.cpu_seconds,
            self.wall_seconds,
            self.output,
            "warm",
        )

    def _status(self, methods: Sequence[str]) -> tuple[RunStatus, str]:
        if self.lost:
            return "infra", self.lost.splitlines()[0]
        if self.forged:
            return "failed", "the test wrote to the worker's stream"
        if self.flooded:
            return "failed", f"more than {_MOST_CASES:,} cases"
        if self.limit:
            return "timeout", self.limit
        if not self.begun:
            return "infra", "the JVM was lost before the test ran"
        if not self.ended:
            return "failed", "the test ended the JVM by System.exit" if self.exiting else "the JVM ended in the test"
        return self._judged(methods)

    def _judged(self, methods: Sequence[str]) -> tuple[RunStatus, str]:
        if self.broken:
            return "failed", _says(self.broken[0])
        if self.open:
            return "failed", f"{self.cases[min(self.open)].display} began and did not end"
        failed = next((case for case in self.cases.values() if case.status in {"failed", "error"}), None)
        if failed is not None:
            return "failed", _says(failed)
        by_method: dict[str, set[CaseStatus]] = {}
        for case in self.cases.values():
            by_method.setdefault(case.method, set()).add(case.status)
        # A class that is skipped as a whole says so once, and names no method.
        skipped = [name for name in methods if "skipped" in by_method.get(name, by_method.get("", set()))]
        missing = [name for name in methods if name not in by_method and name not in skipped]
        if missing or not methods:
            return "not-found", f"{', '.join(missing) or 'no method'} did not run"
        if skipped:
            why = next((case.message for case in self.cases.values() if case.status == "skipped"), "")
            return "skipped", f"{', '.join(skipped)}: {why}"
        return "passed", ""


def _thrown(case: CaseResult, reader: wire.Reader) -> CaseResult:
    kind = reader.number()
    if not kind:
        return case
    assertion = kind > 1
    return replace(
        case,
        status="failed" if assertion else "error",
        exception=reader.text(),
        message=reader.text(),
        assertion=assertion,
    )


def _says(case: CaseResult) -> str:
    place = case.method or case.display
    return f"{place}: {case.exception}: {case.message.splitlines()[0] if case.message else ''}".rstrip(": ")


def _method(reader: wire.Reader) -> MethodLines:
    return MethodLines(
        reader.text(),
        reader.text(),
        reader.text(),
        reader.text(),
        reader.numbers(),
        reader.numbers(),
        tuple(reader.texts()),
    )
