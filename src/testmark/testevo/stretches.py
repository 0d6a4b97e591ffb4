"""After five failed builds in a row the next revisions are not built, until one whose build files differ."""

from __future__ import annotations

from collections.abc import Callable

MOST_FAILURES = 5


class Stretch:
    """Walks revisions oldest first. What it says of one depends on earlier ones alone, so later ones only add."""

    def __init__(self, build_files: Callable[[str], str]) -> None:
        """`build_files` gives a digest of all pom files of a revision."""
        self._build_files = build_files
        self._failures = 0
        self._last = ""

    def gives_up(self, revision: str) -> bool:
        """Whether the revision, if it is the next, lies in a stretch that is given up."""
        return self._failures >= MOST_FAILURES and self._build_files(revision) == self._last

    def skips(self, revision: str) -> bool:
        """The same of the revision that is the next; one with other build files begins a new stretch."""
        if self.gives_up(revision):
            return True
        if self._failures >= MOST_FAILURES:
            self._failures = 0
        return False

    def saw(self, revision: str, *, built: bool) -> None:
        """Count the outcome of a revision that was not skipped."""
        self._failures = 0 if built else self._failures + 1
        if not built:
            self._last = self._build_files(revision)
