"""A benchmark folder as the judge reads it: verified first, then instance by instance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from testmark.engine.bench import BenchFolder, read_manifest
from testmark.errors import UserError
from testmark.projects.load import LoadedDefinition
from testmark.records.dataset import InstanceRow, ReferenceRow
from testmark.records.kit import KitInstance, KitProject, Mutant, View
from testmark.records.slugs import slug
from testmark.req2test.scanning import selected


@dataclass(frozen=True)
class Bench(BenchFolder):
    """An opened benchmark of Req2Test."""

    def rows(self, split: str = "eval") -> list[InstanceRow]:
        """The instances of a split, in the data set's order."""
        return list(self.records(InstanceRow, f"data/{split}.jsonl"))

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
        return self.records(ReferenceRow, "gt_tests/full.jsonl")

    @cached_property
    def mutants(self) -> dict[str, Mutant]:
        """Every mutant of the benchmark by its identifier."""
        return {mutant.mutant_id: mutant for mutant in self.records(Mutant, "mutants.jsonl")}

    @cached_property
    def project(self) -> KitProject:
        """How the project is run."""
        return self.record(KitProject, "kit/project.json")

    def kit(self, instance_id: str) -> KitInstance:
        """What the judge knows of an instance."""
        return self.record(KitInstance, f"kit/instances/{slug(instance_id)}.json")

    def view(self, instance_id: str) -> View:
        """What an agent sees of an instance."""
        return self.record(View, f"views/{slug(instance_id)}.json")

    def definition(self) -> LoadedDefinition:
        """The kit's own definition: its source is the kit's copy of the project."""
        return LoadedDefinition(self.project.definition, None, self.folder / "kit", {})


def open_bench(folder: Path) -> Bench:
    """Open a benchmark folder; raises `UserError` when it is not one."""
    return Bench(folder, read_manifest(folder, "req2test"))
