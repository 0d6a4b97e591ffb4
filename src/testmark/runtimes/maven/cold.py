"""Cold runs: Maven itself compiles and runs single test methods, in a fresh copy of a built tree."""

from __future__ import annotations

import shutil
import subprocess
import time as clock
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from testmark.errors import InfraError
from testmark.records.base import FileText
from testmark.records.builds import BuiltModule, is_below
from testmark.runtimes.maven.call import OUT, Call, maven_session
from testmark.runtimes.maven.coverage import AGENT_OPTION, JACOCO, ensure_jacoco, read_coverage, union
from testmark.runtimes.maven.judging import judge
from testmark.runtimes.maven.plugins import LEFT_OUT
from testmark.runtimes.maven.protocol import WORK, BuiltTree, MethodLines, MethodsRun, RunStatus
from testmark.runtimes.maven.reports import read_reports
from testmark.runtimes.maven.selection import Selection, misses_parameterized, selections, whole_class
from testmark.runtimes.protocol import TimeLimits
from testmark.sandbox.confinement import Limits, Mount, Sandbox
from testmark.sandbox.scratch import scratch_folder

_MAVEN_CPU_SECONDS = 90
_MAVEN_WALL_SECONDS = 300.0
"""What Maven itself may use beside the test: it starts, compiles a module and forks."""
_OUTPUT = 64 << 10
_WORST: tuple[RunStatus, ...] = ("infra", "timeout", "not-compiled", "failed", "not-found", "skipped", "passed")


@dataclass(frozen=True)
class ColdRequest:
    """Test methods of one class to run, with the files that differ from the built tree."""

    module: BuiltModule
    test_class: str
    """Binary name."""
    methods: tuple[str, ...]
    time: TimeLimits
    files: tuple[FileText, ...] = ()
    """Written over the copy: the test file, changed production code."""
    removed: tuple[str, ...] = ()
    """Paths that are deleted from the copy first."""
    measure: bool = False


def run_cold(built: BuiltTree, request: ColdRequest, sandbox: Sandbox, *, cache: Path | None = None) -> MethodsRun:
    """Run them by `mvn -o test`; what happened is read from events and reports, never from an exit code.

    Only the request's module and those that hold changed production files are built. The other modules of the reactor
    are there as they were built: their plugins are taken out of the session and Maven finds their `target/classes`.
    """
    started = clock.monotonic()
    runs: list[MethodsRun] = []
    try:
        with scratch_folder("testmark-cold-") as scratch:
            tree = scratch / "tree"
            _copy(built.tree, tree)
            cold = _Cold(built, request, sandbox, tree, _lay(built, request, tree), cache)
            version = request.module.surefire.version
            for number, selection in enumerate(selections(version, request.test_class, request.methods)):
                run = cold.run(selection, scratch / f"out{number}")
                if run.status == "not-found" and misses_parameterized(version):
                    everything = whole_class(version, request.test_class, selection.methods)
                    whole = cold.run(everything, scratch / f"class{number}")
                    if {case.method for case in whole.cases} >= set(selection.methods):
                        run = whole
                runs.append(run)
    except (InfraError, OSError) as error:
        runs.append(MethodsRun("infra", str(error)))
    return _merged(runs, clock.monotonic() - started)


@dataclass(frozen=True)
class _Cold:
    built: BuiltTree
    request: ColdRequest
    sandbox: Sandbox
    tree: Path
    rebuilt: tuple[BuiltModule, ...]
    cache: Path | None

    def run(self, selection: Selection, out: Path) -> MethodsRun:
        """One session."""
        (out / "reports").mkdir(parents=True)
        request = self.request
        base = inside(request.module.path)
        plan = {
            "leave-out": "\n".join(LEFT_OUT),
            "build": "\n".join(inside(module.path) for module in self.rebuilt),
            "module": base,
            "test": selection.test,
            "reports": f"{OUT}/reports",
        }
        if self.built.released is not None:
            plan["java"] = str(self.built.released)
        mounts: tuple[Mount, ...] = ()
        if request.measure:
            plan["agent"] = AGENT_OPTION
            mounts = (Mount(ensure_jacoco(self.sandbox, self.built.toolchain, self.cache), JACOCO),)
        call = Call(
            self.tree, self.built.store, self.built.toolchain, ("test", *_projects(self.built, request)), plan,
            online=False, limits=_limits(request.time), mounts=mounts, cache=self.cache,
        )  # fmt: skip
        session = maven_session(self.sandbox, call, out)
        reports = read_reports(out / "reports", testng="testng" in request.module.frameworks)
        finding = judge(session, reports, base, request.test_class, selection)
        coverage: tuple[MethodLines, ...] = ()
        if request.measure and finding.status in {"passed", "failed"}:
            measured = _classes(self.built, request.module, self.tree)
            coverage = read_coverage(self.sandbox, self.built.toolchain, out, measured, self.cache)
        return MethodsRun(
            finding.status,
            finding.reason,
            finding.cases,
            coverage,
            session.completed.cpu_seconds,
            session.completed.wall_seconds,
            session.output()[-_OUTPUT:],
        )


