"""Surefire's settings of one module: what a JVM of ours can carry over, and what it cannot."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from testmark.records.builds import SurefireSettings
from testmark.runtimes.maven.events import Event, of_kind
from testmark.runtimes.maven.protocol import WORK

_ONLY_MAVEN = {
    "jvm": "another JVM is named",
    "jdkToolchain": "a JDK is chosen by toolchains",
    "suiteXmlFiles": "TestNG suites are named",
    "dependenciesToScan": "tests lie in dependencies",
    "classpathDependencyExcludes": "dependencies are taken from the class path",
    "classpathDependencyScopeExclude": "dependencies are taken from the class path",
    "additionalClasspathElements": "the class path is lengthened",
    "additionalClasspathDependencies": "the class path is lengthened",
    "objectFactory": "TestNG's object factory is named",
    "testNGArtifactName": "TestNG stands under another name",
    "junitArtifactName": "JUnit stands under another name",
    "properties": "the framework gets properties of its own",
    "forkNode": "the fork is started by an extension",
    "systemPropertiesFile": "system properties stand in a file",
}
_USUAL = {"testNGArtifactName": "org.testng:testng", "junitArtifactName": "junit:junit"}


def surefire_settings(events: Sequence[Event], base: str, reasons: Sequence[str]) -> SurefireSettings:
    """From the events of one module; `reasons` are those that others found to stay with Maven."""
    before = [event for event in of_kind(events, "before") if event.text("plugin") == "maven-surefire-plugin"]
    after = [event for event in of_kind(events, "settings") if event.text("plugin") == "maven-surefire-plugin"]
    if not before or not after:
        return SurefireSettings(
            version="", arg_line=(), system_properties={}, environment={}, working_directory=_relative(base),
            cold_reasons=(*reasons, "Surefire does not run in this module"),
        )  # fmt: skip
    told, table = before[0].settings(), dict(before[0].settings())
    words, complaint = _words(dict(after[0].settings()).get("argLine", ""))
    return SurefireSettings(
        version=before[0].text("version"),
        arg_line=words,
        # Surefire gives its JVM this one by itself.
        system_properties={"basedir": base, **_properties(told)},
        environment=_below(told, "environmentVariables/"),
        working_directory=_relative(table.get("workingDirectory") or base),
        cold_reasons=tuple(dict.fromkeys((*reasons, *complaint, *_reasons(table, len(before))))),
    )


def _properties(settings: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Both ways to write them; the older one is a list of names and values."""
    found: dict[str, str] = {}
    name = ""
    for key, value in settings:
        if key == "systemProperties/property/name":
            name = value
        elif key == "systemProperties/property/value":
            found[name] = value
        elif key.startswith("systemProperties/") and key.count("/") == 1:
            found[key.partition("/")[2]] = value
    return {**found, **_below(settings, "systemPropertyVariables/")}


def _below(settings: Sequence[tuple[str, str]], prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): value for name, value in settings if name.startswith(prefix)}


def _words(options: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    try:
        return tuple(shlex.split(options)), ()
    except ValueError:
        return (), ("argLine cannot be taken apart",)


def _reasons(table: Mapping[str, str], executions: int) -> Iterator[str]:
    if executions > 1:
        yield "Surefire runs several times"
    for name, reason in _ONLY_MAVEN.items():
        values = [value for key, value in table.items() if key == name or key.startswith(f"{name}/")]
        if any(value != _USUAL.get(name) for value in values):
            yield reason
    if table.get("forkMode") in {"never", "perthread"} or table.get("forkCount") == "0":
        yield "tests run in Maven's own JVM"
    if table.get("skip") == "true" or table.get("skipTests") == "true":
        yield "Surefire is told to skip"
    if table.get("parallel") not in {None, "", "none"}:
        yield "tests run in parallel"
    if table.get("enableAssertions") == "false":
        yield "assertions are off"
    if table.get("groups") or table.get("excludedGroups"):
        yield "groups are chosen"


def _relative(path: str) -> str:
    return "" if path == WORK else path.removeprefix(f"{WORK}/")
