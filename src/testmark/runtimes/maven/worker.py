"""The judge's end of a long-lived JVM: compilations, runs of test methods, digests of classes."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from testmark.errors import InfraError, ToolMissingError
from testmark.runtimes.maven import worker_wire as wire
from testmark.runtimes.maven.protocol import (
    STORE,
    WORK,
    BuiltTree,
    Compiled,
    CompileRequest,
    MethodsRequest,
    MethodsRun,
)
from testmark.runtimes.maven.toolchains import placed
from testmark.runtimes.maven.worker_jars import EXTRA, fetch_jars, placed_jars, platform_jars
from testmark.runtimes.maven.worker_process import GarbageError, JvmProcess
from testmark.runtimes.maven.worker_tools import CLASSES, JARS, WorkerTools, ensure_tools
from testmark.runtimes.maven.worker_tree import TreeCopy
from testmark.runtimes.maven.worker_verdict import Events
from testmark.sandbox.confinement import Confinement, Mount, Sandbox
from testmark.sandbox.scratch import scratch_folder

_ANSWER_SECONDS = 300.0
_GRACE_SECONDS = 30.0
_LOOK_SECONDS = 0.25
_MOST_CLASS_MIB = 384
"""Of class metadata that a JVM may hold: beyond it loaders have not gone, and it is replaced."""
_MOST_PROCESSES = 64
_TMP = "/tmp"  # noqa: S108 - inside the sandbox, a folder of ours
_HEAP = ("-Xmx1g", "-Xss1m", "-XX:MaxMetaspaceSize=512m", "-XX:MaxDirectMemorySize=256m")
_QUICK = (
    "-ea",
    "-XX:-UsePerfData",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Xshare:auto",
    "-Djava.awt.headless=true",
)
_FILE_MIB = 256
_Content = Callable[[wire.Writer], wire.Writer]


@dataclass(frozen=True)
class _Setting:
    """What is the same for every run of one JVM."""

    arg_line: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    directory: str = WORK

    @classmethod
    def of(cls, request: MethodsRequest) -> _Setting:
        return cls(request.arg_line, tuple(sorted(request.environment.items())), request.directory)


class JvmWorker:
    """A JVM of one built tree; started when first asked, and again by itself when it is lost. Not for several threads.

    Each run has a class loader of its own and a work tree that no earlier run has changed. A run after which the JVM is
    not as it was (threads that go on, processes, files, memory) costs it its life.
    """

    def __init__(self, tree: BuiltTree, sandbox: Sandbox, *, cache: Path | None = None) -> None:
        self._tree = tree
        self._sandbox = sandbox
        self._tools: WorkerTools = ensure_tools(tree.toolchain, sandbox, cache)
        self._closing = contextlib.ExitStack()
        self._copy: TreeCopy | None = None
        self._process: JvmProcess | None = None
        self._setting = _Setting()
        self._launchers: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._dirty = False
        """Code of a project has run in the process."""

    def compile(self, request: CompileRequest) -> Compiled:
        """Compile in the process; raises `InfraError` when the worker is lost."""
        sources = {file.path: file.content.encode("utf-8", "surrogateescape") for file in request.sources}

        def ask(frame: wire.Writer) -> wire.Writer:
            return frame.files(sources).texts(request.classpath).texts(request.options).files(request.overlay)

        answer = self._ask(wire.COMPILE, ask)
        return Compiled(answer.files(), tuple(answer.texts()))

    def digests(self, classes: Sequence[Mapping[str, bytes]]) -> list[str]:
        """A digest of each set of classes without debug information: equal for mutants that compile alike."""

        def ask(frame: wire.Writer) -> wire.Writer:
            frame.number(len(classes))
            for each in classes:
                frame.files(each)
            return frame

        answer = self._ask(wire.DIGESTS, ask)
        return [answer.text() for _ in range(answer.number())]

    def references(self, classes: Mapping[str, bytes]) -> tuple[list[str], list[str], list[str]]:
        """Members (`owner#name`, owners with slashes), classes and string constants that the classes name."""
        answer = self._ask(wire.REFERENCES, lambda frame: frame.files(classes))
        return answer.texts(), answer.texts(), answer.texts()

    def run(self, request: MethodsRequest) -> MethodsRun:
        """Run; a fault of the worker itself is a run of status `infra`."""
        setting = _Setting.of(request)
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

    def close(self) -> None:
        """End the JVM and all that it started."""
        self._end()
        self._closing.close()

    # -- runs -----------------------------------------------------------------------------------------------------

    def _run(self, request: MethodsRequest, jars: tuple[str, ...]) -> Events:
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
            process.send(frame.frame(), _ANSWER_SECONDS)
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
        """Take frames until the run is over, the stream ends, or too much time or too many processes are used."""
        while not events.over:
            try:
                body = process.receive(min(deadline, time.monotonic() + _LOOK_SECONDS))
            except GarbageError:
                events.forged = True
                return
            except TimeoutError:
                if process.children() > _MOST_PROCESSES:
                    events.limit = "processes"
                elif time.monotonic() >= deadline:
                    events.limit = "wall"
                continue
            if body is None:
                return
            events.take(body)

    def _is_as_before(self, process: JvmProcess, events: Events) -> bool:
        copy = self._copy
        if copy is not None and copy.changed():
            self._end()
            copy.renew()
            return True
        if copy is not None:
            copy.clear_tmp()
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

    def _ask(self, kind: int, content: _Content) -> wire.Reader:
        process = self._started()
        token = secrets.token_hex(16)
        try:
            process.send(content(wire.Writer().number(kind).text(token)).frame(), _ANSWER_SECONDS)
            body = process.receive(time.monotonic() + _ANSWER_SECONDS)
        except (OSError, TimeoutError, GarbageError) as error:
            self._end()
            raise InfraError(f"the JVM was lost: {error}{process.last_words()}") from error
        if body is None:
            self._end()
            raise InfraError(f"the JVM ended{process.last_words()}")
        reader = wire.Reader(body)
        got, named = reader.number(), reader.text()
        if named != token or got != wire.ANSWER:
            self._end()
            raise InfraError(f"the JVM failed: {reader.text().splitlines()[0] if got == wire.LOST else 'no answer'}")
        return reader

    def _started(self) -> JvmProcess:
        if self._process is None:
            if self._copy is None:
                folder = self._closing.enter_context(scratch_folder("testmark-jvm-"))
                self._copy = TreeCopy(self._tree.tree, folder)
            self._process = JvmProcess(self._sandbox, self._confinement(self._copy.place, self._copy.tmp))
            self._ask(wire.DIGESTS, lambda frame: frame.number(0))  # it is up
            self._process.count_processes()
            self._dirty = False
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def _confinement(self, tree: Path, tmp: Path) -> Confinement:
        at = placed(self._tree.toolchain)
        setting = self._setting
        self._tools.extra.mkdir(parents=True, exist_ok=True)
        return Confinement(
            argv=(
                "/usr/bin/prlimit", f"--fsize={_FILE_MIB << 20}", "--core=0", "--nofile=4096", "--",
                f"{at.java_home}/bin/java", *_HEAP, *_QUICK, *setting.arg_line, "-cp", self._tools.classpath,
                "testmark.jvm.Main",
            ),
            cwd=setting.directory,
            env={
                "PATH": f"{at.java_home}/bin:/usr/bin:/bin", "HOME": _TMP,  # noqa: S108
                "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC", "JAVA_HOME": at.java_home,
                **dict(setting.environment),
            },
            mounts=(
                *at.mounts,
                Mount(tree, WORK, writable=True),
                Mount(tmp, _TMP, writable=True),
                Mount(self._tree.store, STORE),
                Mount(self._tools.classes, CLASSES),
                Mount(self._tools.jars, JARS),
                Mount(self._tools.extra, EXTRA),
            ),
            root=self._tree.toolchain.root,
            tmpfs_mib=256,
        )  # fmt: skip
