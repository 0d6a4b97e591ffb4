"""Makes a small Maven repository with a history: replays the folders below `commits`, one a commit.

    python make_history.py FOLDER

Each folder holds `commit.toml` and, below `files`, what the commit adds or changes. The same folders give the same
commits, byte for byte, on every machine: `git fast-import` takes names and dates from here and no configuration.
Python 3.11 or newer and git are all that it needs.

    message = "What the commit does"
    date = 2024-01-08T09:00:00Z
    delete = ["a/file"]             # removed files
    move = {"new/path" = "old"}     # files that get another path; one below `files` may change them further
    branch = "scales"               # the branch that it goes to; `main` when it does not say
    from = "31-no-table"            # the commit before it; the last one of its branch when it does not say
    merge = "32-scales"             # a second parent: what that branch changed since it left is taken over
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
AUTHOR = "Ada Unit <ada@example.org>"
MAIN = "main"

Tree = dict[str, bytes]


@dataclass(frozen=True)
class Commit:
    """One commit with its whole tree."""

    name: str
    message: str
    date: datetime
    branch: str
    parents: tuple[str, ...]
    """Names of folders; the first parent first."""
    tree: Tree = field(repr=False)


def read_history(folder: Path = HERE / "commits") -> dict[str, Commit]:
    """All commits by the name of their folder, in the order of their names; raises `ValueError` on what cannot be."""
    found: dict[str, Commit] = {}
    tips: dict[str, str] = {}
    for place in sorted(path for path in folder.iterdir() if path.is_dir()):
        table = tomllib.loads((place / "commit.toml").read_text(encoding="utf-8"))
        branch = table.get("branch", MAIN)
        first = table.get("from", tips.get(branch))
        merged = table.get("merge")
        parents = tuple(one for one in (first, merged) if one is not None)
        tree = dict(found[first].tree) if first else {}
        if merged:
            take_over(found, tree, first, merged)
        for new, old in table.get("move", {}).items():
            tree[new] = tree.pop(old)
        for path in table.get("delete", ()):
            del tree[path]
        files = place / "files"
        for path in sorted(files.rglob("*")):
            if path.is_file():
                tree[path.relative_to(files).as_posix()] = path.read_bytes()
        found[place.name] = Commit(place.name, table["message"], table["date"], branch, parents, tree)
        tips[branch] = place.name
    return found


def take_over(commits: dict[str, Commit], tree: Tree, first: str, merged: str) -> None:
    """Change `tree`, that of `first`, as the other branch has changed since the two parted."""
    base, other = commits[parting(commits, first, merged)].tree, commits[merged].tree
    for path in sorted({*base, *other}):
        if base.get(path) == other.get(path):
            continue
        if tree.get(path) != base.get(path):
            raise ValueError(f"{first} and {merged} both change {path}")
        if path in other:
            tree[path] = other[path]
        else:
            del tree[path]


def parting(commits: dict[str, Commit], first: str, merged: str) -> str:
    """The newest commit that both have, by first parents."""
    own = set(line(commits, first))
    return next(name for name in line(commits, merged) if name in own)


def line(commits: dict[str, Commit], name: str) -> list[str]:
    """A commit and its ancestors by first parents, newest first."""
    found = [name]
    while commits[found[-1]].parents:
        found.append(commits[found[-1]].parents[0])
    return found


def write_history(commits: dict[str, Commit], folder: Path) -> dict[str, str]:
    """Make a repository with a work tree in `folder`, which must be empty or new; the commits' hashes by name."""
    if folder.exists() and any(folder.iterdir()):
        raise ValueError(f"{folder} is not empty")
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--object-format=sha1", "--template=", f"--initial-branch={MAIN}")
    git(folder, "config", "core.autocrlf", "false")
    marks = {name: number for number, name in enumerate(commits, start=1)}
    stream = b"".join(one_commit(commit, commits, marks) for commit in commits.values())
    told = folder.resolve() / ".git" / "made"
    git(folder, "fast-import", "--quiet", f"--export-marks={told}", stdin=stream)
    hashes = dict(entry.split() for entry in told.read_text(encoding="ascii").splitlines())
    told.unlink()
    git(folder, "reset", "--quiet", "--hard")
    return {name: hashes[f":{mark}"] for name, mark in marks.items()}


def one_commit(commit: Commit, commits: dict[str, Commit], marks: dict[str, int]) -> bytes:
    """What `git fast-import` reads for it."""
    message = commit.message.encode() + b"\n"
    when = f"{AUTHOR} {int(commit.date.timestamp())} +0000"
    head = [
        f"commit refs/heads/{commit.branch}",
        f"mark :{marks[commit.name]}",
        f"author {when}",
        f"committer {when}",
        f"data {len(message)}",
    ]
    parts = ["\n".join(head).encode() + b"\n" + message]
    for keyword, parent in zip(("from", "merge"), commit.parents, strict=False):
        parts.append(f"{keyword} :{marks[parent]}\n".encode())
    before = commits[commit.parents[0]].tree if commit.parents else {}
    parts += [f"D {path}\n".encode() for path in sorted({*before} - {*commit.tree})]
    for path, content in sorted(commit.tree.items()):
        if before.get(path) != content:
            parts.append(f"M 100644 inline {path}\ndata {len(content)}\n".encode() + content + b"\n")
    return b"".join(parts) + b"\n"


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> None:
    """Run git in the folder; raises `CalledProcessError` when it fails."""
    subprocess.run(["git", "-C", str(folder), *arguments], input=stdin, check=True)


def main() -> int:
    """The command line."""
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    commits = read_history()
    try:
        hashes = write_history(commits, Path(sys.argv[1]))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{len(commits)} commits, main is {hashes[next(n for n in reversed(commits) if commits[n].branch == MAIN)]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
