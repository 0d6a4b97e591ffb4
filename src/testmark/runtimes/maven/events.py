"""The events of a Maven session as the spy wrote them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Event:
    """One event: its kind and what it tells, by name."""

    kind: str
    texts: Mapping[str, str]
    lists: Mapping[str, tuple[str, ...]]

    def text(self, name: str) -> str:
        """A field's text; empty when the event does not have it."""
        return self.texts.get(name, "")

    def items(self, name: str) -> tuple[str, ...]:
        """A field's list; empty when the event does not have it."""
        return self.lists.get(name, ())

    def settings(self) -> tuple[tuple[str, str], ...]:
        """Names and values of a plugin's configuration in the order of the pom; nested names are joined by `/`."""
        return tuple(zip(self.items("names"), self.items("values"), strict=True))


def read_events(path: Path, token: str) -> tuple[Event, ...]:
    """All events that carry the token; lines that others wrote into the file, or tore, are left out."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ()
    return tuple(_events(data, token))


def of_kind(events: Sequence[Event], kind: str) -> tuple[Event, ...]:
    """The events of one kind, in order."""
    return tuple(event for event in events if event.kind == kind)


def _events(data: bytes, token: str) -> Iterator[Event]:
    for line in data.splitlines():
        try:
            table = json.loads(line)
        except ValueError:
            continue
        if not isinstance(table, dict) or table.pop("token", None) != token:
            continue
        kind = str(table.pop("kind", ""))
        texts = {name: value for name, value in table.items() if isinstance(value, str)}
        lists = {name: tuple(map(str, value)) for name, value in table.items() if isinstance(value, list)}
        yield Event(kind, texts, lists)
