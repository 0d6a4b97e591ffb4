"""What the benchmark asks of the Maven room: compilations and runs of test methods on one built revision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from testmark.records.base import FileText
from testmark.records.builds import BuiltModule
from testmark.runtimes.maven.jdks import Jdk
from testmark.runtimes.protocol import TimeLimits

WORK = "/work"
"""Where the repository's work tree is seen inside."""
STORE = "/m2"
"""Where the repository's offline store of artifacts is seen inside."""

CaseStatus = Literal["passed", "failed", "error", "skipped"]
RunStatus = Literal["passed", "failed", "not-compiled", "not-found", "skipped", "timeout", "infra"]


@dataclass(frozen=True)
class Toolchain:
    """The JDK and the Maven that build and run a revision, both on the host or both in one root."""

    jdk: Jdk
    maven: str
    """Maven's home, where it stands."""
    maven_version: str
    root: Path | None
    maven_on_host: bool = False
    """Maven stands on the host and is mounted, though the JDK stands in a root."""


@dataclass(frozen=True)
class BuiltTree:
    """A built revision on disk: its work tree with `target` folders, and the store; neither is ever written to."""

    tree: Path
    store: Path
    toolchain: Toolchain
    modules: tuple[BuiltModule, ...]
    released: int | None = None
    """The Java version that was given to javac instead of the declared one."""


@dataclass(frozen=True)
class CompileRequest:
    """Sources to compile together; nothing is written to disk, and no annotation processor runs."""

    sources: tuple[FileText, ...]
    classpath: tuple[str, ...]
    """Folders and jars as seen inside."""
    options: tuple[str, ...]
    overlay: Mapping[str, bytes] = field(default_factory=dict)
    """Classes by binary name that stand before the class path."""


@dataclass(frozen=True)
class Compiled:
    """Classes by binary name; without errors they are all that the sources declare."""

    classes: Mapping[str, bytes]
    errors: tuple[str, ...]
    """`path:line: message`."""


@dataclass(frozen=True)
class MethodsRequest:
    """One run of test methods of one class."""

    dependencies: tuple[str, ...]
    """Jars: loaded once by a loader that later runs share as long as the list is the same."""
    code: tuple[str, ...]
    """Folders of classes and resources, the first wins; loaded anew for each run."""
    overlay: Mapping[str, bytes]
    """Classes by binary name that stand before `code`: the changed test, a mutant."""
    removed: tuple[str, ...]
    """Binary names that `code` has and this run must not see: classes that a changed source no longer declares."""
    test_class: str
    """Binary name."""
    methods: tuple[str, ...]
    """Bare names; every overload of a name is meant."""
    frameworks: tuple[str, ...]
    directory: str
    properties: Mapping[str, str]
    environment: Mapping[str, str]
    arg_line: tuple[str, ...]
    """JVM options; a worker runs only requests of the same options, environment and directory."""
    time: TimeLimits
    measure: tuple[str, ...] = ()
    """Folders of `code` whose classes are measured for coverage."""
    fresh: bool = False
    """A JVM of its own, that has run nothing before."""
    full_speed: bool = False
    """With all compilers of the JVM, for what runs long: others begin sooner with the quick one alone."""


@dataclass(frozen=True)
class CaseResult:
    """One test that ran; a parameterized, repeated or dynamic method has several."""

    test_class: str
    method: str
    display: str
    status: CaseStatus
    exception: str = ""
    """Class name of what was thrown."""
    message: str = ""
    assertion: bool = False
    """Whether what was thrown is a failed assertion (AssertionError or a kin of it)."""
    seconds: float = 0.0
    """By the clock, as Surefire reports it; 0 where nobody says."""


@dataclass(frozen=True)
class MethodLines:
    """A method of a measured class and its executable lines, as JaCoCo counts them."""

    owner: str
    """Binary name of its class."""
    name: str
    descriptor: str
    source: str
    """Name of the source file, without folders."""
    lines: tuple[int, ...]
    covered: tuple[int, ...]
    callers: tuple[str, ...] = ()
    """Measured methods (`owner#name`) that called it, whatever code of others stood between; a warm run tells them."""


@dataclass(frozen=True)
class MethodsRun:
    """What one run showed. `passed` means: every named method ran, and every case passed."""

    status: RunStatus
    reason: str
    cases: tuple[CaseResult, ...] = ()
    coverage: tuple[MethodLines, ...] = ()
    """Every method of every class of a source file in which a line is covered."""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    output: str = ""
    how: Literal["warm", "cold"] = "cold"


class JavaWorker(Protocol):
    """A long-lived JVM in the sandbox; one request at a time. It starts again by itself when it is lost."""

    def compile(self, request: CompileRequest) -> Compiled:
        """Compile in the process; raises `InfraError` when the worker is lost."""
        ...

    def run(self, request: MethodsRequest) -> MethodsRun:
        """Run; a fault of the worker itself is a run of status `infra`."""
        ...

    def digests(self, classes: Sequence[Mapping[str, bytes]]) -> list[str]:
        """A digest of each set of classes without debug information: equal for mutants that compile alike."""
        ...

    def risky(self, classes: Mapping[str, bytes], code: Sequence[str]) -> str:
        """Why a test of these classes should run in a JVM of its own (`fresh`); empty when nothing speaks for it.

        `code` are the folders of the project's own classes, as `MethodsRequest` has them.
        """
        ...

    def close(self) -> None:
        """End the JVM and all that it started."""
        ...