def inside(path: str) -> str:
    """A module's folder as seen inside."""
    return f"{WORK}/{path}" if path else WORK


def _projects(built: BuiltTree, request: ColdRequest) -> tuple[str, ...]:
    """The module with all that it depends on; nothing to say for a repository of one module."""
    if len(list(built.tree.rglob("pom.xml"))) == 1:
        return ()
    return ("-pl", request.module.path or ".", "-am")


def _limits(time: TimeLimits) -> Limits:
    return Limits(
        cpu_seconds=time.cpu_seconds + _MAVEN_CPU_SECONDS,
        wall_seconds=time.wall_seconds + _MAVEN_WALL_SECONDS,
        memory_mib=8192,
        processes=1024,
        file_mib=1024,
        output_bytes=4 << 20,
        disk_mib=4096,
        idle_seconds=time.idle_seconds,
    )


def _copy(source: Path, target: Path) -> None:
    """With the times of files, by which Maven decides what is up to date; bytes are shared where the disk can."""
    done = subprocess.run(
        ["cp", "--archive", "--reflink=auto", "--", str(source), str(target)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise InfraError(f"the work tree cannot be copied: {done.stderr.strip()}")


def _lay(built: BuiltTree, request: ColdRequest, tree: Path) -> tuple[BuiltModule, ...]:
    """Lay the files over the copy; the modules that are built anew, the request's own among them.

    Which classes a changed source made is not for sure to be known, and times of files tell too little: what is of one
    size within one second looks the same. So all classes of the folder that it compiles to are made again.
    """
    touched = [*request.removed, *(file.path for file in request.files)]
    for path in request.removed:
        _place(tree, path).unlink(missing_ok=True)
    for file in request.files:
        place = _place(tree, file.path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(file.content, encoding="utf-8", newline="")
    rebuilt = []
    for module in built.modules:
        main = any(is_below(path, module.main_root) for path in touched)
        test = module == request.module and bool(touched)
        if main:
            _forget(tree, module.classes)
        if main or test:
            _forget(tree, module.test_classes)
        if main or module == request.module:
            rebuilt.append(module)
    return tuple(rebuilt)


def _place(tree: Path, path: str) -> Path:
    place = tree / path
    if not place.resolve().is_relative_to(tree.resolve()):
        raise InfraError(f"{path} lies outside of the work tree")
    return place


def _forget(tree: Path, classes: str) -> None:
    for path in (tree / classes).rglob("*.class"):
        path.unlink()
    shutil.rmtree(tree / classes / "../maven-status", ignore_errors=True)


def _classes(built: BuiltTree, own: BuiltModule, tree: Path) -> tuple[Path, ...]:
    """What is measured, as a warm run has it: all production code, and the module's test code."""
    folders = [tree / own.test_classes, *(tree / module.classes for module in built.modules)]
    return tuple(folder for folder in folders if folder.is_dir())


def _merged(runs: Sequence[MethodsRun], wall_seconds: float) -> MethodsRun:
    """All sessions as one: the worst status, with its reason."""
    worst = min(runs, key=lambda run: _WORST.index(run.status))
    return replace(
        worst,
        cases=tuple(case for run in runs for case in run.cases),
        coverage=union([run.coverage for run in runs]),
        cpu_seconds=sum(run.cpu_seconds for run in runs),
        wall_seconds=wall_seconds,
        how="cold",
    )
