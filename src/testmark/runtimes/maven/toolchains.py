"""Which JDK works with which Maven: on the host, or in a root that holds both; and a newer Maven where one is asked."""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from testmark.runtimes.maven.jdks import find_jdks
from testmark.runtimes.maven.protocol import Toolchain
from testmark.sandbox.confinement import Mount

_SYSTEM = ("usr/share", "usr/local", "usr/lib", "opt")
_MANAGERS = (
    ".sdkman/candidates/maven",
    ".local/share/mise/installs/maven",
    ".asdf/installs/maven",
    ".m2/wrapper/dists",
)
_DEEPEST = 3
"""A wrapper keeps Maven in `apache-maven-3.9.9-bin/<hash>/apache-maven-3.9.9`."""
_WRAPPER = re.compile(r"^distributionUrl\s*=.*apache-maven-([0-9][^/\s]*?)-bin\.(?:zip|tar\.gz)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Maven:
    """One Maven by its home; inside a root where there is one."""

    version: str
    home: str
    root: Path | None = None


@dataclass(frozen=True)
class Placed:
    """A toolchain as it is seen inside a sandbox: the homes of JDK and Maven, and what must be mounted for that."""

    java_home: str
    maven_home: str
    mounts: tuple[Mount, ...]


def find_toolchains(
    *, root: Path | None = None, environment: Mapping[str, str] | None = None, home: Path | None = None
) -> tuple[Toolchain, ...]:
    """Every JDK of the host, or of the root, with the newest Maven there; the oldest JDK first.

    Empty where there is no Maven or no JDK. A Maven of the host may serve a root that has JDKs only.
    """
    mavens = find_mavens(root=root, environment=environment, home=home)
    if not mavens and root is not None:
        mavens = find_mavens(environment=environment, home=home)
    if not mavens:
        return ()
    maven = mavens[-1]
    return tuple(
        Toolchain(jdk=jdk, maven=maven.home, maven_version=maven.version, root=root, maven_on_host=maven.root is None)
        for jdk in find_jdks(environment=environment, home=home, root=root)
    )


def find_mavens(
    *, root: Path | None = None, environment: Mapping[str, str] | None = None, home: Path | None = None
) -> tuple[Maven, ...]:
    """Every Maven once, the oldest version first; of one `root` only what stands in it."""
    found: dict[Path, Maven] = {}
    top = root or Path("/")
    places = _in_system(top) if root is not None else _everywhere(environment or os.environ, home or Path.home())
    for place in places:
        folder = place.resolve()
        version = maven_version(folder, top)
        if version and folder not in found:
            inside = "/" + place.relative_to(root).as_posix() if root is not None else str(folder)
            found[folder] = Maven(version, inside, root)
    return tuple(sorted(found.values(), key=lambda maven: (version_key(maven.version), maven.home)))


def wanted_maven(tree: Path) -> str:
    """The version that a project's Maven wrapper names; empty without one."""
    try:
        text = (tree / ".mvn/wrapper/maven-wrapper.properties").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    match = _WRAPPER.search(text.replace("\\:", ":"))
    return match[1] if match else ""


def placed(toolchain: Toolchain) -> Placed:
    """Where JDK and Maven stand inside: homes outside of the system's folders are mounted."""
    mounts: list[Mount] = []

    def place(home: str, target: str, *, on_host: bool) -> str:
        if not on_host or (toolchain.root is None and Path(home).is_relative_to("/usr")):
            return home
        mounts.append(Mount(Path(home), target))
        return target

    java = place(toolchain.jdk.home, "/jdk", on_host=toolchain.root is None)
    maven = place(toolchain.maven, "/maven", on_host=toolchain.root is None or toolchain.maven_on_host)
    return Placed(java, maven, tuple(mounts))


def maven_version(home: Path, top: Path = Path("/")) -> str:
    """From the core's own archive; empty when this is no Maven's home. Links of a root are followed inside `top`."""
    for path in sorted((home / "lib").glob("maven-core*.jar")):
        archive = _followed(path, top)
        try:
            with zipfile.ZipFile(archive) as jar:
                text = jar.read("META-INF/maven/org.apache.maven/maven-core/pom.properties").decode("utf-8", "replace")
        except (OSError, KeyError, zipfile.BadZipFile):
            continue
        match = re.search(r"^version=(\S+)", text, re.MULTILINE)
        if match:
            return match[1]
    return ""


def version_key(version: str) -> tuple[tuple[int, ...], bool]:
    """Orders versions: numbers as numbers, and what has a qualifier (`4.0.0-rc-3`) before what has none."""
    numbers, _, qualifier = version.partition("-")
    return tuple(int(number) for number in re.findall(r"\d+", numbers)), not qualifier


def _followed(path: Path, top: Path) -> Path:
    if not path.is_symlink():
        return path
    target = path.readlink()
    return top / str(target).lstrip("/") if target.is_absolute() else path.parent / target


def _in_system(top: Path) -> Iterator[Path]:
    for folder in _SYSTEM:
        yield from sorted((top / folder).glob("*maven*"))


def _everywhere(environment: Mapping[str, str], home: Path) -> Iterator[Path]:
    for name in ("MAVEN_HOME", "M2_HOME"):
        if environment.get(name):
            yield Path(environment[name])
    program = shutil.which("mvn", path=environment.get("PATH"))
    if program:
        yield Path(program).resolve().parent.parent
    yield from _in_system(Path("/"))
    for manager in _MANAGERS:
        yield from _below(home / manager, _DEEPEST)


def _below(folder: Path, depth: int) -> Iterator[Path]:
    if (folder / "bin").is_dir():
        yield folder
    elif depth and folder.is_dir():
        for child in sorted(folder.iterdir()):
            yield from _below(child, depth - 1)


def majors(toolchains: Sequence[Toolchain]) -> tuple[int, ...]:
    """The Java versions at hand, sorted."""
    return tuple(sorted({toolchain.jdk.major for toolchain in toolchains}))
