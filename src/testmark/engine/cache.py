"""Results by content: the key is a hash of everything that can change the result."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from testmark.engine.files import write_text
from testmark.records.base import Record

RecordType = TypeVar("RecordType", bound=Record)


def default_cache() -> Path:
    """The user's cache folder for testmark; `TESTMARK_CACHE` moves it."""
    import os

    import platformdirs

    chosen = os.environ.get("TESTMARK_CACHE")
    return Path(chosen) if chosen else platformdirs.user_cache_path("testmark")


class ResultCache:
    """Records on disk by key. A damaged entry counts as absent."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def get(self, key: str, kind: type[RecordType]) -> RecordType | None:
        """The record stored under `key`, or None; always None when the cache is switched off."""
        if self._folder is None:
            return None
        try:
            return kind.from_json(self._path(key).read_bytes())
        except (OSError, ValidationError):
            return None

    def put(self, key: str, record: Record) -> None:
        """Store the record under `key`."""
        if self._folder is not None:
            write_text(self._path(key), record.to_json())

    def _path(self, key: str) -> Path:
        assert self._folder is not None  # noqa: S101 - both callers looked
        return self._folder / key[:2] / f"{key[2:]}.json"
