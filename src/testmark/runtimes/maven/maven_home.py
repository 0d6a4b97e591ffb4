"""A newer Maven for builds that ask for one: an artifact like any other, fetched once by the Maven that is at hand."""

from __future__ import annotations

import secrets
import shutil
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from testmark.errors import ToolMissingError
from testmark.records.builds import BuildRecord
from testmark.runtimes.maven.protocol import Toolchain
from testmark.runtimes.maven.spy_classes import default_cache
from testmark.runtimes.maven.toolchains import maven_version, placed, version_key
from testmark.sandbox.confinement import Confinement, Limits, Mount, Sandbox
from testmark.sandbox.process import run
from testmark.sandbox.scratch import scratch_folder

NEWEST = "3.9.11"
"""What builds get that are refused by the Maven at hand."""
_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
_FETCHING = Limits(
    cpu_seconds=None, wall_seconds=600.0, memory_mib=8192, processes=512, file_mib=256, output_bytes=1 << 20,
    disk_mib=1024,
)  # fmt: skip


def with_newer_maven(toolchain: Toolchain, sandbox: Sandbox, cache: Path | None = None) -> Toolchain | None:
    """The same JDK with the newest Maven, fetched the first time (9 MB); None where it has none older.

    Raises `ToolMissingError` when it cannot be had.
    """
    if version_key(toolchain.maven_version) >= version_key(NEWEST):
        return None
    home = _home(NEWEST, cache)
    if maven_version(home) != NEWEST:
        _fetch(toolchain, sandbox, home)
    return replace(toolchain, maven=str(home), maven_version=NEWEST, maven_on_host=True)


def toolchain_for(record: BuildRecord, toolchains: Sequence[Toolchain], cache: Path | None = None) -> Toolchain | None:
    """The one with which a revision was built: its JDK, and its Maven where that one is still at hand."""
    toolchain = next((one for one in toolchains if one.jdk.major == record.java_version), None)
    home = _home(record.maven, cache)
    if toolchain is None or record.maven == toolchain.maven_version or maven_version(home) != record.maven:
        return toolchain
    return replace(toolchain, maven=str(home), maven_version=record.maven, maven_on_host=True)


def _home(version: str, cache: Path | None) -> Path:
    return (cache or default_cache()) / "maven-homes" / f"apache-maven-{version}"


def _fetch(toolchain: Toolchain, sandbox: Sandbox, home: Path) -> None:
    at = placed(toolchain)
    with scratch_folder("testmark-maven-home-") as work:
        confinement = Confinement(
            argv=(
                f"{at.maven_home}/bin/mvn", "-B", "-q", "-Dmaven.repo.local=/project/m2", _COPY,
                f"-Dartifact=org.apache.maven:apache-maven:{NEWEST}:zip:bin", "-DoutputDirectory=/project/out",
            ),
            cwd="/project",
            env={
                "PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", "JAVA_HOME": at.java_home,  # noqa: S108
                "MAVEN_OPTS": "-Xmx512m", "MAVEN_SKIP_RC": "1",
            },
            mounts=(*at.mounts, Mount(work, "/project", writable=True)),
            network=True,
            root=toolchain.root,
        )  # fmt: skip
        done = run(sandbox, confinement, _FETCHING)
        packed = work / "out" / f"apache-maven-{NEWEST}-bin.zip"
        if not packed.is_file():
            words = done.stdout.decode("utf-8", "replace").strip().splitlines()
            said = words[-1] if words else "Maven said nothing"
            raise ToolMissingError(
                f"Maven {NEWEST} cannot be fetched ({said}); connect to a Maven repository, try again"
            )
        part = home.with_name(f".{home.name}.{secrets.token_hex(4)}")
        try:
            with zipfile.ZipFile(packed) as archive:
                archive.extractall(part)
            (part / home.name / "bin/mvn").chmod(0o755)  # a zip of Python's keeps no modes
            shutil.rmtree(home, ignore_errors=True)
            (part / home.name).rename(home)
        finally:
            shutil.rmtree(part, ignore_errors=True)
