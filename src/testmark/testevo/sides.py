"""One built revision as its tests see it, and one run of test methods there: by a worker's JVM, or by Maven.

A module whose Surefire settings a JVM of ours cannot carry over is run by Maven alone (`cold_reasons`). A test that
names what could reach from one run into the next has a JVM of its own for each run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from testmark.records.base import FileText
from testmark.records.builds import BuiltModule
from testmark.runtimes.maven.cold import ColdRequest
from testmark.runtimes.maven.protocol import WORK, JavaWorker, MethodsRequest, MethodsRun
from testmark.runtimes.protocol import TimeLimits
from testmark.source.java import JavaMethod
from testmark.testevo.inherited import running_class
from testmark.testevo.placing import NotPlaced, Placed, place
from testmark.testevo.reaching import reachable


@dataclass(frozen=True)
class Asked:
    """One run, as a worker takes it and as Maven does."""

    warm: MethodsRequest
    files: tuple[FileText, ...]
    """The test file, and the mutated production file where there is one."""
    removed: tuple[str, ...]
    """Where the revision itself has the test file, when that is another place."""
    only_maven: bool
    """No JVM of ours runs it as Maven would."""

    def unmeasured(self) -> Asked:
        """The same run without coverage."""
        return replace(self, warm=replace(self.warm, measure=()))

    def at_full_speed(self) -> Asked:
        """The same run as fast as Maven's JVM, which compiles more thoroughly what runs long."""
        return replace(self, warm=replace(self.warm, full_speed=True))


@dataclass(frozen=True)
class Side:
    """One built revision as its tests see it."""

    revision: str
    tree: Path
    module: BuiltModule
    siblings: tuple[BuiltModule, ...]
    """Every module of the revision: their production code is measured too."""
    worker: JavaWorker
    maven: Callable[[ColdRequest], MethodsRun]
    """One run by Maven itself, in a copy of the tree."""

    @property
    def only_maven(self) -> bool:
        """Whether every run of this module is Maven's."""
        return bool(self.module.surefire.cold_reasons)

    def lay(self, file: FileText, keep: Collection[JavaMethod] | None, replaces: str | None) -> Placed | NotPlaced:
        """Compile a version of a test file, at least these methods of it (None for all of it), over the revision.

        javac alone does not know what annotation processors make or change: what it refuses there Maven is asked to
        compile with every run. `replaces` is where the revision itself has the file. Raises `InfraError` when the
        worker is lost.
        """
        found = place(self.worker, self.tree, self.module, file, keep, replaces)
        if isinstance(found, NotPlaced) and (self.only_maven or self.module.processors):
            return Placed({}, (), file, (), compiled=False)
        return found

    def run(self, asked: Asked) -> MethodsRun:
        """By the worker where it can run the module as Surefire would, else by Maven."""
        return self.run_cold(asked) if asked.only_maven else self.worker.run(asked.warm)

    def run_cold(self, asked: Asked) -> MethodsRun:
        """The same run by Maven."""
        warm = asked.warm
        return self.maven(
            ColdRequest(
                module=self.module,
                test_class=warm.test_class,
                methods=warm.methods,
                time=warm.time,
                files=asked.files,
                removed=asked.removed,
                measure=bool(warm.measure),
            )
        )


def ask(
    side: Side, placed: Placed, method: JavaMethod, *, built_path: str | None, measure: bool, time: TimeLimits
) -> Asked:
    """The run of one method of a placed test file on the real code.

    `built_path` is where the revision itself has the test file. Raises `InfraError` when the worker is lost.
    """
    module = side.module
    only_maven = side.only_maven or not placed.compiled
    inside = tuple(f"{WORK}/{folder}" for folder in (module.test_classes, module.classes))
    siblings = tuple(entry for entry in module.classpath if entry.startswith(f"{WORK}/"))
    code = (*inside, *siblings)
    warm = MethodsRequest(
        dependencies=tuple(entry for entry in module.classpath if entry not in siblings),
        code=code,
        overlay=placed.classes,
        removed=placed.removed,
        test_class=running_class(side.tree, module.test_root, method.owner),
        methods=(method.name,),
        frameworks=module.frameworks,
        directory=f"{WORK}/{module.surefire.working_directory}".rstrip("/"),
        properties=module.surefire.system_properties,
        environment=module.surefire.environment,
        arg_line=module.surefire.arg_line,
        time=time,
        measure=code if measure else (),
        fresh=not only_maven and _needs_a_jvm(side, placed, method, code),
    )
    moved = (built_path,) if built_path is not None and built_path != placed.file.path else ()
    return Asked(warm, (placed.file,), moved, only_maven)


def _needs_a_jvm(side: Side, placed: Placed, method: JavaMethod, code: Sequence[str]) -> bool:
    """Whether what the test can reach of its file names what could reach into another run."""
    if not side.worker.risky(placed.classes, code):
        return False
    text = reachable(placed.file.content, method)
    if text is None:
        return True
    part = place(side.worker, side.tree, side.module, FileText(path=placed.file.path, content=text), None)
    return isinstance(part, NotPlaced) or bool(side.worker.risky(part.classes, code))
