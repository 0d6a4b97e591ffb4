"""Small Java programs of our own: compiled once, by a JDK that is at hand, kept by the hash of their sources."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from testmark.errors import InfraError
from testmark.runtimes.maven.protocol import Toolchain
from testmark.runtimes.maven.toolchains import placed
from testmark.sandbox.confinement import Confinement, Limits, Mount, Sandbox
from testmark.sandbox.process import run
from testmark.sandbox.scratch import scratch_folder

_INDEX = "META-INF/sisu/javax.inject.Named"
"""Where Maven looks up what an extension offers."""
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
    """The folder of the Maven extension, by version of Maven; raises `InfraError` when it cannot be compiled."""
    classpath = f"{placed(toolchain).maven_home}/lib/*"
    index = {_INDEX: "testmark.Spy\n"}
    return compiled("spy", toolchain, sandbox, classpath, key=toolchain.maven_version, extra=index, cache=cache)


def compiled(
    name: str,
    toolchain: Toolchain,
    sandbox: Sandbox,
    classpath: str,
    *,
    key: str,
    mounts: Sequence[Mount] = (),
    extra: dict[str, str] | None = None,
    cache: Path | None = None,
) -> Path:
    """The folder of the classes of one of our source folders, for Java 8 and newer.

    `classpath` is as seen inside with `mounts`; `key` tells its content; `extra` are files that lie beside the classes.
    Raises `InfraError` when they cannot be compiled.
    """
    sources = Path(str(files("testmark.runtimes.maven"))) / name
    names = sorted(path.name for path in sources.glob("*.java"))
    state = hashlib.sha256(f"{key}\n{sorted((extra or {}).items())}\n".encode())
    for one in names:
        state.update(hashlib.sha256((sources / one).read_bytes()).digest())
    folder = (cache or default_cache()) / f"maven-{name}" / state.hexdigest()[:24]
    if folder.is_dir():
        return folder
    at = placed(toolchain)
    with scratch_folder("testmark-javac-") as out:
        confinement = Confinement(
            argv=(
                f"{at.java_home}/bin/javac", "-nowarn", "-encoding", "UTF-8", "-source", "8", "-target", "8",
                "-proc:none", "-cp", classpath, "-d", "/out", *(f"/sources/{one}" for one in names),
            ),
            cwd="/",
            env={"LANG": "C.UTF-8", "HOME": "/tmp"},  # noqa: S108 - inside the sandbox
            mounts=(*at.mounts, *mounts, Mount(sources, "/sources"), Mount(out, "/out", writable=True)),
            root=toolchain.root,
        )  # fmt: skip
        done = run(sandbox, confinement, _COMPILING)
        if done.exit_code != 0:
            said = done.stderr.decode("utf-8", "replace").strip()
            raise InfraError(f"our Java program `{name}` cannot be compiled on JDK {toolchain.jdk.version}: {said}")
        for path, text in (extra or {}).items():
            (out / path).parent.mkdir(parents=True, exist_ok=True)
            (out / path).write_text(text, encoding="utf-8")
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
