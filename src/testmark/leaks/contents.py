"""Contents searched once, whatever files hold them, and within archives."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from testmark.leaks.archives import MOST_BYTES, Budget, members
from testmark.leaks.found import Finding, Hit
from testmark.leaks.places import history_in

Look = Callable[[str, bytes, bool], Iterator[Hit]]
"""Hits in one content by its name and bytes; the last says whether it is an archive, whose members follow."""


def hits_in(look: Look, name: str, data: bytes, budget: Budget, depth: int = 0) -> Iterator[Hit]:
    """Everything in one file and in the archives that it is made of; `budget` notes what was not read."""
    history = history_in(data)
    if history:
        yield Hit("history", "", history)
        return
    unpacked = members(name, data, budget, depth)
    yield from look(name, data, unpacked is not None)
    for inner, content in unpacked or ():
        for hit in hits_in(look, inner, content, budget, depth + 1):
            yield Hit(hit.kind, hit.owner, f"{hit.detail}, in its member {inner}")


class Contents:
    """Searches files; a content that was seen under such a name is not searched again.

    `notes` say what could not be looked into: archives that unpack to too much, damaged ones, devices.
    """

    def __init__(self, look: Look, class_of: Callable[[str], str] = lambda relative: Path(relative).suffix) -> None:
        """`class_of` is what of a file's name decides how it is read."""
        self._look = look
        self._class_of = class_of
        self._by_content: dict[tuple[str, bytes], tuple[tuple[Hit, ...], tuple[str, ...]]] = {}
        self.notes: list[str] = []

    def read(self, relative: str, path: Path) -> bytes | None:
        """The bytes of a file; None, with a note, for what cannot be read."""
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
            self.note(f"{relative}: not read, it is no plain file or too large")
            return None
        try:
            return path.read_bytes()
        except OSError as error:
            self.note(f"{relative}: not read ({error.strerror})")
            return None

    def search(self, relative: str, data: bytes) -> Iterator[Finding]:
        """Findings in one content."""
        key = (self._class_of(relative), hashlib.blake2b(data, digest_size=20).digest())
        if key not in self._by_content:
            budget = Budget()
            hits = tuple(dict.fromkeys(hits_in(self._look, relative, data, budget)))
            self._by_content[key] = (hits, tuple(budget.notes))
        hits, notes = self._by_content[key]
        for note in notes:
            self.note(f"{relative}: {note}")
        for hit in hits:
            yield Finding(hit.kind, relative, hit.detail, hit.owner)

    def note(self, note: str) -> None:
        """Remember what was not looked into."""
        if note not in self.notes:
            self.notes.append(note)
