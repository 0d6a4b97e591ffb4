"""The history of a git repository, read without a work tree: commits, changed files, texts and whole revisions."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from testmark.errors import InfraError, ToolMissingError, UserError
from testmark.sandbox.scratch import scratch_folder

_SETTINGS = (
    "core.autocrlf=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.symlinks=true",
    "core.attributesFile=/dev/null",
    "advice.graftFileDeprecated=false",
    "color.ui=false",
    "log.showSignature=false",
    "log.mailmap=false",
    "i18n.logOutputEncoding=UTF-8",
)
_PLAIN = ("--no-replace-objects", *(word for setting in _SETTINGS for word in ("-c", setting)))
"""What the user's own settings say must not change what is read."""
_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "GIT_GRAFT_FILE": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
}
_ATTRIBUTES = "* -text -eol -filter -ident -working-tree-encoding\n"


@dataclass(frozen=True)
class Commit:
    """One commit; `date` is the committer's, in UTC."""

    sha: str
    parents: tuple[str, ...]
    date: datetime


@dataclass(frozen=True)
class Change:
    """One file that differs between two revisions; paths are `/`-separated and relative to the repository."""

    kind: Literal["added", "deleted", "modified", "renamed"]
    path: str
    """In the new revision; in the old one for a deleted file."""
    old_path: str
    """In the old revision; empty for an added file."""


class _GitError(InfraError):
    """A git that failed, and what it said."""

    def __init__(self, command: Sequence[str], said: str) -> None:
        asked = " ".join(word for word in command if word not in _PLAIN)
        super().__init__(f"`{asked}` failed: {said}")
        self.said = said


