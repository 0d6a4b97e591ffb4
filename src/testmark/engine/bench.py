"""A benchmark folder as both judges read it: its manifest, and the proof that its files are those it records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from testmark import __version__
from testmark.engine.files import sha256_file
from testmark.errors import UserError
from testmark.records.base import Record
from testmark.records.kit import SCHEMA_VERSION, BenchManifest

R = TypeVar("R", bound=Record)
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

    def record(self, kind: type[R], path: str) -> R:
        """One of its files as a record; raises `UserError` naming the file when it is none."""
        place = self.folder / path
        return _parsed(kind, _read(place), str(place))

    def records(self, kind: type[R], path: str) -> Iterator[R]:
        """The records of one of its files, one a line that is not empty; raises `UserError` naming file and line."""
        place = self.folder / path
        for number, line in enumerate(_read(place).splitlines(), 1):
            if line.strip():
                yield _parsed(kind, line, f"{place}:{number}")


def _read(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError as error:
        raise UserError(f"{place}: {error.strerror or error}; fetch or build the benchmark again") from error


def _parsed(kind: type[R], data: bytes, place: str) -> R:
    try:
        return kind.from_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "its JSON"
        raise UserError(
            f"{place}: is not what testmark {__version__} writes ({where}: {first['msg']}); build the benchmark again, "
            "or use the testmark that built it"
        ) from error


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
