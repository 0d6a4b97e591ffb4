"""The judge's end of a long-lived JVM: compilations, runs of test methods, digests of classes."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from testmark.errors import InfraError, ToolMissingError
from testmark.runtimes.maven import worker_wire as wire
from testmark.runtimes.maven.protocol import WORK, BuiltTree, Compiled, CompileRequest, MethodsRequest, MethodsRun
from testmark.runtimes.maven.worker_jars import fetch_jars, placed_jars, platform_jars
from testmark.runtimes.maven.worker_javac import Javacs
from testmark.runtimes.maven.worker_jvm import ANSWER_SECONDS, TMP, Setting, answer, confinement
from testmark.runtimes.maven.worker_process import GarbageError, JvmProcess
from testmark.runtimes.maven.worker_risk import risk
from testmark.runtimes.maven.worker_tools import WorkerTools, ensure_tools
from testmark.runtimes.maven.worker_tree import TreeCopy
from testmark.runtimes.maven.worker_verdict import Events
from testmark.sandbox.confinement import Mount, Sandbox
from testmark.sandbox.scratch import scratch_folder

_GRACE_SECONDS = 30.0
_LOOK_SECONDS = 0.25
_MOST_CLASS_MIB = 384
"""Of class metadata that a JVM may hold: beyond it loaders have not gone, and it is replaced."""
_MOST_PROCESSES = 64
_DISK_MIB = 2048
"""What a run may take of the disk with its work tree and /tmp."""


class JvmWorker:
    """A JVM of one built tree; started when first asked, and again by itself when it is lost. Not for several threads.

    Each run has a class loader of its own and a work tree that no earlier run has changed. A run after which the JVM is
    not as it was (threads that go on, processes, files, memory) costs it its life.
    """

    def __init__(
        self, tree: BuiltTree, sandbox: Sandbox, *, cache: Path | None = None, javacs: Javacs | None = None
    ) -> None:
        """`javacs` are shared by workers of one thread and closed by whoever made them; without, it has its own."""
        self._tree = tree
        self._sandbox = sandbox
        self._tools: WorkerTools = ensure_tools(tree.toolchain, sandbox, cache)
        self._closing = contextlib.ExitStack()
        self._copy: TreeCopy | None = None
        self._process: JvmProcess | None = None
        # What tests do to their JVM never reaches compilations, and javac stays warm when theirs is replaced.
        self._javacs = javacs or self._closing.enter_context(contextlib.closing(Javacs(sandbox)))
        self._setting = Setting()
        self._launchers: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._dirty = False
        """Code of a project has run in the process."""

    def compile(self, request: CompileRequest) -> Compiled:
        """Compile in a JVM that runs no tests; raises `InfraError` when the worker is lost."""
        return self._javacs.compile(self._tree, self._tools, request)

    def digests(self, classes: Sequence[Mapping[str, bytes]]) -> list[str]:
        """A digest of each set of classes without debug information: equal for mutants that compile alike."""
        return self._javacs.digests(self._tree, self._tools, classes)

    def references(self, classes: Mapping[str, bytes]) -> tuple[list[str], list[str], list[str]]:
        """Members (`owner#name`, owners with slashes), classes and string constants that the classes name."""
        return self._javacs.references(self._tree, self._tools, classes)

    def risky(self, classes: Mapping[str, bytes], code: Sequence[str]) -> str:
        """Why a test of these classes should run in a JVM of its own (`fresh`); empty when nothing speaks for it.

        `code` are the folders of the project's own classes: each run loads them anew, unlike those of libraries.
        """
        folders = [self._tree.tree / entry.removeprefix(WORK).lstrip("/") for entry in code]
        members, named, strings = self.references(classes)

        def own(name: str) -> bool:
            return name.replace("/", ".") in classes or any((folder / f"{name}.class").is_file() for folder in folders)

        return risk(members, named, strings, own)

    def run(self, request: MethodsRequest) -> MethodsRun:
        """Run; a fault of the worker itself is a run of status `infra`."""
        setting = Setting.of(request)
        if setting != self._setting or (request.fresh and self._dirty):
            self._end()
            self._setting = setting
        try:
            jars = (*request.dependencies, *self._launcher(request))
            events = self._run(request, jars)
        except (InfraError, ToolMissingError) as error:
            self._end()
            return MethodsRun("infra", str(error), how="warm")
        if request.fresh:
            self._end()
        return events.outcome(request.methods)

    @property
    def pid(self) -> int | None:
        """The host's process whose descendants are the JVM in which tests run; None while there is none."""
        return None if self._process is None else self._process.pid

    def close(self) -> None:
        """End the JVM and all that it started."""
        self._end()
        self._closing.close()

    # -- runs -----------------------------------------------------------------------------------------------------

    def _run(self, request: MethodsRequest, jars: tuple[str, ...]) -> Events:
        used = self._process is not None and self._dirty
        try:
            return self._run_once(request, jars)
        except InfraError:
            if not used:
                raise
            # An earlier test may have harmed the JVM in a way that only shows now: not this one's fault, nor ours.
            self._end()
            return self._run_once(request, jars)

    def _run_once(self, request: MethodsRequest, jars: tuple[str, ...]) -> Events:
        process = self._started()
        events = Events(secrets.token_hex(16))
        properties = [part for pair in sorted(request.properties.items()) for part in pair]
        time_limits = request.time
        frame = wire.Writer().number(wire.RUN).text(events.token).texts(jars).texts(request.code)
        frame.files(request.overlay).texts(request.removed).text(request.test_class).texts(request.methods)
        frame.texts(request.frameworks).texts(request.measure).texts(properties)
        frame.real(float(time_limits.cpu_seconds)).real(time_limits.idle_seconds).real(time_limits.wall_seconds)
        self._dirty = True
        try:
            process.send(frame.frame(), ANSWER_SECONDS)
            self._listen(process, events, time.monotonic() + time_limits.wall_seconds + _GRACE_SECONDS)
        except (OSError, TimeoutError) as error:
            if not events.begun:
                raise InfraError(f"the JVM was lost: {error}{process.last_words()}") from error
        if not events.over and not events.begun:
            raise InfraError(f"the JVM was lost before the test ran{process.last_words()}")
        if not self._is_as_before(process, events):
            self._end()
        return events

    def _listen(self, process: JvmProcess, events: Events, deadline: float) -> None:
        """Take frames until the run is over, the stream ends, or too much of time, processes or disk is used."""
        free = self._free_bytes()
        while not events.over:
            try:
                body = process.receive(min(deadline, time.monotonic() + _LOOK_SECONDS))
            except GarbageError:
                events.forged = True
                return
            except TimeoutError:
                if process.children() > _MOST_PROCESSES:
                    events.limit = "processes"
                elif free - self._free_bytes() > _DISK_MIB << 20:
                    events.limit = "disk"
                elif time.monotonic() >= deadline:
                    events.limit = "wall"
                continue
            if body is None:
                return
            events.take(body)

    def _free_bytes(self) -> int:
        """Of the disk with the writable copy; other programs use it too, so the limit on it is a wide one."""
        if self._copy is None:
            return 0
        state = os.statvfs(self._copy.place)
        return state.f_bavail * state.f_frsize

    def _is_as_before(self, process: JvmProcess, events: Events) -> bool:
        copy = self._copy
        if copy is not None and copy.changed():
            self._end()
            copy.renew()
            return True
        if copy is not None and not copy.clear_tmp():
            return False
        usable = events.ended and events.clean and not events.forged
        return usable and events.class_mib <= _MOST_CLASS_MIB and not process.has_children()

    def _launcher(self, request: MethodsRequest) -> tuple[str, ...]:
        """Paths inside of what Surefire would add to the project's own jars."""
        if "platform" not in request.frameworks:
            return ()
        if request.dependencies not in self._launchers:
            wanted = platform_jars(request.dependencies)
            found = placed_jars(wanted, self._tree.store, self._tools.extra)
            if found is None:
                fetch_jars(self._tree.toolchain, self._sandbox, wanted, self._tools.extra)
                found = placed_jars(wanted, self._tree.store, self._tools.extra) or ()
                self._end()  # what is mounted now may not show the new files
            self._launchers[request.dependencies] = found
        return self._launchers[request.dependencies]

    # -- the process ----------------------------------------------------------------------------------------------

    def _started(self) -> JvmProcess:
        if self._process is None:
            if self._copy is None:
                folder = self._closing.enter_context(scratch_folder("testmark-jvm-"))
                self._copy = TreeCopy(self._tree.tree, folder)
            mounts = (Mount(self._copy.place, WORK, writable=True), Mount(self._copy.tmp, TMP, writable=True))
            self._process = JvmProcess(
                self._sandbox,
                confinement(self._tree.toolchain, self._tree.store, self._tools, self._setting, mounts),
            )
            try:
                answer(self._process, wire.DIGESTS, lambda frame: frame.number(0))  # it is up
            except BaseException:
                self._end()
                raise
            self._process.count_processes()
            self._dirty = False
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.close()
