"""Coverage of cold runs: JaCoCo's agent in the tests' JVM, its file read by a small program of ours."""

from __future__ import annotations

import secrets
import zipfile
from collections.abc import Sequence
from pathlib import Path

from testmark.errors import InfraError
from testmark.runtimes.maven.call import OUT
from testmark.runtimes.maven.protocol import MethodLines, Toolchain
from testmark.runtimes.maven.spy_classes import compiled, default_cache
from testmark.runtimes.maven.toolchains import placed
from testmark.runtimes.maven.worker_jars import Jar, fetch_jars, pinned_jars
from testmark.sandbox.confinement import Confinement, Limits, Mount, Sandbox
from testmark.sandbox.process import run

JACOCO = "/jacoco"
"""Where the agent is seen inside."""
AGENT_OPTION = f"-javaagent:{JACOCO}/jacocoagent.jar=destfile={OUT}/jacoco.exec"
_AGENT = Jar(
    "org.jacoco", "org.jacoco.agent", "0.8.15", "81607adaa5b03a687a04049dee6b07e9665708c3e6f7b0626892ca9659be587c"
)  # fmt: skip
_READING = Limits(
    cpu_seconds=None, wall_seconds=300.0, memory_mib=8192, processes=512, file_mib=256, output_bytes=1 << 20,
    disk_mib=256,
)  # fmt: skip
_END = "end"


def ensure_jacoco(sandbox: Sandbox, toolchain: Toolchain, cache: Path | None = None) -> Path:
    """The folder with the agent, fetched the first time; raises `ToolMissingError` when it cannot be had."""
    folder = _folder(cache)
    agent = folder / "jacocoagent.jar"
    if not agent.is_file():
        fetch_jars(toolchain, sandbox, (_AGENT,), folder)
        # The published jar wraps the one that the JVM is given.
        part = agent.with_name(f".{agent.name}.{secrets.token_hex(4)}")
        with zipfile.ZipFile(folder / _AGENT.file) as archive:
            part.write_bytes(archive.read(agent.name))
        part.replace(agent)
    return folder


def read_coverage(
    sandbox: Sandbox, toolchain: Toolchain, out: Path, classes: Sequence[Path], cache: Path | None = None
) -> tuple[MethodLines, ...]:
    """Every method of the source files in which the run covered a line; `classes` are folders of compiled classes.

    Raises `InfraError` when the agent wrote nothing or its file cannot be read.
    """
    if not (out / "jacoco.exec").is_file():
        raise InfraError("JaCoCo's agent wrote nothing: the tests did not run in a JVM of their own")
    jars = _folder(cache)
    fetch_jars(toolchain, sandbox, pinned_jars(), jars)
    libraries = ":".join(f"/jars/{jar.file}" for jar in pinned_jars())
    shown = Mount(jars, "/jars")
    program = compiled("execdata", toolchain, sandbox, libraries, key=libraries, mounts=(shown,), cache=cache)
    at = placed(toolchain)
    folders = [Mount(folder, f"/classes{number}") for number, folder in enumerate(classes)]
    confinement = Confinement(
        argv=(
            f"{at.java_home}/bin/java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", f"/program:{libraries}",
            "testmark.Lines", f"{OUT}/jacoco.exec", f"{OUT}/lines.tsv", *(mount.target for mount in folders),
        ),
        cwd="/",
        env={"LANG": "C.UTF-8", "HOME": "/tmp"},  # noqa: S108 - inside the sandbox
        mounts=(*at.mounts, shown, Mount(program, "/program"), Mount(out, OUT, writable=True), *folders),
        root=toolchain.root,
    )  # fmt: skip
    done = run(sandbox, confinement, _READING)
    try:
        lines = (out / "lines.tsv").read_text(encoding="utf-8").split("\n")
    except OSError:
        lines = []
    if lines[-2:] != [_END, ""]:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InfraError(f"JaCoCo's file cannot be read: {said[0] if said else 'no reason is given'}")
    return tuple(_method(line) for line in lines[:-2])


def union(runs: Sequence[Sequence[MethodLines]]) -> tuple[MethodLines, ...]:
    """Several runs as one: what one of them covers is covered."""
    found: dict[tuple[str, str, str], MethodLines] = {}
    for method in (method for coverage in runs for method in coverage):
        key = (method.owner, method.name, method.descriptor)
        before = found.get(key)
        covered = set(method.covered) | set(before.covered if before is not None else ())
        found[key] = MethodLines(*key, method.source, method.lines, tuple(sorted(covered)))
    return tuple(found.values())


def _folder(cache: Path | None) -> Path:
    return (cache or default_cache()) / "jacoco"


def _method(line: str) -> MethodLines:
    owner, name, descriptor, source, lines, covered = line.split("\t")
    return MethodLines(owner, name, descriptor, source, _numbers(lines), _numbers(covered))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in text.split(",") if word)
