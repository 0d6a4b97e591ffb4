"""Why a Maven session failed, from the classes of the exceptions that it ended with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from testmark.records.builds import FailureReason
from testmark.runtimes.maven.call import Session
from testmark.runtimes.maven.events import Event, of_kind
from testmark.runtimes.maven.jdks import declared_major
from testmark.runtimes.maven.protocol import WORK

_RESOLUTION = (
    "ArtifactResolutionException",
    "ArtifactNotFoundException",
    "ArtifactTransferException",
    "DependencyResolutionException",
    "DependencyCollectionException",
    "ArtifactDescriptorException",
    "PluginResolutionException",
    "PluginVersionResolutionException",
    "UnresolvableModelException",
    "NoPluginFoundForPrefixException",
    "MultipleArtifactsNotFoundException",
)
_OLDER_JAVA = re.compile(
    r"(?:Source|Target) option (\d+(?:\.\d+)?) is no longer supported"
    r"|(?:source|target) (?:release|value|option) ([\d.]+) (?:is )?(?:no longer supported|not supported)",
    re.IGNORECASE,
)
_UNKNOWN_JAVA = re.compile(
    r"invalid (?:source|target) release:? ([\d.]+)|release version ([\d.]+) not supported", re.IGNORECASE
)
_JDK = re.compile(
    r"(?:Source|Target) option \S+ is no longer supported|(?:invalid|unsupported) (?:source|target) release"
    r"|release version \S+ not supported|invalid flag: --(?:release|add-|enable-preview)"
    r"|compiled by a more recent version of the Java Runtime|Unsupported class file major version"
    r"|UnsupportedClassVersionError|at specified path|requires? (?:at least )?(?:JDK|Java) ?\d",
    re.IGNORECASE,
)
_JDK_CLASSES = (
    "UnsupportedClassVersionError",
    "ExceptionInInitializerError",
    "NoSuchFieldError",
    "NoSuchMethodError",
    "IllegalAccessError",
    "InaccessibleObjectException",
)
"""What tools that reach into the JDK, as annotation processors do, throw on one that they do not know."""
_ERROR_LINE = re.compile(r"^(?:\[ERROR\] )?(/\S.*?):\[(\d+)(?:,\d+)?\] (.*)$", re.MULTILINE)
_HEADLINE = re.compile(
    r"Could not resolve dependencies for project|Some problems were encountered|Failed to execute goal|\[WARNING\]"
    r"|The project .* has \d+ error"
)
"""Lines that only announce those that say it."""


@dataclass(frozen=True)
class Failure:
    """The first failure of a session and the line that says why."""

    reason: FailureReason
    detail: str
    older_java: bool = False
    """javac refuses the declared version of Java as too old for it."""
    unknown_java: int | None = None
    """The version of Java that javac refuses because it does not know it: too old, or too new."""


@dataclass(frozen=True)
class JavacError:
    """One complaint of javac; the path is relative to the repository where the file lies in it."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def failure_of(session: Session) -> Failure:
    """Why this session, which did not succeed, failed."""
    match session.completed.stopped:
        case None:
            pass
        case "wall" | "cpu" | "idle":
            return Failure("timeout", f"Maven was stopped by its limit of time ({session.completed.stopped})")
        case "memory":
            return Failure("memory", "Maven passed its limit of memory")
        case other:
            return Failure("other", f"Maven passed its limit of {other}")
    if not of_kind(session.events, "start"):
        # The JVM or Maven refuses to start: an option of .mvn/jvm.config, a Maven too new for this Java.
        return Failure("jdk", _first_line(session.output()) or "Maven did not start")
    failed = of_kind(session.events, "mojo-failed") or of_kind(session.events, "failure")
    if not failed:
        return Failure("other", _first_line(session.output()) or "Maven ended without saying how")
    return _classed(failed[0])


def javac_errors(event: Event) -> tuple[JavacError, ...]:
    """The complaints in a failed compilation; empty for a failure of another kind."""
    if not _is_compilation(event):
        return ()
    found: dict[JavacError, None] = {}
    for message in event.items("messages"):
        for match in _ERROR_LINE.finditer(message):
            path = match[1].removeprefix(f"{WORK}/")
            found[JavacError(path, int(match[2]), match[3].strip())] = None
    return tuple(found)


def is_dependency(event: Event) -> bool:
    """Something that must be resolved is not there."""
    return any(name.endswith(_RESOLUTION) for name in event.items("classes"))


def _is_compilation(event: Event) -> bool:
    return any(name.endswith("CompilationFailureException") for name in event.items("classes"))


def _classed(event: Event) -> Failure:
    classes, messages = event.items("classes"), event.items("messages")
    text = "\n".join(messages)
    if any(name.endswith("OutOfMemoryError") for name in classes):
        return Failure("memory", _innermost(messages))
    if event.text("plugin") == "maven-enforcer-plugin":
        return Failure("enforcer", _innermost(messages))
    if any(name.endswith("PluginIncompatibleException") for name in classes):
        return Failure("enforcer", _innermost(messages))
    if is_dependency(event) or re.search(r"Non-resolvable (?:parent|import) POM", text):
        jdk = "at specified path" in text  # `tools.jar` and its kin belong to one JDK
        return Failure("jdk" if jdk else "dependency", _innermost(messages))
    javac = event.text("plugin") == "maven-compiler-plugin"
    match = _JDK.search(text)
    if match or any(name.endswith(_JDK_CLASSES) for name in classes):
        unknown = _UNKNOWN_JAVA.search(text) if javac else None
        return Failure(
            "jdk",
            _line_with(text, match) or _innermost(messages),
            older_java=bool(javac and _OLDER_JAVA.search(text)),
            unknown_java=declared_major(unknown[1] or unknown[2]) if unknown else None,
        )
    if javac:
        errors = javac_errors(event)
        return Failure("compile", str(errors[0]) if errors else _innermost(messages))
    if event.text("plugin"):
        return Failure("plugin", f"{event.text('plugin')}:{event.text('goal')}: {_innermost(messages)}")
    return Failure("other", _innermost(messages))


def _line_with(text: str, match: re.Match[str] | None) -> str:
    if match is None:
        return ""
    start = text.rfind("\n", 0, match.start()) + 1
    return text[start:].partition("\n")[0].strip()


def _innermost(messages: tuple[str, ...]) -> str:
    said = [line for message in reversed(messages) for line in _lines(message) if line != "null"]
    telling = [line for line in said if not _HEADLINE.match(line)]
    return (telling or said or ["it does not say why"])[0]


def _first_line(output: str) -> str:
    lines = [line for line in _lines(output) if line.startswith(("[ERROR]", "Error"))] or list(_lines(output))
    return lines[0].removeprefix("[ERROR] ") if lines else ""


def _lines(text: str) -> Iterator[str]:
    return (line.strip() for line in text.splitlines() if line.strip())
