"""Mining's tools as they really are: Maven builds, JVM workers and RefactoringMiner, all in the sandbox."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from testmark.errors import ToolMissingError
from testmark.records.builds import BuildRecord
from testmark.runtimes.maven.build import build_revision
from testmark.runtimes.maven.cold import ColdRequest, run_cold
from testmark.runtimes.maven.protocol import BuiltTree, JavaWorker, MethodsRun, Toolchain
from testmark.runtimes.maven.refactoring_tool import RefactoringTool
from testmark.runtimes.maven.toolchains import find_toolchains
from testmark.runtimes.maven.worker import JvmWorker
from testmark.runtimes.maven.worker_javac import Javacs
from testmark.sandbox.confinement import Sandbox
from testmark.sandbox.roots import load_root, root_folder
from testmark.testevo.candidates import Pair
from testmark.testevo.changes import PairChanges
from testmark.testevo.history import History
from testmark.testevo.pairs import NO_REFACTORING, Refactored
from testmark.testevo.refactored import find_refactored

ROOT = "sid-java"
_INSTALL = "apt-get install maven default-jdk-headless"


class MavenWorkshop:
    """The real one; safe to use from several threads."""

    def __init__(self, sandbox: Sandbox, cache: Path) -> None:
        self._sandbox = sandbox
        self.maven = cache / "maven"
        """Where the Maven room keeps what it has compiled and fetched."""
        root = root_folder(load_root(ROOT))
        self._root = root if root.is_dir() else None
        self._lock = threading.Lock()
        self._tool: RefactoringTool | None = None
        # Bubblewrap ends with the thread that started it, so the tool has one that outlives those that ask.
        self._tool_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="refactorings")
        self._told = False

    def toolchains(self) -> tuple[Toolchain, ...]:
        """Those of the root where it is made, else the host's; raises `ToolMissingError` without any."""
        found = find_toolchains(root=self._root) if self._root is not None else find_toolchains()
        if not found:
            raise ToolMissingError(
                f"no JDK with a Maven is installed; `testevo toolchain install` makes a root with five, or `{_INSTALL}`"
            )
        return found

    def build(
        self, tree: Path, store: Path, toolchains: Sequence[Toolchain], declared: int | None, log: Path
    ) -> BuildRecord:
        """Build one revision's tree."""
        return build_revision(tree, store, toolchains, self._sandbox, declared=declared, log=log, cache=self.maven)

    def worker(self, tree: BuiltTree, javacs: Javacs | None = None) -> JavaWorker:
        """A JVM for a built tree; `javacs` are shared by the workers of one thread, which closes them."""
        return JvmWorker(tree, self._sandbox, cache=self.maven, javacs=javacs)

    def cold(self, tree: BuiltTree, request: ColdRequest) -> MethodsRun:
        """One run of test methods by Maven itself, in a copy of the tree."""
        return run_cold(tree, request, self._sandbox, cache=self.maven)

    def refactored(self, history: History, pair: Pair, changes: PairChanges) -> Refactored:
        """What of a pair is refactoring and nothing else; nothing without the root, in which the tool runs."""
        root = self._root
        if root is None:
            with self._lock:
                if not self._told:
                    self._told = True
                    sys.stderr.write("note: refactorings are not told apart; `testevo toolchain install` allows it\n")
            return NO_REFACTORING
        return self._tool_thread.submit(self._ask_tool, root, history, pair, changes).result()

    def _ask_tool(self, root: Path, history: History, pair: Pair, changes: PairChanges) -> Refactored:
        if self._tool is None:
            self._tool = RefactoringTool(self._sandbox, root)
        return find_refactored(self._tool, history, pair, changes)

    def close(self) -> None:
        """End what still runs."""
        self._tool_thread.shutdown(wait=True, cancel_futures=True)
        if self._tool is not None:
            self._tool.close()
