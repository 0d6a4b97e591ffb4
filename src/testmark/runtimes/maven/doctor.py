"""Which JDKs and Mavens there are, on the host and in the root for Java, and what is missing."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from testmark.runtimes.maven.jdks import Jdk, find_jdks
from testmark.runtimes.maven.toolchains import Maven, find_mavens
from testmark.sandbox.roots import load_root, root_folder

ROOT = "sid-java"
"""The shipped root with every JDK that its suite has."""
WANTED = (8, 11, 17, 21)
"""Versions of Java that published tasks need."""
_INSTALL = "testevo toolchain install"


@dataclass(frozen=True)
class JavaPlace:
    """The host, or a root: what stands there."""

    name: str
    jdks: tuple[Jdk, ...]
    mavens: tuple[Maven, ...]

    @property
    def ready(self) -> bool:
        """Something can be built here."""
        return bool(self.jdks and self.mavens)


@dataclass(frozen=True)
class JavaInventory:
    """All that was found."""

    places: tuple[JavaPlace, ...]
    root_is_made: bool
    missing: tuple[int, ...]
    """Wanted versions that stand nowhere beside a Maven."""

    @property
    def ready(self) -> bool:
        """Revisions of some age can be built."""
        return any(place.ready for place in self.places)

    @property
    def remedy(self) -> str | None:
        """The line that brings what is missing."""
        return _INSTALL if self.missing or not self.root_is_made else None

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        places = [
            {
                "name": place.name,
                "jdks": [{"major": jdk.major, "version": jdk.version, "home": jdk.home} for jdk in place.jdks],
                "mavens": [{"version": maven.version, "home": maven.home} for maven in place.mavens],
            }
            for place in self.places
        ]
        table = {name: value for name, value in asdict(self).items() if name != "places"}
        return {"places": places, **table, "ready": self.ready, "remedy": self.remedy}

    def text(self) -> str:
        """For people: one line a thing."""
        lines = []
        for place in self.places:
            lines += [f"jdk         {jdk.version:<15} {place.name} {jdk.home}" for jdk in place.jdks]
            lines += [f"maven       {maven.version:<15} {place.name} {maven.home}" for maven in place.mavens]
        if not self.root_is_made:
            lines.append(f"root        {ROOT} is not made: old revisions may fail, refactorings stay unseen")
        if self.missing:
            lines.append(f"missing     Java {', '.join(map(str, self.missing))}")
        if self.remedy is not None:
            lines.append(f"to install what is missing: {self.remedy}")
        return "\n".join(lines)


def java_inventory(*, roots: Path | None = None, home: Path | None = None) -> JavaInventory:
    """Look around; nothing is made or started. `roots` and `home` stand for the folder of roots and the user's own."""
    folder = root_folder(load_root(ROOT), roots)
    places = [JavaPlace("host", find_jdks(home=home), find_mavens(home=home))]
    if folder.is_dir():
        places.append(JavaPlace(ROOT, find_jdks(root=folder), find_mavens(root=folder)))
    there = {jdk.major for place in places if place.ready for jdk in place.jdks}
    missing = tuple(major for major in WANTED if major not in there)
    return JavaInventory(tuple(places), folder.is_dir(), missing)
