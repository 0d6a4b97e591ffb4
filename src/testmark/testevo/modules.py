"""The Maven modules of one revision, as its pom files say: where their code lies, which Java they declare."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from xml.etree import ElementTree as ET

_PLACEHOLDER = re.compile(r"\$\{([^}]+)\}")
_JAVA_PROPERTIES = (
    "maven.compiler.release",
    "maven.compiler.target",
    "maven.compiler.source",
    "java.version",
    "jdk.version",
    "javaVersion",
    "java.source.version",
)
_DEEPEST = 10
"""How often a property may refer to another one."""


@dataclass(frozen=True)
class MavenModule:
    """One module: paths are relative to the repository and end without `/`; the root module's path is empty."""

    path: str
    artifact: str
    packaging: str
    main_root: str
    test_root: str
    java: str
    """The Java version that it declares, as written (`1.8`, `17`); empty when it does not say."""
    problem: str = ""
    """Why its pom cannot be read; then the rest is Maven's default."""


def read_modules(texts: Mapping[str, str]) -> tuple[MavenModule, ...]:
    """All modules that the root `pom.xml` reaches, itself first; `texts` maps paths to the texts of all pom files.

    Modules of every profile count: which profile a build chooses depends on the machine.
    """
    found: list[MavenModule] = []
    seen: set[str] = set()
    todo: list[tuple[str, dict[str, str]]] = [("pom.xml", {})] if "pom.xml" in texts else []
    while todo:
        pom, inherited = todo.pop(0)
        if pom in seen:
            continue
        seen.add(pom)
        folder = dirname(pom)
        try:
            root = ET.fromstring(texts[pom])  # noqa: S314 - expat limits entity expansion itself
        except ET.ParseError as error:
            found.append(_default(folder, f"{pom}: {error}"))
            continue
        _without_namespace(root)
        properties = inherited | _properties(root)
        found.append(_module(root, folder, properties))
        for module in root.iter("module"):
            place = normpath(join(folder, _resolve((module.text or "").strip(), properties)))
            child = place if place.endswith(".xml") else join(place, "pom.xml")
            if child in texts:
                todo.append((child, properties))
    return tuple(found)


def _module(root: ET.Element, folder: str, properties: Mapping[str, str]) -> MavenModule:
    build = root.find("build")

    def place(name: str, default: str) -> str:
        text = _resolve((build.findtext(name) or "").strip(), properties) if build is not None else ""
        return normpath(join(folder, text or default))

    return MavenModule(
        path=folder,
        artifact=_resolve((root.findtext("artifactId") or "").strip(), properties),
        packaging=_resolve((root.findtext("packaging") or "jar").strip(), properties),
        main_root=place("sourceDirectory", "src/main/java"),
        test_root=place("testSourceDirectory", "src/test/java"),
        java=_java(root, properties),
    )


def _default(folder: str, problem: str) -> MavenModule:
    return MavenModule(
        folder, "", "jar", normpath(join(folder, "src/main/java")), normpath(join(folder, "src/test/java")), "", problem
    )


def _java(root: ET.Element, properties: Mapping[str, str]) -> str:
    """What the compiler plugin's configuration says, else the customary properties."""
    for plugin in root.iter("plugin"):
        if (plugin.findtext("artifactId") or "").strip() != "maven-compiler-plugin":
            continue
        for name in ("release", "target", "source"):
            text = _resolve((plugin.findtext(f"configuration/{name}") or "").strip(), properties)
            if text and "$" not in text:
                return text
    return next((properties[name] for name in _JAVA_PROPERTIES if properties.get(name)), "")


def _properties(root: ET.Element) -> dict[str, str]:
    found = {child.tag: (child.text or "").strip() for table in root.findall("properties") for child in table}
    # Paths in a pom are joined to the module's folder, so its own folder is `.` there.
    found |= dict.fromkeys(("basedir", "project.basedir", "pom.basedir"), ".")
    for name in ("artifactId", "groupId", "version"):
        text = (root.findtext(name) or root.findtext(f"parent/{name}") or "").strip()
        found[f"project.{name}"] = text
    found["project.build.directory"] = "target"
    return {name: _resolve(text, found) for name, text in found.items()}


def _resolve(text: str, properties: Mapping[str, str]) -> str:
    for _ in range(_DEEPEST):
        changed = _PLACEHOLDER.sub(lambda match: properties.get(match[1].strip(), match[0]), text)
        if changed == text:
            break
        text = changed
    return text


def _without_namespace(root: ET.Element) -> None:
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
