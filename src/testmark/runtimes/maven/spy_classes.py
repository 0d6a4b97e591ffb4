"""The spy, a Maven extension of our own: compiled once for each version of Maven, by a JDK that is at hand."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from importlib.resources import files
from pathlib import Path

from testmark.errors import InfraError
from testmark.runtimes.maven.protocol import Toolchain
from testmark.runtimes.maven.toolchains import placed
from testmark.sandbox.confinement import Confinement, Limits, Mount, Sandbox
from testmark.sandbox.process import run
from testmark.sandbox.scratch import scratch_folder

_INDEX = "META-INF/sisu/javax.inject.Named"
_COMPILING = Limits(
    cpu_seconds=None, wall_seconds=300.0, memory_mib=8192, processes=512, file_mib=64, output_bytes=1 << 20,
    disk_mib=256,
)  # fmt: skip


def default_cache() -> Path:
    """The user's cache folder of testmark; `TESTMARK_CACHE` moves it."""
    from platformdirs import user_cache_path

    chosen = os.environ.get("TESTMARK_CACHE")
    return Path(chosen) if chosen else user_cache_path("testmark")


def ensure_spy(toolchain: Toolchain, sandbox: Sandbox, cache: Path | None = None) -> Path:
    """The folder of its classes; raises `InfraError` when they cannot be compiled."""
    sources = Path(str(files("testmark.runtimes.maven"))) / "spy"
    names = sorted(path.name for path in sources.glob("*.java"))
    state = hashlib.sha256(toolchain.maven_version.encode())
    for name in names:
        state.update((sources / name).read_bytes())
    folder = (cache or default_cache()) / "maven-spy" / state.hexdigest()[:24]
    if folder.is_dir():
        return folder
    at = placed(toolchain)
    with scratch_folder("testmark-spy-") as out:
        confinement = Confinement(
            argv=(
                *(f"{at.java_home}/bin/javac", "-nowarn", "-encoding", "UTF-8", "-source", "8", "-target", "8"),
                *("-proc:none", "-cp", f"{at.maven_home}/lib/*", "-d", "/out", *(f"/sources/{name}" for name in names)),
            ),
            cwd="/",
            env={"LANG": "C.UTF-8", "HOME": "/tmp"},  # noqa: S108 - inside the sandbox
            mounts=(*at.mounts, Mount(sources, "/sources"), Mount(out, "/out", True)),
            root=toolchain.root,
        )
        done = run(sandbox, confinement, _COMPILING)
        if done.exit_code != 0:
            said = done.stderr.decode("utf-8", "replace").strip()
            raise InfraError(f"the Maven extension cannot be compiled for Maven {toolchain.maven_version}: {said}")
        (out / _INDEX).parent.mkdir(parents=True)
        (out / _INDEX).write_text("testmark.Spy\n", encoding="ascii")
        _keep(out, folder)
    return folder


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
