"""How a JVM of the worker is started, and one question to it with its answer."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from testmark.errors import InfraError
from testmark.runtimes.maven import worker_wire as wire
from testmark.runtimes.maven.protocol import STORE, WORK, MethodsRequest, Toolchain
from testmark.runtimes.maven.toolchains import placed
from testmark.runtimes.maven.worker_jars import EXTRA
from testmark.runtimes.maven.worker_process import GarbageError, JvmProcess
from testmark.runtimes.maven.worker_tools import CLASSES, JARS, WorkerTools
from testmark.sandbox.confinement import Confinement, Mount

ANSWER_SECONDS = 300.0
TMP = "/tmp"  # noqa: S108 - inside the sandbox, a folder of ours
_HEAP = ("-Xmx1g", "-Xss1m", "-XX:MaxMetaspaceSize=512m", "-XX:MaxDirectMemorySize=256m")
_QUICK = (
    "-ea",
    "-XX:-UsePerfData",
    "-XX:+UseSerialGC",
    "-Xshare:auto",
    "-Djava.awt.headless=true",
)
_SOON = "-XX:TieredStopAtLevel=1"
"""Not for runs at full speed."""
_FILE_MIB = 256
Content = Callable[[wire.Writer], wire.Writer]


@dataclass(frozen=True)
class Setting:
    """What is the same for every run of one JVM."""

    arg_line: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    directory: str = WORK
    full_speed: bool = False

    @classmethod
    def of(cls, request: MethodsRequest) -> Setting:
        """That of a run."""
        environment = tuple(sorted(request.environment.items()))
        return cls(request.arg_line, environment, request.directory, request.full_speed)


def confinement(
    toolchain: Toolchain, store: Path, tools: WorkerTools, setting: Setting, places: tuple[Mount, ...]
) -> Confinement:
    """The worker's own program on a toolchain's JDK, with `places` beside the store and what the worker needs."""
    at = placed(toolchain)
    tools.extra.mkdir(parents=True, exist_ok=True)
    return Confinement(
        argv=(
            "/usr/bin/prlimit", f"--fsize={_FILE_MIB << 20}", "--core=0", "--nofile=4096", "--",
            f"{at.java_home}/bin/java", *_HEAP, *_QUICK, *(() if setting.full_speed else (_SOON,)), *setting.arg_line,
            "-cp", tools.classpath, "testmark.jvm.Main",
        ),
        cwd=setting.directory,
        env={
            "PATH": f"{at.java_home}/bin:/usr/bin:/bin", "HOME": TMP,
            "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC", "JAVA_HOME": at.java_home,
            **dict(setting.environment),
        },
        mounts=(
            *at.mounts,
            *places,
            Mount(store, STORE),
            Mount(tools.classes, CLASSES),
            Mount(tools.jars, JARS),
            Mount(tools.extra, EXTRA),
        ),
        root=toolchain.root,
        tmpfs_mib=256,
    )  # fmt: skip


def answer(process: JvmProcess, kind: int, content: Content) -> wire.Reader:
    """One question and its answer; raises `InfraError` when there is none."""
    token = secrets.token_hex(16)
    try:
        process.send(content(wire.Writer().number(kind).text(token)).frame(), ANSWER_SECONDS)
        body = process.receive(time.monotonic() + ANSWER_SECONDS)
    except (OSError, TimeoutError, GarbageError) as error:
        raise InfraError(f"the JVM was lost: {error}{process.last_words()}") from error
    if body is None:
        raise InfraError(f"the JVM ended{process.last_words()}")
    reader = wire.Reader(body)
    got, named = reader.number(), reader.text()
    if named != token or got != wire.ANSWER:
        raise InfraError(f"the JVM failed: {reader.text().splitlines()[0] if got == wire.LOST else 'no answer'}")
    return reader
