"""What a search for leaks comes to."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class Leak:
    """One place where something hidden can be found."""

    kind: str
    path: str
    detail: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.path}: {self.detail}"


@dataclass(frozen=True)
class Hit:
    """Something hidden that was found in one content, whatever file has it."""

    kind: str
    owner: str
    """Of which hidden thing it is; empty for what is a leak whatever is hidden."""
    detail: str


@dataclass(frozen=True)
class Finding:
    """A leak in one file or folder, of something that not everybody is kept from."""

    kind: str
    path: str
    detail: str
    owner: str = ""

    def belongs_to(self, owners: Collection[str] | None) -> bool:
        """Whether it is a leak for those; None are all."""
        return owners is None or not self.owner or self.owner in owners

    def leak(self, label: str) -> Leak:
        """The same with a label before its path."""
        return Leak(self.kind, label + self.path, self.detail)