class History:
    """A repository by its folder: a work tree, a bare clone or a `.git`."""

    def __init__(self, folder: Path) -> None:
        """Raises `UserError` for what is no repository or cannot be opened, `ToolMissingError` without git."""
        if shutil.which("git") is None:
            raise ToolMissingError("git is not installed; install it with `apt-get install git`")
        self.folder = folder
        try:
            found = self._git("rev-parse", "--absolute-git-dir")
        except _GitError as error:
            # Git has other reasons too: the repository is another user's, or of a later format.
            none = "not a git repository" in error.said or "cannot change to" in error.said
            what = "this is no git repository; give a clone's folder or its URL"
            raise UserError(f"{folder}: {what if none else 'git cannot open this repository'}: {error.said}") from error
        self._at = (f"--git-dir={os.fsdecode(found).strip()}",)

    def head(self) -> str:
        """The commit that HEAD names; raises `UserError` where there is none yet."""
        try:
            return self._git("rev-parse", "--verify", "HEAD^{commit}").decode().strip()
        except InfraError as error:
            raise UserError(
                f"{self.folder}: HEAD names no commit; check out a branch that has one, or fetch the history first"
            ) from error

    def origin(self) -> str:
        """The URL of the remote `origin`; empty without one."""
        try:
            return self._git("config", "--get", "remote.origin.url").decode().strip()
        except InfraError:
            return ""

    def branch(self) -> str:
        """The name of the branch that HEAD names, else its short hash."""
        try:
            return self._git("symbolic-ref", "--short", "HEAD").decode().strip()
        except InfraError:
            return self.head()[:7]

    def commits(self, head: str, *, since: datetime | None = None, until: datetime | None = None) -> tuple[Commit, ...]:
        """All commits reachable from `head` whose committer's date lies in the window, oldest first.

        Ordered by ancestry and then by date and name, so that the order does not depend on the clone.
        """
        text = self._git("log", "--topo-order", "--reverse", "--format=%H %P%x09%ct", head).decode()
        found = []
        for line in text.splitlines():
            names, _, seconds = line.partition("\t")
            sha, *parents = names.split()
            commit = Commit(sha, tuple(parents), datetime.fromtimestamp(int(seconds), UTC))
            if (since is None or commit.date >= since) and (until is None or commit.date <= until):
                found.append(commit)
        return tuple(found)

    def changes(self, old: str, new: str) -> tuple[Change, ...]:
        """Files that differ, by new path; renames found by likeness as `git diff -M` does, however many there are."""
        text = os.fsdecode(self._git("diff-tree", "-r", "-z", "-M", "-l0", "--no-commit-id", old, new))
        fields = iter(text.split("\0"))
        found = []
        for head in fields:
            if not head:
                continue
            status = head.split()[-1]
            path = next(fields)
            match status[0]:
                case "A":
                    found.append(Change("added", path, ""))
                case "D":
                    found.append(Change("deleted", path, path))
                case "R" | "C":
                    new_path = next(fields)
                    found.append(Change("renamed", new_path, path))
                case _:
                    found.append(Change("modified", path, path))
        return tuple(sorted(found, key=lambda change: change.path))

    def paths(self, revision: str) -> tuple[str, ...]:
        """All files of a revision, submodules left out."""
        text = os.fsdecode(self._git("ls-tree", "-r", "-z", revision))
        entries = [entry.partition("\t") for entry in text.split("\0") if entry]
        return tuple(path for meta, _, path in entries if meta.split()[1] == "blob")

    def texts(self, revision: str, paths: Iterable[str]) -> dict[str, str]:
        """The texts of those of the files that are there; bytes that are no UTF-8 become replacement characters."""
        wanted = list(paths)
        request = "".join(f"{revision}:{path}\n" for path in wanted if "\n" not in path)
        data = self._git("cat-file", "--batch", stdin=os.fsencode(request))
        found: dict[str, str] = {}
        at = 0
        for path in [path for path in wanted if "\n" not in path]:
            end = data.index(b"\n", at)
            head = data[at:end]
            at = end + 1
            if head.endswith(b" missing"):
                continue
            size = int(head.rsplit(b" ", 1)[1])
            found[path] = data[at : at + size].decode("utf-8", "replace")
            at += size + 1
        return found

    def export(self, revision: str, folder: Path) -> list[str]:
        """Write the files of a revision into `folder`; returns the paths that the clone lacks and that are left out."""
        folder.mkdir(parents=True, exist_ok=True)
        with scratch_folder("testmark-export-") as scratch:
            # A repository of its own over the same objects: nothing is written into the user's, and info/attributes
            # wins over .gitattributes, so that no filter and no change of line ends touches a file.
            own = scratch / "repository"
            _run(("git", "init", "--quiet", "--bare", "--template=", str(own)))
            objects = os.fsdecode(self._git("rev-parse", "--path-format=absolute", "--git-path", "objects")).strip()
            (own / "objects/info").mkdir(parents=True, exist_ok=True)
            (own / "objects/info/alternates").write_text(f"{objects}\n", encoding="utf-8")
            (own / "info").mkdir(exist_ok=True)
            (own / "info/attributes").write_text(_ATTRIBUTES, encoding="utf-8")
            at = ("git", f"--git-dir={own}", *_PLAIN)
            _run((*at, "read-tree", revision))
            # A clone that lacks some objects still gives all others.
            _run((*at, f"--work-tree={folder}", "checkout-index", "-a", "-f", "-q"), lenient=True)
        return [path for path in self.paths(revision) if not os.path.lexists(folder / path)]

    def _git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        at: Sequence[str] = getattr(self, "_at", ("-C", str(self.folder)))
        return _run(("git", *at, *_PLAIN, *arguments), stdin=stdin)


def _run(command: Sequence[str], *, stdin: bytes = b"", lenient: bool = False) -> bytes:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(command, input=stdin, capture_output=True, check=False, env={**kept, **_ENVIRONMENT})
    if done.returncode and not lenient:
        raise _GitError(command, git_said(os.fsdecode(done.stderr)) or str(done.returncode))
    return done.stdout


def git_said(words: str) -> str:
    """What went wrong by git's error stream, in one line: all from `fatal:` on, else the last line.

    The remedy often follows that word in lines of its own, of which the last says nothing without the first.
    """
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    start = next((number for number, line in enumerate(lines) if line.startswith("fatal:")), -1)
    return " ".join(lines[start:])
