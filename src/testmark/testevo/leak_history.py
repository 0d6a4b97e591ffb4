"""The repository of a workspace: two commits, nothing else, and no way to more."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from testmark.errors import InfraError
from testmark.leaks.found import Finding

_OURS = ["refs/heads/main"]
_COMMITS = 2
_WAYS = r"^(remote|submodule|url|include|includeif)\."
_FOREIGN = ("objects/info/alternates", "objects/info/http-alternates", "FETCH_HEAD", "ORIG_HEAD", "shallow", "modules")
"""What leads to another repository, or comes from one."""


def check_history(folder: Path) -> Iterator[Finding]:
    """Everything in `.git` that is of neither of the two commits, and every pointer to where more may be had."""
    commits = _lines(folder, "rev-list", "--all", "--reflog")
    if len(commits) != _COMMITS:
        yield Finding("history", ".git", f"{len(commits)} commits, not {_COMMITS}")
    names = _lines(folder, "for-each-ref", "--format=%(refname)")
    yield from (Finding("history", f".git/{name}", "a reference of its own") for name in names if name not in _OURS)
    reached = {line.split()[0] for line in _lines(folder, "rev-list", "--objects", "HEAD")}
    stored = [line.split() for line in _lines(folder, "cat-file", "--batch-check", "--batch-all-objects")]
    for name, kind, _ in stored:
        if name not in reached:
            yield Finding("history", f".git/objects/{name[:2]}/{name[2:]}", f"a {kind} of neither commit")
    remotes = _lines(folder, "config", "--local", "--get-regexp", _WAYS, ok=(0, 1))
    yield from (Finding("history", ".git/config", f"a way to another repository: {line}") for line in remotes)
    yield from (
        Finding("history", f".git/{place}", "comes from another repository")
        for place in _FOREIGN
        if (folder / ".git" / place).exists()
    )


def old_contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Path and bytes of every file of the older commit."""
    entries = [entry for entry in _git(folder, "ls-tree", "-r", "-z", "HEAD~1").split(b"\0") if entry]
    wanted = []
    for entry in entries:
        _, kind, rest = entry.split(b" ", 2)
        blob, _, path = rest.partition(b"\t")
        if kind == b"blob":
            wanted.append((os.fsdecode(path), blob))
    told = _git(folder, "cat-file", "--batch", given=b"".join(blob + b"\n" for _, blob in wanted))
    at = 0
    for name, _ in wanted:
        head = told[at : told.index(b"\n", at)]
        size = int(head.rsplit(b" ", 1)[1])
        start = at + len(head) + 1
        yield name, told[start : start + size]
        at = start + size + 1


def _lines(folder: Path, *arguments: str, ok: tuple[int, ...] = (0,)) -> list[str]:
    return os.fsdecode(_git(folder, *arguments, ok=ok)).splitlines()


def _git(folder: Path, *arguments: str, ok: tuple[int, ...] = (0,), given: bytes = b"") -> bytes:
    """What git says of the workspace; a repository around it is not looked for."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    line = ["git", "-c", "core.hooksPath=/dev/null", f"--git-dir={folder / '.git'}", *arguments]
    done = subprocess.run(line, capture_output=True, check=False, input=given, env={**kept, "LC_ALL": "C"})
    if done.returncode not in ok:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InfraError(f"{folder}: git {arguments[0]} failed: {words[-1] if words else done.returncode}")
    return done.stdout
