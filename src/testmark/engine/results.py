"""A results folder: `run.json` says what was evaluated, and one small file a task holds its result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

from pydantic import ValidationError

from testmark.engine.files import write_text
from testmark.errors import UserError
from testmark.records.results import AuditSummary, MutantDiff, RunSettings, Summary
from testmark.records.slugs import slug


class Judged(Protocol):
    """The record of one judged task."""

    @property
    def verdict(self) -> str:
        """`infra` is tried again."""
        ...

    @property
    def audited(self) -> int:
        """Verdicts that were compared with cold ones."""
        ...

    @property
    def disagreements(self) -> int:
        """How many of them differed."""
        ...

    @classmethod
    def from_json(cls, text: bytes) -> Self:
        """Raises `ValidationError`."""
        ...

    def to_json(self, *, indent: int | None = None) -> str:
        """One JSON object."""
        ...


ResultType = TypeVar("ResultType", bound=Judged)


class ResultsFolder(Generic[ResultType]):
    """The folder `out` of one evaluation; results are records of `kind`."""

    def __init__(self, folder: Path, kind: type[ResultType]) -> None:
        self.folder = folder
        self._kind = kind

    def claim(self, settings: RunSettings) -> None:
        """Take the folder; one of another benchmark, predictions or seed is refused with a `UserError`."""
        place = self.folder / "run.json"
        if not place.exists():
            write_text(place, settings.to_json(indent=1) + "\n")
            return
        try:
            found = RunSettings.from_json(place.read_bytes())
        except (OSError, ValidationError) as error:
            raise UserError(f"{place}: cannot be read; choose another --out") from error
        ours: dict[str, Any] = settings.model_dump()
        # A benchmark may move; what it holds is told by its bench_id.
        differing = [key for key, value in found.model_dump().items() if key != "bench" and value != ours[key]]
        if differing:
            raise UserError(
                f"{self.folder}: holds another evaluation (it differs in {', '.join(differing)}); choose another --out"
            )

    def stored(self, name: str) -> ResultType | None:
        """The task's result if it is there and whole; `infra` is tried again."""
        try:
            found = self.read(name)
        except (OSError, ValidationError):
            return None
        return None if found.verdict == "infra" else found

    def read(self, name: str) -> ResultType:
        """The task's result, which must be there."""
        return self._kind.from_json(self._place(name).read_bytes())

    def store(self, name: str, result: ResultType) -> None:
        """Write a task's result."""
        write_text(self._place(name), result.to_json() + "\n")

    def begin(self) -> None:
        """From here on until all is judged, a report derives the figures from what is there."""
        (self.folder / "summary.json").unlink(missing_ok=True)

    def write_companions(self, rows: Iterable[str], diffs: Iterable[MutantDiff]) -> None:
        """What a report shows besides verdicts: the judged rows, as JSON each, and each mutant's diff."""
        write_text(self.folder / "instances.jsonl", "".join(f"{row}\n" for row in rows))
        write_text(self.folder / "diffs.jsonl", "".join(f"{one.to_json()}\n" for one in diffs))

    def finish(self, summary: Summary, seconds: float) -> Summary:
        """Write the summary with the time that it took."""
        summary = summary.model_copy(update={"seconds": round(seconds, 3)})
        write_text(self.folder / "summary.json", summary.to_json(indent=1) + "\n")
        return summary

    def results(self, names: Iterable[str]) -> Iterator[ResultType]:
        """The results of these tasks, all of which must be there."""
        return map(self.read, names)

    def audited(self, names: Iterable[str]) -> AuditSummary:
        """How many warm verdicts of these tasks were compared with cold ones while they were judged."""
        sampled = disagreements = 0
        for found in self.results(names):
            sampled += found.audited
            disagreements += found.disagreements
        return AuditSummary(sampled=sampled, disagreements=disagreements)

    def _place(self, name: str) -> Path:
        return self.folder / "tasks" / f"{slug(name)}.json"
