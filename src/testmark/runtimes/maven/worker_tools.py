"""The worker's own classes: compiled once by the project's JDK, kept by the hash of their sources and the JDK."""

from __future__ import annotations

import hashlib
import secrets
import shutil
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from testmark.errors import InfraError
from testmark.runtimes.maven.protocol import Toolchain
from testmark.runtimes.maven.toolchains import placed
from testmark.runtimes.maven.worker_jars import fetch_jars, pinned_jars
from testmark.sandbox.confinement import Confinement, Limits, Mount, Sandbox
from testmark.sandbox.process import run
from testmark.sandbox.scratch import scratch_folder

CLASSES = "/testmark/classes"
JARS = "/testmark/jars"
_RUN_WITH = 4
"""How many of the pinned jars, from the first, the worker runs with; the others are there to compile against."""
_FIRST_WITH_RELEASE = 9
_COMPILING = Limits(
    cpu_seconds=None, wall_seconds=300.0, memory_mib=8192, processes=512, file_mib=64, output_bytes=1 << 20,
    disk_mib=256,
)  # fmt: skip


@dataclass(frozen=True)
class WorkerTools:
    """Folders of the host that a worker is made of."""

    classes: Path
    jars: Path
    extra: Path
    """Jars of projects' own versions, fetched where their store lacks them."""

    @property
    def classpath(self) -> str:
        """As seen inside."""
        return ":".join((CLASSES, *(f"{JARS}/{jar.file}" for jar in pinned_jars()[:_RUN_WITH])))


def ensure_tools(toolchain: Toolchain, sandbox: Sandbox, cache: Path | None = None) -> WorkerTools:
    """Find or make them in `cache`, the user's cache folder by default.

    The first time jars are fetched (3 MB): raises `ToolMissingError` when they cannot be had, `InfraError` when the
    sources do not compile on this JDK.
    """
    top = (cache or _default_cache()) / "jvm-worker"
    jars = top / "jars"
    fetch_jars(toolchain, sandbox, pinned_jars(), jars)
    sources = Path(str(files("testmark.runtimes.maven"))) / "jvm"
    names = sorted(path.relative_to(sources).as_posix() for path in sources.rglob("*.java"))
    state = hashlib.sha256(f"{toolchain.jdk.version}\n".encode())
    for content in (*((sources / name).read_bytes() for name in names), (sources / "jars.txt").read_bytes()):
        state.update(hashlib.sha256(content).digest())
    classes = top / state.hexdigest()[:24]
    if not classes.is_dir():
        _compile(toolchain, sandbox, sources, names, jars, classes)
    return WorkerTools(classes, jars, top / "extra")


def _compile(toolchain: Toolchain, sandbox: Sandbox, sources: Path, names: list[str], jars: Path, folder: Path) -> None:
    at = placed(toolchain)
    level = ("--release", "8") if toolchain.jdk.major >= _FIRST_WITH_RELEASE else ("-source", "8", "-target", "8")
    with scratch_folder("testmark-worker-") as out:
        confinement = Confinement(
            argv=(
                f"{at.java_home}/bin/javac", "-nowarn", "-encoding", "UTF-8", *level, "-proc:none", "-cp",
                ":".join(f"{JARS}/{jar.file}" for jar in pinned_jars()), "-d", "/out",
                *(f"/sources/{name}" for name in names),
            ),
            cwd="/",
            env={"LANG": "C.UTF-8", "HOME": "/tmp"},  # noqa: S108 - inside the sandbox
            mounts=(*at.mounts, Mount(sources, "/sources"), Mount(jars, JARS), Mount(out, "/out", writable=True)),
            root=toolchain.root,
        )  # fmt: skip
        done = run(sandbox, confinement, _COMPILING)
        if done.exit_code != 0:
            said = done.stderr.decode("utf-8", "replace").strip()
            raise InfraError(f"the JVM worker cannot be compiled on JDK {toolchain.jdk.version}: {said}")
        _keep(out, folder)


def _keep(out: Path, folder: Path) -> None:
    """All of it or nothing, whoever else does the same meanwhile."""
    part = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        shutil.copytree(out, part)
        part.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _default_cache() -> Path:
    from testmark.runtimes.maven.spy_classes import default_cache

    return default_cache()
