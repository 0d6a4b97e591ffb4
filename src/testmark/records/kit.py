"""What the judge needs and an agent must never see: mutants, kill sets, expected pickles, the reference's figures."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from testmark.records.base import FileText, Record
from testmark.records.dataset import TargetInterface
from testmark.records.definition import ProjectDefinition

MutantVerdict = Literal["killed", "killed_error", "killed_timeout", "survived", "unreached", "invalid", "infra"]


class Mutant(Record):
    """One edit of one production file: bytes `start_byte:end_byte` of its UTF-8 text become `after`."""

    mutant_id: str
    """Stable: the hash of path, span and `after`."""
    path: str
    operator: str
    family: str
    start_byte: int
    end_byte: int
    line: int
    """1-based first line of the edited span."""
    column: int
    """0-based column, in characters."""
    end_line: int
    end_column: int
    before: str
    after: str
    function: str
    """Qualified name of the innermost function that holds the edit, `<module>` outside any."""
    function_line: int
    """First line of that function (its first decorator's), 1 for `<module>`."""


class Control(Record):
    """An edit that changes no behaviour, delivered exactly like a mutant."""

    level: Literal["text", "names", "lines", "instructions", "constants"]
    mutant: Mutant


class ExpectedStep(Record):
    """One step of a pickle as the official parser sees it."""

    line: int
    text: str


class ExpectedPickle(Record):
    """One pickle that must run and pass: `line` is the Scenario's, or the Examples row's."""

    line: int
    steps: tuple[ExpectedStep, ...]


class ReferenceFigures(Record):
    """What the reference test itself showed when the kit was built."""

    cpu_seconds: float
    wall_seconds: float
    cold_cpu_seconds: float
    """Of a run in a fresh process."""
    cold_wall_seconds: float
    api: tuple[tuple[str, ...], ...]
    """Keys of the production methods called directly by When and Then steps."""
    scenario_lines: dict[str, tuple[int, ...]]
    """Production lines executed between the first and the last step, by path."""


class KitProject(Record):
    """`kit/project.json`: how the project is run."""

    definition: ProjectDefinition
    preload: tuple[str, ...]
    """Third-party modules that the project's tests import."""
    step_files: tuple[str, ...]
    """Files that register step definitions: importable in every run, loaded as steps in none but their own."""
    production_modules: tuple[str, ...]
    """Top-level modules and packages of the production code."""
    support_files: tuple[str, ...]
    """All other files below the test roots; Python ones among them are loaded with every prediction."""


class KitInstance(Record):
    """`kit/instances/<slug>.json`."""

    instance_id: str
    feature_path: str
    line: int
    feature_text: str
    """The Feature cut to the Requirement, with its line numbers kept."""
    suite: str
    userdata: dict[str, str]
    pickles: tuple[ExpectedPickle, ...]
    reference_files: tuple[str, ...]
    """Step files of the reference test: absent from the view and from the judge's workspace."""
    hidden: tuple[FileText, ...]
    """The functions whose bodies the view hides: `path:line` and their full text."""
    targets: tuple[TargetInterface, ...]
    reference: ReferenceFigures
    mutants: tuple[str, ...]
    kill_set: tuple[str, ...]
    kill_verdicts: dict[str, MutantVerdict] = Field(default_factory=dict)
    controls: tuple[Control, ...]
    warm: bool
    """False when a cold run disagreed at build: this instance is judged cold."""
    allowed_flags: tuple[str, ...] = ()
    """Rules about what a test does while it runs that the reference test itself does not keep."""


class View(Record):
    """`views/<slug>.json`: what differs between the project and what an agent of this instance sees."""

    instance_id: str
    removed: tuple[str, ...]
    """Paths that the view lacks: the reference's step files."""
    files: tuple[FileText, ...]
    """Files with the view's own text: hidden bodies, the Feature cut to the Requirement."""
    prompt: str


class Dropped(Record):
    """One line of `dropped.jsonl`: what left, a Scenario, a commit or a mutant, say, and the rule."""

    id: str
    kind: Literal["scenario", "mutant", "feature", "eval", "commit", "pair", "test", "task"]
    rule: str
    detail: str


SCHEMA_VERSION = 1
"""The form of a benchmark folder: raise it when an earlier testmark could not read one, or would judge otherwise."""


class BenchManifest(Record):
    """`bench.json`."""

    benchmark: Literal["req2test", "testevo"]
    schema_version: int
    testmark_version: str
    bench_id: str
    """Hash of every kit file: two benchmarks with one `bench_id` judge alike."""
    projects: tuple[str, ...]
    seed: int
    counts: dict[str, int]
    hashes: dict[str, str]
    """SHA-256 by path, relative to the benchmark folder, of every file that judging reads."""
    interpreter: str
    runtime_lock: tuple[str, ...]
    """`name==version` of everything in the project's runtime."""
