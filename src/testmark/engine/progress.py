"""Progress on standard error: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

_SECONDS_BETWEEN_LINES = 10.0


class Progress:
    """Counts steps of one stage: `with Progress("judging", total) as progress: progress.step(note)`."""

    def __init__(self, what: str, total: int | None, *, quiet: bool = False) -> None:
        self._what = what
        self._total = total
        self._quiet = quiet
        self._done = 0
        self._last_line = time.monotonic()
        self._bar: RichProgress | None = None

    def __enter__(self) -> Self:
        if not self._quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self._what, total=self._total)
        return self

    def step(self, note: str = "") -> None:
        """One more is done."""
        self._done += 1
        if self._bar is not None:
            self._bar.update(self._task, advance=1, description=f"{self._what} {note}".strip())
            return
        now = time.monotonic()
        if not self._quiet and now - self._last_line >= _SECONDS_BETWEEN_LINES:
            self._last_line = now
            self._print()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        if not self._quiet and self._done:
            self._print()

    def _print(self) -> None:
        total = "" if self._total is None else f"/{self._total}"
        print(f"{self._what}: {self._done}{total}", file=sys.stderr, flush=True)
