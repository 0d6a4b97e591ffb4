"""The submission policy: which predictions are judged at all, and the rule that refuses the others.

Only plain text files below the framework's test roots are taken. Support code, configuration and features come from the
kit whatever a prediction says; a prediction that wants to replace them is refused by name.
"""

from __future__ import annotations

import ast
import re
import sys
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from testmark.agents.patches import PatchRefusal, apply_patch
from testmark.projects.globs import matches_any
from testmark.records.base import FileText
from testmark.records.kit import KitProject, View
from testmark.records.results import Prediction

MOST_FILES = 200
FILE_BYTES = 1 << 20
SUBMISSION_BYTES = 8 << 20
DATA_SUFFIXES = (".txt", ".json", ".csv", ".xml", ".yaml", ".yml", ".toml", ".md", ".html", ".ini")
CONFIGURATION = (
    "**/conftest.py",
    "**/behave.ini",
    "**/.behaverc",
    "**/setup.cfg",
    "**/tox.ini",
    "**/pyproject.toml",
    "**/pytest.ini",
    "**/sitecustomize.py",
    "**/usercustomize.py",
    "**/environment.py",
    "**/*.pth",
)
_COMPILED = (".pyc", ".pyo", ".so", ".pyd", ".dll", ".zip", ".whl", ".egg", ".exe", ".class", ".jar")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DRIVE = re.compile(r"^[A-Za-z]:")


@dataclass(frozen=True)
class Accepted:
    """The files to judge."""

    files: tuple[FileText, ...]


@dataclass(frozen=True)
class Rejected:
    """The rule that a prediction breaks, and how."""

    rule: str
    detail: str


@dataclass(frozen=True)
class Empty:
    """The prediction holds no test."""


class _Refusal(Exception):
    def __init__(self, rule: str, detail: str) -> None:
        super().__init__(detail)
        self.rule = rule
        self.detail = detail


def check(
    prediction: Prediction, *, view: View, project: KitProject, base: Path, installed: Collection[str] = ()
) -> Accepted | Rejected | Empty:
    """Decide about one prediction; `base` is the project's real code, `installed` names more top-level modules."""
    try:
        files = _files(prediction, view, base)
        _check_sizes(files)
        roots = project.definition.layout.test_roots
        taken: dict[str, str] = {}
        for file in files:
            _check_path(file.path, roots)
            _check_conflict(file.path, taken)
            _check_kind(file, project, view, installed)
    except PatchRefusal as refusal:
        return Rejected(refusal.rule, refusal.detail)
    except _Refusal as refusal:
        return Rejected(refusal.rule, refusal.detail)
    files = [file for file in files if _view_text(view, base, file.path) != file.content]
    return Accepted(tuple(files)) if any(_holds_code(file) for file in files) else Empty()


def _files(prediction: Prediction, view: View, base: Path) -> list[FileText]:
    if prediction.files is not None:
        return list(prediction.files)
    assert prediction.model_patch is not None  # noqa: S101 - exactly one of the two is given
    if len(prediction.model_patch.encode("utf-8", "surrogatepass")) > SUBMISSION_BYTES:
        raise _Refusal("submission-too-large", f"the patch is larger than {SUBMISSION_BYTES >> 20} MiB")
    return apply_patch(prediction.model_patch, lambda path: _view_text(view, base, path))


def _view_text(view: View, base: Path, path: str) -> str | None:
    """The text of a file as the view shows it, or None if it is not there."""
    for file in view.files:
        if file.path == path:
            return file.content
    if path in view.removed:
        return None
    place = base / path
    try:
        # Links are not followed out of the project, and text is compared as it stands.
        if place.is_file() and place.resolve().is_relative_to(base.resolve()):
            return place.read_bytes().decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return None
    return None


