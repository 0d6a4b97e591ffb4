"""Mining's tools as they really are: Maven builds, JVM workers and RefactoringMiner, all in the sandbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from testmark.errors import ToolMissingError
from testmark.records.builds import BuildRecord
from testmark.runtimes.maven.build import build_revision
from testmark.runtimes.maven.protocol import BuiltTree, JavaWorker, Toolchain
from testmark.runtimes.maven.toolchains import find_toolchains
from testmark.runtimes.maven.worker import JvmWorker
from testmark.sandbox.confinement import Sandbox
from testmark.sandbox.roots import load_root, root_folder
from testmark.testevo.candidates import Pair
from testmark.testevo.changes import PairChanges
from testmark.testevo.history import History
from testmark.testevo.pairs import NO_REFACTORING, Refactored

ROOT = "sid-java"
_INSTALL = "apt-get install maven default-jdk-headless"


@dataclass(frozen=True)
class MavenWorkshop:
    """The real one."""

    sandbox: Sandbox
    cache: Path

    @property
    def maven(self) -> Path:
        """Where the Maven room keeps what it has compiled and fetched."""
        return self.cache / "maven"

    def toolchains(self) -> tuple[Toolchain, ...]:
        """Those of the root where it is made, else the host's; raises `ToolMissingError` without any."""
        root = root_folder(load_root(ROOT))
        found = find_toolchains(root=root) if root.is_dir() else find_toolchains()
        if not found:
            raise ToolMissingError(
                f"no JDK with a Maven is installed; `testevo toolchain install` makes a root with five, or `{_INSTALL}`"
            )
        return found

    def build(
        self, tree: Path, store: Path, toolchains: Sequence[Toolchain], declared: int | None, log: Path
    ) -> BuildRecord:
        """Build one revision's tree."""
        return build_revision(tree, store, toolchains, self.sandbox, declared=declared, log=log, cache=self.maven)

    def worker(self, tree: BuiltTree) -> JavaWorker:
        """A JVM for a built tree."""
        return JvmWorker(tree, self.sandbox, cache=self.maven)

    def refactored(self, history: History, pair: Pair, changes: PairChanges) -> Refactored:
        """What of a pair is refactoring and nothing else."""
        return NO_REFACTORING
