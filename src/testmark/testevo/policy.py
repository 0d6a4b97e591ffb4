"""What of a prediction counts: the target test file, and nothing that stands in for production code."""

from __future__ import annotations

from dataclasses import dataclass
from posixpath import normpath

from testmark.agents.patches import PatchRefusal, apply_to_one
from testmark.records.results import Prediction
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


def check(prediction: Prediction | None, test_file: str, before: str | None) -> Accepted | Refused:
    """The file that counts: of exactly the target's path; a prediction without it is empty.

    `before` is its text in the workspace, to which a patch is applied; None where there is none.
    """
    try:
        content, others = _submitted(prediction, test_file, before)
    except PatchRefusal as refusal:
        return Refused(f"{refusal.rule}: {refusal.detail}")
    if content is None or not content.strip():
        return Refused("empty")
    if "\0" in content:
        return Refused("not-text: the test file holds a NUL")
    try:
        size = len(content.encode("utf-8"))
    except UnicodeEncodeError as error:
        return Refused(f"not-text: the test file is no Unicode text at character {error.start}")
    if size > MOST_BYTES:
        return Refused(f"too-large: the test file has {size} bytes, more than {MOST_BYTES}")
    return Accepted(content, others)


def _submitted(prediction: Prediction | None, test_file: str, before: str | None) -> tuple[str | None, tuple[str, ...]]:
    """The text of the test file, None where there is none, and the names of the other files."""
    if prediction is None:
        return None, ()
    if prediction.model_patch is not None:
        patched, others = apply_to_one(prediction.model_patch, test_file, before)
        return (None if patched is None else patched.content), others
    files = prediction.files or ()
    own = [file for file in files if normpath(file.path) == test_file]
    return (own[0].content if own else None), tuple(file.path for file in files if normpath(file.path) != test_file)


def production_classes(side: Side) -> frozenset[str]:
    """Binary names of every class of the production code of a revision."""
    found: set[str] = set()
    for module in side.siblings:
        top = side.tree / module.classes
        for place in top.rglob("*.class"):
            found.add(place.relative_to(top).with_suffix("").as_posix().replace("/", "."))
    return frozenset(found)