def _check_sizes(files: Sequence[FileText]) -> None:
    if len(files) > MOST_FILES:
        raise _Refusal("too-many-files", f"{len(files)} files, at most {MOST_FILES} are taken")
    total = 0
    for file in files:
        try:
            size = len(file.content.encode("utf-8"))
        except UnicodeEncodeError as error:
            raise _Refusal("not-text", f"{_shown(file.path)}: is not text that UTF-8 can hold") from error
        if size > FILE_BYTES:
            raise _Refusal("file-too-large", f"{_shown(file.path)}: {size} bytes, at most {FILE_BYTES} are taken")
        total += size
        if total > SUBMISSION_BYTES:
            raise _Refusal("submission-too-large", f"more than {SUBMISSION_BYTES} bytes in all")
        if "\x00" in file.content:
            raise _Refusal("not-text", f"{_shown(file.path)}: holds a NUL")


def _check_path(path: str, roots: Sequence[str]) -> None:
    parts = path.split("/")
    bad = (
        not path
        or len(path) > 250  # noqa: PLR2004 - what file systems take
        or path.startswith(("/", "~"))
        or "\\" in path
        or _DRIVE.match(path)
        or _CONTROL.search(path)
        or any(part in {"", ".", ".."} for part in parts)
        or unicodedata.normalize("NFC", path) != path
    )
    if bad:
        raise _Refusal("path-escapes", f"{_shown(path)}: is not a plain relative path")
    try:
        path.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _Refusal("path-escapes", f"{_shown(path)}: is not text that UTF-8 can hold") from error
    if not any(path.startswith(root.rstrip("/") + "/") for root in roots):
        raise _Refusal("path-outside-test-roots", f"{_shown(path)}: only files below {', '.join(roots)} are taken")


def _check_conflict(path: str, taken: dict[str, str]) -> None:
    """Refuse a path given twice, differing only in case, or both a file and a folder."""
    folded = path.casefold()
    parents = {folded.rsplit("/", count)[0] for count in range(1, folded.count("/") + 1)}
    for other_folded, other in taken.items():
        if folded == other_folded or other_folded in parents or other_folded.startswith(folded + "/"):
            raise _Refusal("path-conflict", f"{_shown(path)}: conflicts with {_shown(other)}")
    taken[folded] = path


def _check_kind(file: FileText, project: KitProject, view: View, installed: Collection[str]) -> None:
    path = file.path
    name = path.rsplit("/", 1)[-1]
    if name.lower().endswith(_COMPILED):
        raise _Refusal("compiled-code", f"{_shown(path)}: only source text is taken")
    if path.endswith(".feature") or path in project.support_files or matches_any(path, CONFIGURATION):
        raise _Refusal(
            "protected-file", f"{_shown(path)}: hooks, support code, configuration and features come from the project"
        )
    if name.startswith("."):
        raise _Refusal("protected-file", f"{_shown(path)}: hidden files are not taken")
    if not name.endswith(".py"):
        if not name.lower().endswith(DATA_SUFFIXES):
            raise _Refusal("not-a-test-file", f"{_shown(path)}: Python files and plain data are taken")
        return
    stem = name.removesuffix(".py")
    own = {known.rsplit("/", 1)[-1].removesuffix(".py") for known in (*project.step_files, *view.removed)}
    if stem not in own and (stem in _taken_names(project) or stem in installed):
        raise _Refusal("shadows-module", f"{_shown(path)}: `import {stem}` would find it instead of the real module")


def _taken_names(project: KitProject) -> set[str]:
    """Top-level modules that a file in the steps folder would hide: Python's, the tests' libraries', the project's."""
    loaded = {name.partition(".")[0] for name in project.preload}
    return {*sys.stdlib_module_names, *loaded, *project.production_modules, "behave"}


def _holds_code(file: FileText) -> bool:
    """Whether a Python file has any statement but docstrings and `pass`; one that does not parse may hold a test."""
    if not file.path.endswith(".py"):
        return False
    try:
        tree = ast.parse(file.content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return any(not _is_nothing(statement) for statement in tree.body)


def _is_nothing(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _shown(path: str) -> str:
    return repr(path if len(path) < 200 else path[:200] + "…")  # noqa: PLR2004 - for reading
