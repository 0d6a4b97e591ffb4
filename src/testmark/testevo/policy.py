"""What of a prediction counts: the target test file, and nothing that stands in for production code."""

from __future__ import annotations

from dataclasses import dataclass
from posixpath import normpath

from testmark.records.base import FileText
from testmark.testevo.sides import Side

MOST_BYTES = 2 << 20


@dataclass(frozen=True)
class Accepted:
    """The target test file's text, and the other files, which count for nothing."""

    content: str
    ignored: tuple[str, ...]


@dataclass(frozen=True)
class Refused:
    """`rule: detail`, or `empty`."""

    reason: str


def check(files: tuple[FileText, ...], test_file: str) -> Accepted | Refused:
    """The file that counts: of exactly the target's path; a prediction without it is empty."""
    own = [file for file in files if normpath(file.path) == test_file]
    others = tuple(file.path for file in files if normpath(file.path) != test_file)
    if not own or not own[0].content.strip():
        return Refused("empty")
    content = own[0].content
    if "\0" in content:
        return Refused("not-text: the test file holds a NUL")
    try:
        size = len(content.encode("utf-8"))
    except UnicodeEncodeError as error:
        return Refused(f"not-text: the test file is no Unicode text at character {error.start}")
    if size > MOST_BYTES:
        return Refused(f"too-large: the test file has {size} bytes, more than {MOST_BYTES}")
    return Accepted(content, others)


def production_classes(side: Side) -> frozenset[str]:
    """Binary names of every class of the production code of a revision."""
    found: set[str] = set()
    for module in side.siblings:
        top = side.tree / module.classes
        for place in top.rglob("*.class"):
            found.add(place.relative_to(top).with_suffix("").as_posix().replace("/", "."))
    return frozenset(found)
