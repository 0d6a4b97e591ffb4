"""JDKs as people have them, on the host or in a root: by environment, system folders and version managers."""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

_SYSTEM_FOLDERS = ("usr/lib/jvm", "usr/java", "opt/java", "opt/jdk")
_MANAGERS = (
    ".sdkman/candidates/java",
    ".local/share/mise/installs/java",
    ".asdf/installs/java",
    ".jenv/versions",
    ".gradle/jdks",
    ".jdks",
)
_VERSION = re.compile(r'^JAVA_VERSION="?([0-9][^"\s]*)', re.MULTILINE)
_IMPLEMENTATION = re.compile(r"^Implementation-Version: (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Jdk:
    """One JDK, which has a compiler."""

    major: int
    version: str
    """As its `release` file says it: `1.8.0_432`, `17.0.15`."""
    home: str
    """Where it stands: on the host, or inside the root."""
    root: Path | None = None
    """The root that holds it, or None for the host's own."""


def find_jdks(
    *, environment: Mapping[str, str] | None = None, home: Path | None = None, root: Path | None = None
) -> tuple[Jdk, ...]:
    """Every JDK once, the oldest first; of one `root` only what stands in it.

    A JRE is none: it has no compiler. The same folder under several names counts once.
    """
    found: dict[Path, Jdk] = {}
    top = root or Path("/")
    places = _system(top) if root is not None else _all_places(environment or os.environ, home or Path.home())
    for place in places:
        folder = place.resolve()
        jdk = _jdk(folder, "/" + place.relative_to(root).as_posix() if root is not None else str(folder), root)
        inside = root is None or folder.is_relative_to(root.resolve())
        if jdk is not None and inside and folder not in found:
            found[folder] = jdk
    return tuple(sorted(found.values(), key=lambda jdk: (jdk.major, _numbers(jdk.version), jdk.home)))


def choose_order(declared: int | None, available: Sequence[Jdk]) -> tuple[Jdk, ...]:
    """In which order JDKs are tried on a revision that declares this Java version.

    First the declared one, or the nearest above it, which compiles with `--release`; then newer ones, oldest first,
    as what compiles at all most likely compiles there; then older ones, newest first. Of several JDKs of one version
    the newest build. Without a declared version the oldest is tried first: most of what says nothing is old.
    """
    newest: dict[int, Jdk] = {}
    for jdk in available:
        newest[jdk.major] = jdk
    wanted = declared if declared is not None else 0
    above = sorted(major for major in newest if major >= wanted)
    below = sorted((major for major in newest if major < wanted), reverse=True)
    return tuple(newest[major] for major in (*above, *below))


def declared_major(text: str) -> int | None:
    """`1.8`, `8`, `17.0.1` as a number; None for what is no version."""
    match = re.fullmatch(r"(?:1\.)?(\d{1,2})(?:\.\d+)*(?:[-_+].*)?", text.strip())
    return int(match[1]) if match else None


def _all_places(environment: Mapping[str, str], home: Path) -> Iterator[Path]:
    for name, value in sorted(environment.items()):
        if name.startswith(("JAVA_HOME", "JDK_HOME")) and value:
            yield Path(value)
    yield from _system(Path("/"))
    for manager in _MANAGERS:
        yield from _children(home / manager)
    yield from _toolchains(home / ".m2" / "toolchains.xml")
    compiler = shutil.which("javac", path=environment.get("PATH"))
    if compiler:
        yield Path(compiler).resolve().parent.parent


def _system(top: Path) -> Iterator[Path]:
    for folder in _SYSTEM_FOLDERS:
        yield from _children(top / folder)


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError:
        return []


def _toolchains(path: Path) -> list[Path]:
    try:
        table = ET.parse(path)  # noqa: S314 - the user's own file
    except (OSError, ET.ParseError):
        return []
    return [Path(element.text.strip()) for element in table.iter() if element.tag.endswith("jdkHome") and element.text]


def _jdk(folder: Path, home: str, root: Path | None) -> Jdk | None:
    if not (folder / "bin" / "javac").exists():
        return None
    version = _version(folder)
    major = declared_major(version)
    return Jdk(major, version, home, root) if major is not None else None


def _version(folder: Path) -> str:
    """From `release`; Debian's Java 8 has none, but up to that version there is an archive of classes that tells."""
    try:
        match = _VERSION.search((folder / "release").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        match = None
    if match:
        return match[1]
    try:
        with zipfile.ZipFile(folder / "jre/lib/rt.jar") as archive:
            manifest = archive.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
    except (OSError, KeyError, zipfile.BadZipFile):
        return ""
    match = _IMPLEMENTATION.search(manifest)
    return match[1] if match else ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))
