"""A benchmark folder as both judges read it: its manifest, and the proof that its files are those it records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from testmark import __version__
from testmark.engine.files import sha256_file
from testmark.errors import UserError
from testmark.records.kit import SCHEMA_VERSION, BenchManifest

_FOR_READERS = ("README.md", "dropped.jsonl")
"""Files that no verdict depends on."""
_COMMANDS = {"req2test": "req2test build", "testevo": "testevo mine"}


@dataclass(frozen=True)
class BenchFolder:
    """An opened benchmark folder."""

    folder: Path
    manifest: BenchManifest

    def verify(self) -> None:
        """Compare every file that is read with the manifest; raises `UserError` naming the first that differs."""
        for path, expected in self.manifest.hashes.items():
            if path.endswith(_FOR_READERS):
                continue
            place = self.folder / path
            if not place.is_file():
                raise UserError(f"{place}: missing; fetch or build the benchmark again")
            if sha256_file(place) != expected:
                raise UserError(
                    f"{place}: is not the file that bench.json records (SHA-256); fetch or build the benchmark again"
                )
        known = set(self.manifest.hashes)
        for place in sorted((self.folder / "kit").rglob("*")):
            path = place.relative_to(self.folder).as_posix()
            if place.is_file() and not place.is_symlink() and path not in known:
                raise UserError(
                    f"{place}: not part of the benchmark (bench.json does not name it); remove it or build again"
                )

    def lines(self, path: str) -> Iterator[str]:
        """The lines of one of its files that are not empty."""
        with (self.folder / path).open(encoding="utf-8") as handle:
            for line in handle:
                if line.strip():
                    yield line


def _check_form(place: Path, data: bytes) -> None:
    """Raise `UserError` for a benchmark of another testmark; one that cannot be read at all is the reader's to name."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return
    form = value.get("schema_version") if isinstance(value, dict) else None
    if isinstance(form, int) and form != SCHEMA_VERSION:
        raise UserError(
            f"{place}: has form {form}, of testmark {value.get('testmark_version')}; testmark {__version__} reads form "
            f"{SCHEMA_VERSION}; use that version, or build the benchmark again"
        )


def read_manifest(folder: Path, benchmark: str) -> BenchManifest:
    """The manifest of a benchmark folder; raises `UserError` when it is none, or one of the other benchmark."""
    place = folder / "bench.json"
    try:
        data = place.read_bytes()
        _check_form(place, data)
        manifest = BenchManifest.from_json(data)
    except FileNotFoundError as error:
        raise UserError(
            f"{folder}: not a benchmark folder (it has no bench.json); make one with `{_COMMANDS[benchmark]}`"
        ) from error
    except (OSError, ValidationError) as error:
        first = str(error).splitlines()[0]
        raise UserError(f"{place}: cannot be read ({first}); fetch or build the benchmark again") from error
    if manifest.benchmark != benchmark:
        raise UserError(f"{folder}: holds a benchmark of `{manifest.benchmark}`; use that command")
    return manifest
