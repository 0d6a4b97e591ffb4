"""What the judge of TestEvo needs of one task and the agent must never see."""

from __future__ import annotations

from testmark.records.base import Record
from testmark.records.builds import BuildRecord
from testmark.records.kit import Control, Mutant
from testmark.records.mining import Dependency
from testmark.records.tasks import Track


class KitSide(Record):
    """One of the two revisions: its build, and where the target test file belongs in it."""

    revision: str
    tree: str
    """Name of its archive below `kit/trees`, without ending."""
    build: BuildRecord
    module: str | None
    """Path of the module that holds the tests; None when this revision has none for them."""
    test_file: str | None
    """Where this revision itself has the file; None when it has none."""


class KitTarget(Record):
    """One target method."""

    test_class: str
    method: str
    code: str
    """The reference."""
    dependencies: tuple[Dependency, ...]
    """Their executable lines are the scope of coverage and mutation."""
    baseline_covered: int | None
    """Lines of the scope that the unrefined test covers; for refinement alone."""
    cpu_seconds: float
    """The longest run of the reference, rounded up (1, 2, 4, 8 ...): mined twice, a benchmark has the same bytes."""
    mutants: tuple[str, ...]
    """Identifiers of the mutants in methods of the scope."""


class EvoKit(Record):
    """`kit/tasks/<slug>.json`."""

    task_id: str
    track: Track
    project: str
    test_file: str
    old_text: str | None
    """The test file at `rev1`; None when there was none."""
    new_text: str
    """The test file at `rev2`."""
    old: KitSide
    new: KitSide
    targets: tuple[KitTarget, ...]
    mutants: tuple[Mutant, ...]
    controls: tuple[Control, ...]


class EvoView(Record):
    """`views/<slug>.json`: what an agent is told; its workspace is laid out by `prepare`."""

    task_id: str
    track: Track
    project: str
    rev1: str
    rev2: str
    test_file: str
    test_class: str
    module: str
    methods: tuple[str, ...]
    java_version: int
    build_command: str
    test_command: str


class MutantDrop(Record):
    """A mutant that left, and why."""

    mutant: Mutant
    reason: str


class MadeKit(Record):
    """A task's kit and view, and the mutants that left; kept while mining, so that nothing is chosen twice."""

    kit: EvoKit
    view: EvoView
    dropped: tuple[MutantDrop, ...]
    problems: tuple[str, ...]
    """Methods without mutants, and why."""
