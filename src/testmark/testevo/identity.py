"""Names of tasks, projects and test methods, as the published data sets form them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from datetime import UTC, datetime

from testmark.runtimes.maven.protocol import MethodLines
from testmark.source.java import JavaMethod

_URL = re.compile(r"[:/](?P<owner>[^/:]+)/(?P<name>[^/]+?)(?:\.git)?/*$")
_PRIMITIVES = {
    "void": "V", "boolean": "Z", "byte": "B", "char": "C", "short": "S", "int": "I", "long": "J", "float": "F",
    "double": "D",
}  # fmt: skip
_SHORT = 7


def task_id(project: str, rev1: str, rev2: str, test_class: str, test_file: str, methods: Iterable[str]) -> str:
    """`<project>__<rev1>_<rev2>__<class>_<hash>`; the hash is MD5 over the file and the sorted bare method names.

    `test_class` is the simple name. Source of the formula: 130 of 130 published identifiers.
    """
    text = f"{test_file}|{','.join(sorted(methods))}"
    mark = hashlib.md5(text.encode("utf-8"), usedforsecurity=False).hexdigest()[:8]
    return f"{project}__{rev1[:_SHORT]}_{rev2[:_SHORT]}__{test_class}_{mark}"


def project_name(url: str, tag: str) -> str:
    """`<owner>_<repo>-<tag>`; a folder without an owner gives its own name."""
    match = _URL.search(url)
    base = f"{match['owner']}_{match['name']}" if match else re.split(r"[/\\]", url.rstrip("/\\"))[-1]
    return f"{base.removesuffix('.git')}-{tag}".replace("/", "_")


def utc_text(date: datetime) -> str:
    """ISO 8601 in UTC, to the second: `2020-11-26T14:40:53Z`."""
    return date.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def signature(method: JavaMethod, measured: Iterable[MethodLines] = ()) -> str:
    """A method as the JVM writes it: `a.b.OuterTest$Inner#name(ILjava/lang/String;)V`.

    The descriptor is that of the class file where the method is among the measured ones. Else it is made from the
    source, and types that the source names without their package stay so, between `L` and `;`.
    """
    name = "<init>" if method.is_constructor else method.name
    owner = method.owner.binary_name
    for part in measured:
        inside = part.lines and method.line <= min(part.lines) <= method.end_line
        if inside and (part.owner, part.name) == (owner, name):
            return f"{owner}#{name}{part.descriptor}"
    parameters = "".join(_descriptor(kind) for kind in method.parameters)
    return f"{owner}#{name}({parameters}){_descriptor(method.returns or 'void')}"


def _descriptor(kind: str) -> str:
    dimensions = kind.count("[]") + kind.count("...")
    base = kind.replace("[]", "").replace("...", "").strip()
    common = {"String": "java/lang/String", "Object": "java/lang/Object", "Integer": "java/lang/Integer"}
    name = _PRIMITIVES.get(base) or f"L{common.get(base, base.replace('.', '/'))};"
    return "[" * dimensions + name


def junit_selector(test_class: str, method: JavaMethod) -> str:
    """What `mvn test -Dtest=` takes: `a.b.OuterTest$Inner#name`; `test_class` is the one that is run."""
    return f"{test_class}#{method.name}"


def line_range(method: JavaMethod) -> str:
    """`12-34`, 1-based and both ends included."""
    return f"{method.line}-{method.end_line}"
