"""Jars that the worker needs, fetched by Maven: those pinned here, and launchers of the version that a project has."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from xml.sax.saxutils import escape

from testmark.errors import ToolMissingError
from testmark.runtimes.maven.protocol import STORE, Toolchain
from testmark.runtimes.maven.toolchains import placed
from testmark.sandbox.confinement import Confinement, Limits, Mount, Sandbox
from testmark.sandbox.process import run
from testmark.sandbox.scratch import scratch_folder

EXTRA = "/testmark/extra"
"""Where fetched jars of a project's own versions are seen inside."""
_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
_TRIES = 2
"""A repository may refuse an artifact once."""
_FETCHING = Limits(
    cpu_seconds=None, wall_seconds=600.0, memory_mib=8192, processes=512, file_mib=256, output_bytes=1 << 20,
    disk_mib=1024,
)  # fmt: skip
_API = re.compile(r"junit-jupiter-api-(\d[\w.\-]*)\.jar")
_ENGINE = re.compile(r"junit-platform-(?:engine|commons)-(\d[\w.\-]*)\.jar")


@dataclass(frozen=True)
class Jar:
    """One artifact; `sha256` is empty where its version is the project's and not ours."""

    group: str
    artifact: str
    version: str
    sha256: str = ""

    @property
    def file(self) -> str:
        """Its name in any folder."""
        return f"{self.artifact}-{self.version}.jar"

    @property
    def in_store(self) -> str:
        """Its path in a local repository of Maven."""
        return f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{self.file}"


@cache
def pinned_jars() -> tuple[Jar, ...]:
    """All of `jvm/jars.txt`, in its order."""
    text = files("testmark.runtimes.maven").joinpath("jvm/jars.txt").read_text(encoding="utf-8")
    found = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, digest = line.split()
            group, artifact, version = name.split(":")
            found.append(Jar(group, artifact, version, digest))
    return tuple(found)


def fetch_jars(toolchain: Toolchain, sandbox: Sandbox, jars: Sequence[Jar], folder: Path) -> None:
    """See to it that `folder` holds the jars; raises `ToolMissingError` when one cannot be had or is not the pinned."""
    missing = [jar for jar in jars if not _is_right(folder / jar.file, jar)]
    if not missing:
        return
    folder.mkdir(parents=True, exist_ok=True)
    said = ""
    for _ in range(_TRIES):
        said = _fetch(toolchain, sandbox, missing, folder)
        missing = [jar for jar in missing if not _is_right(folder / jar.file, jar)]
        if not missing:
            return
    raise ToolMissingError(
        f"{missing[0].file} cannot be fetched, or is not the one that is pinned ({said}); "
        "connect to a Maven repository and try again"
    )


def platform_jars(dependencies: Sequence[str]) -> tuple[Jar, ...]:
    """What Surefire would add to these jars to run the JUnit Platform: its launcher, and Jupiter's engine.

    Of the version of the engine, or of the API, that the project has. Empty when the project has them itself, or
    nothing of the platform.
    """
    names = [PurePosixPath(path).name for path in dependencies]
    platform = next((match[1] for name in names if (match := _ENGINE.fullmatch(name))), None)
    api = next((match[1] for name in names if (match := _API.fullmatch(name))), None)
    if platform is None and api is None:
        return ()
    if platform is None:
        assert api is not None  # noqa: S101 - one of them is there
        platform = "1" + api[1:] if api.startswith("5.") else api
    wanted = [Jar("org.junit.platform", "junit-platform-launcher", platform)]
    if api is not None and not any(name.startswith("junit-jupiter-engine-") for name in names):
        wanted.append(Jar("org.junit.jupiter", "junit-jupiter-engine", api))
    if not any(name.startswith("junit-platform-engine-") for name in names):
        wanted.append(Jar("org.junit.platform", "junit-platform-engine", platform))
    if not any(name.startswith("junit-platform-commons-") for name in names):
        wanted.append(Jar("org.junit.platform", "junit-platform-commons", platform))
    return tuple(jar for jar in wanted if jar.file not in names)


def placed_jars(jars: Sequence[Jar], store: Path, extra: Path) -> tuple[str, ...] | None:
    """Their paths inside, from the store or from the folder of fetched ones; None when one is in neither."""
    found = []
    for jar in jars:
        if (store / jar.in_store).is_file():
            found.append(f"{STORE}/{jar.in_store}")
        elif (extra / jar.file).is_file():
            found.append(f"{EXTRA}/{jar.file}")
        else:
            return None
    return tuple(found)


def _fetch(toolchain: Toolchain, sandbox: Sandbox, jars: Sequence[Jar], folder: Path) -> str:
    """One call of Maven; the last line of what it says."""
    at = placed(toolchain)
    with scratch_folder("testmark-jars-") as work:
        (work / "pom.xml").write_text(_pom(jars), encoding="utf-8")
        confinement = Confinement(
            argv=(
                f"{at.maven_home}/bin/mvn", "-B", "-q", "-Dmaven.repo.local=/project/m2", "-f", "/project/pom.xml",
                _COPY, "-DexcludeTransitive=true", "-DoutputDirectory=/project/jars",
            ),
            cwd="/",
            env={
                "PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", "JAVA_HOME": at.java_home,  # noqa: S108
                "MAVEN_OPTS": "-Xmx512m", "MAVEN_SKIP_RC": "1",
            },
            mounts=(*at.mounts, Mount(work, "/project", writable=True)),
            network=True,
            root=toolchain.root,
        )  # fmt: skip
        done = run(sandbox, confinement, _FETCHING)
        for jar in jars:
            fetched = work / "jars" / jar.file
            if _is_right(fetched, jar):
                _keep(fetched, folder / jar.file)
    words = (done.stdout + done.stderr).decode("utf-8", "replace").strip().splitlines()
    return words[-1] if words else "Maven said nothing"


def _keep(fetched: Path, final: Path) -> None:
    part = final.with_name(f".{final.name}.{id(fetched)}")
    part.write_bytes(fetched.read_bytes())  # the folders may lie on different disks
    part.replace(final)


def _is_right(path: Path, jar: Jar) -> bool:
    try:
        with path.open("rb") as stream:
            return not jar.sha256 or hashlib.file_digest(stream, "sha256").hexdigest() == jar.sha256
    except FileNotFoundError:
        return False


def _pom(jars: Sequence[Jar]) -> str:
    wanted = "".join(
        f"<dependency><groupId>{escape(jar.group)}</groupId><artifactId>{escape(jar.artifact)}</artifactId>"
        f"<version>{escape(jar.version)}</version><exclusions><exclusion><groupId>*</groupId>"
        "<artifactId>*</artifactId></exclusion></exclusions></dependency>"
        for jar in jars
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>tool</groupId>'
        f"<artifactId>tool</artifactId><version>1</version><dependencies>{wanted}</dependencies></project>"
    )
