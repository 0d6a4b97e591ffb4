"""What all persisted records share: frozen, closed, and written the same way every time."""

from __future__ import annotations

import json
from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A persisted record: unknown keys are errors, instances do not change."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def to_json(self, *, indent: int | None = None) -> str:
        """JSON text with the fields in declared order, non-ASCII kept as it is."""
        return dump_json(self.model_dump(mode="json", by_alias=True), indent=indent)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The record of a JSON text; raises `pydantic.ValidationError`."""
        return cls.model_validate_json(text)


class FileText(Record):
    """One text file by its path relative to the project root, `/`-separated."""

    path: str
    content: str


def dump_json(value: Any, *, indent: int | None = None) -> str:  # noqa: ANN401 - any JSON value
    """Serialise one JSON value the way every file of testmark is written."""
    return json.dumps(value, ensure_ascii=False, indent=indent)
