"""How one revision of a Maven repository was built, and what running its tests needs."""

from __future__ import annotations

from typing import Literal

from testmark.records.base import Record

FailureReason = Literal["no-pom", "dependency", "jdk", "compile", "plugin", "enforcer", "timeout", "memory", "other"]
TestFramework = Literal["junit3", "junit4", "platform", "testng"]


class SurefireSettings(Record):
    """What Surefire gives the JVM that runs a module's tests, defaults left out."""

    version: str
    arg_line: tuple[str, ...]
    system_properties: dict[str, str]
    environment: dict[str, str]
    working_directory: str
    """Relative to the repository; the module's folder by default."""
    cold_reasons: tuple[str, ...]
    """Settings that only Maven itself can carry out, in words: such a module is never run warm."""


class BuiltModule(Record):
    """One module with Java code; paths are relative to the repository, `/`-separated."""

    path: str
    """Empty for the root."""
    artifact: str
    main_root: str
    test_root: str
    classes: str
    test_classes: str
    classpath: tuple[str, ...]
    """The test class path after the module's own two folders, as seen inside: `/m2/...` and `/work/...`."""
    frameworks: tuple[TestFramework, ...]
    compiler: tuple[str, ...]
    """Options of javac for its test code: `-source 8`, `-encoding UTF-8`, `-parameters`."""
    surefire: SurefireSettings
    processors: tuple[str, ...]
    """Annotation processors that may make classes beside those of its sources: javac alone does not make them."""


class BuildRecord(Record):
    """One revision, built or not."""

    revision: str
    reason: FailureReason | None
    """None when it is built."""
    detail: str
    """One line of the log that says why; empty when it is built."""
    java_version: int | None
    """Major version of the JDK that built it."""
    jdk: str
    maven: str
    released: int | None
    """The version given to `--release` where the declared Java is older than every JDK that there is."""
    tried: tuple[str, ...]
    """What other JDKs said, one sentence each."""
    modules: tuple[BuiltModule, ...]
    missing_files: tuple[str, ...]
    """Files that the clone lacks."""


def is_below(path: str, root: str) -> bool:
    """Whether a file lies in a folder; both are relative to the repository, which itself is `` or `.`."""
    return root in {"", "."} or path.startswith(f"{root}/")
