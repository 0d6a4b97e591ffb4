"""A benchmark folder as the judge reads it: verified first, then instance by instance."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from testmark import __version__
from testmark.engine.files import sha256_file
from testmark.errors import UserError
from testmark.projects.load import LoadedDefinition
from testmark.records.dataset import InstanceRow, ReferenceRow
from testmark.records.kit import SCHEMA_VERSION, BenchManifest, KitInstance, KitProject, Mutant, View
from testmark.records.slugs import slug
from testmark.req2test.scanning import selected

_PARTS = ("kit/", "mutants.jsonl", "data/", "views/", "gt_tests/")


@dataclass(frozen=True)
class Bench:
    """An opened benchmark folder."""

    folder: Path
    manifest: BenchManifest

    def rows(self, split: str = "eval") -> list[InstanceRow]:
        """The instances of a split, in the data set's order."""
        return [InstanceRow.from_json(line) for line in self._lines(f"data/{split}.jsonl")]

    def select(self, only: Sequence[str], limit: int | None) -> list[InstanceRow]:
        """The instances of `eval` that were asked for; raises `UserError` when there are none."""
        rows = self.rows()
        if not rows:
            raise UserError(
                f"{self.folder}: its `eval` has no instance; {self.folder / 'dropped.jsonl'} names the reason for each"
            )
        chosen = [row for row in rows if selected(row.instance_id, only)][:limit]
        if not chosen:
            raise UserError(f"{self.folder}: no instance of `eval` is selected; correct --only or --limit")
        return chosen

    def references(self) -> Iterator[ReferenceRow]:
        """The reference tests of `full`, in the data set's order."""
        for line in self._lines("gt_tests/full.jsonl"):
            yield ReferenceRow.from_json(line)

    @cached_property
    def mutants(self) -> dict[str, Mutant]:
        """Every mutant of the benchmark by its identifier."""
        found = (Mutant.from_json(line) for line in self._lines("mutants.jsonl"))
        return {mutant.mutant_id: mutant for mutant in found}

    @cached_property
    def project(self) -> KitProject:
        """How the project is run."""
        return KitProject.from_json((self.folder / "kit/project.json").read_bytes())

    def kit(self, instance_id: str) -> KitInstance:
        """What the judge knows of an instance."""
        return KitInstance.from_json((self.folder / "kit/instances" / f"{slug(instance_id)}.json").read_bytes())

    def view(self, instance_id: str) -> View:
        """What an agent sees of an instance."""
        return View.from_json((self.folder / "views" / f"{slug(instance_id)}.json").read_bytes())

    def definition(self) -> LoadedDefinition:
        """The kit's own definition: its source is the kit's copy of the project."""
        return LoadedDefinition(self.project.definition, None, self.folder / "kit", {})

    def verify(self) -> None:
        """Compare every file that is read with the manifest; raises `UserError` naming the first that differs."""
        for path, expected in self.manifest.hashes.items():
            if not path.startswith(_PARTS):
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

    def _lines(self, path: str) -> Iterator[str]:
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


def open_bench(folder: Path) -> Bench:
    """Open a benchmark folder; raises `UserError` when it is not one."""
    place = folder / "bench.json"
    try:
        data = place.read_bytes()
        _check_form(place, data)
        manifest = BenchManifest.from_json(data)
    except FileNotFoundError as error:
        raise UserError(
            f"{folder}: not a benchmark folder (it has no bench.json); make one with `req2test build`"
        ) from error
    except (OSError, ValidationError) as error:
        first = str(error).splitlines()[0]
        raise UserError(f"{place}: cannot be read ({first}); fetch or build the benchmark again") from error
    return Bench(folder, manifest)
