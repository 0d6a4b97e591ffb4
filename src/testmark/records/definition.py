"""`testmark.toml`: what a project is, where its tests and its production code are, and how it is run."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from testmark.records.base import Record
from testmark.records.tags import check_expression

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Sha1 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
TestLevel = Literal["component", "integration", "system"]


class ProjectTable(Record):
    """`[project]`: the identity that ends up in the dataset rows."""

    name: Name
    language: Literal["python"] = "python"
    framework: Literal["behave"] = "behave"
    repo_url: str
    commit: Sha1
    feature_repo_url: str | None = None
    feature_commit: Sha1 | None = None
    licence: str | None = None


class SourceTable(Record):
    """`[source]`: exactly one of a folder, a git repository at a commit, or a PyPI source distribution."""

    path: str | None = None
    git: str | None = None
    commit: Sha1 | None = None
    pypi: str | None = None
    version: str | None = None
    sha256: Sha256 | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> SourceTable:
        if sum(value is not None for value in (self.path, self.git, self.pypi)) != 1:
            raise ValueError("[source] needs exactly one of `path`, `git` and `pypi`")
        if self.git is not None and self.commit is None:
            raise ValueError("[source] with `git` needs `commit`")
        if self.pypi is not None and (self.version is None or self.sha256 is None):
            raise ValueError("[source] with `pypi` needs `version` and `sha256`")
        return self


class RuntimeTable(Record):
    """`[runtime]`: the interpreter and the dependencies, installed once into an environment of the project's own."""

    python: str = "3"
    """A version (`3.11`) or a path of an interpreter."""
    dependencies: tuple[str, ...] = ()
    """PEP 508 requirements; `behave` must be among them or in the lock."""
    lock: str | None = None
    """A requirements file with hashes, relative to the definition; wins over `dependencies`."""
    environment: dict[str, str] = Field(default_factory=dict)
    """Extra environment variables of every run."""
    root: str | None = None
    """Name of the Debian root that stands in for the host (see docs), or none."""


class LayoutTable(Record):
    """`[layout]`: where things are, relative to the project root."""

    features: tuple[str, ...] = ("features",)
    """Folders or files that hold `.feature` files."""
    test_roots: tuple[str, ...] = ("features",)
    """Folders a prediction may write into."""
    support: tuple[str, ...] = ()
    """Globs of step files to be treated as support code: kept in views, loaded with every prediction."""
    production_roots: tuple[str, ...] = ("src",)
    """Folders or files of first-party production code."""
    import_paths: tuple[str, ...] = ("src",)
    """Folders put on the module search path, as installing the project would."""
    exclude: tuple[str, ...] = ()
    """Globs of files that are left out of the snapshot altogether."""


class SuiteTable(Record):
    """`[[suite]]`: Features of one Step Definition suite, with the test level it stands for."""

    name: str
    features: tuple[str, ...] = ("**",)
    """Globs over feature paths; a Scenario belongs to the first suite whose globs and tags match."""
    level: TestLevel = "component"
    userdata: dict[str, str] = Field(default_factory=dict)
    """behave's `-D name=value` for the Scenarios of this suite."""
    tags: Annotated[str, AfterValidator(check_expression)] | None = None
    """A tag expression that a Scenario's tags satisfy, those of all its Examples tables too."""


class CapsTable(Record):
    """`[caps]`: how much is built."""

    mutants: Annotated[int, Field(ge=1, le=1000)] = 20
    """At most this many mutants an instance."""
    runs: Annotated[int, Field(ge=1, le=100)] = 3
    """N of the N-of-N rules for reference runs and kill sets."""
    eval: Annotated[int, Field(ge=1)] | None = None
    """At most this many instances in the `eval` split."""


class LimitsTable(Record):
    """`[limits]`: what one run of one test may use."""

    memory_mib: Annotated[int, Field(ge=64)] = 2048
    processes: Annotated[int, Field(ge=1)] = 64
    disk_mib: Annotated[int, Field(ge=1)] = 256
    output_kib: Annotated[int, Field(ge=1)] = 1024
    cpu_floor_seconds: Annotated[float, Field(gt=0)] = 2.0
    """A run may always use this much CPU time."""
    cpu_factor: Annotated[float, Field(ge=1)] = 10.0
    """And this many times what the reference test used."""
    idle_seconds: Annotated[float, Field(gt=0)] = 10.0
    """A run in which every process sleeps this long, beyond what the reference slept, is a deadlock."""


class ProjectDefinition(Record):
    """One `testmark.toml`."""

    project: ProjectTable
    source: SourceTable
    runtime: RuntimeTable = RuntimeTable()
    layout: LayoutTable = LayoutTable()
    suite: tuple[SuiteTable, ...] = (SuiteTable(name="default"),)
    caps: CapsTable = CapsTable()
    limits: LimitsTable = LimitsTable()
