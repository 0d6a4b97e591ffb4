"""RefactoringMiner's jars: a pinned tool, fetched once by Maven, each jar checked against its SHA-256."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from xml.sax.saxutils import escape

from testmark.errors import ToolMissingError
from testmark.runtimes.maven.jdks import Jdk, find_jdks
from testmark.sandbox.confinement import Mount, Sandbox
from testmark.sandbox.roots import run_installer

OLDEST_JAVA = 23
"""Its classes are of that version (class files 67)."""
_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
_MAVEN = "/usr/share/maven"


@dataclass(frozen=True)
class _Jar:
    group: str
    artifact: str
    version: str
    sha256: str

    @property
    def file(self) -> str:
        return f"{self.artifact}-{self.version}.jar"


@cache
def _jars() -> tuple[_Jar, ...]:
    text = files("testmark.runtimes.maven").joinpath("refactoringminer/jars.txt").read_text(encoding="utf-8")
    found = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, digest = line.split()
            group, artifact, version = name.split(":")
            found.append(_Jar(group, artifact, version, digest))
    return tuple(found)


def jar_names() -> tuple[str, ...]:
    """The file names of all jars, in the order of the class path."""
    return tuple(jar.file for jar in _jars())


def tool_jdk(root: Path) -> Jdk:
    """The newest JDK of a root, where it can run the tool; raises `ToolMissingError` when none is new enough."""
    jdks = find_jdks(root=root)
    if not jdks or jdks[-1].major < OLDEST_JAVA:
        raise ToolMissingError(
            f"RefactoringMiner needs JDK {OLDEST_JAVA} or newer in the root {root.name}; "
            "`testevo toolchain install` makes one that has it"
        )
    return jdks[-1]


def ensure_refactoring_miner(sandbox: Sandbox, root: Path, cache: Path | None = None) -> Path:
    """The folder that holds every jar, fetched the first time (100 MB); `root` has a JDK and Maven.

    Raises `ToolMissingError` when they cannot be had, or are not what they were.
    """
    folder = (cache or _default_cache()) / _identity()
    if all(_is_right(folder / jar.file, jar) for jar in _jars()):
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder.parent) as name:
        work = Path(name)
        (work / "pom.xml").write_text(_pom(), encoding="utf-8")
        (work / "m2").mkdir()
        done = run_installer(
            sandbox,
            root,
            (
                f"{_MAVEN}/bin/mvn", "-B", "-q", "-Dmaven.repo.local=/project/m2", "-f", "/project/pom.xml", _COPY,
                "-DexcludeTransitive=true", "-DoutputDirectory=/project/jars",
            ),
            (Mount(work, "/project", writable=True),),
            {"JAVA_HOME": tool_jdk(root).home, "MAVEN_OPTS": "-Xmx512m"},
        )  # fmt: skip
        for jar in _jars():
            fetched = work / "jars" / jar.file
            if not _is_right(fetched, jar):
                words = (done.stdout + done.stderr).decode("utf-8", "replace").strip().splitlines()
                said = words[-1] if words else "Maven said nothing"
                raise ToolMissingError(
                    f"RefactoringMiner cannot be fetched: {jar.file} is missing or not what is pinned ({said}); "
                    "connect to a Maven repository and try again"
                )
            fetched.replace(folder / jar.file)
    return folder


def _is_right(path: Path, jar: _Jar) -> bool:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == jar.sha256
    except FileNotFoundError:
        return False


def _identity() -> str:
    return hashlib.sha256("".join(jar.sha256 for jar in _jars()).encode()).hexdigest()[:16]


def _default_cache() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("testmark") / "refactoringminer"


def _pom() -> str:
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>tool</groupId>'
        f"<artifactId>tool</artifactId><version>1</version><dependencies>{''.join(_dependencies())}</dependencies>"
        "</project>"
    )


def _dependencies() -> Iterator[str]:
    for jar in _jars():
        yield (
            f"<dependency><groupId>{escape(jar.group)}</groupId><artifactId>{escape(jar.artifact)}</artifactId>"
            f"<version>{escape(jar.version)}</version><exclusions><exclusion><groupId>*</groupId>"
            "<artifactId>*</artifactId></exclusion></exclusions></dependency>"
        )
