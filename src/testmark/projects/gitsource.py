"""One commit of a git repository as a plain folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from testmark.errors import InfraError, ToolMissingError, UserError
from testmark.projects.store import locked, publish, remove_tree

_PLAIN = (
    "-c",
    "core.autocrlf=false",
    "-c",
    "core.eol=lf",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "protocol.ext.allow=never",
)
_FETCH_SECONDS = 1800


def export_commit(url: str, commit: str, cache: Path, *, where: str) -> tuple[Path, tuple[str, ...]]:
    """The files of `commit`, kept in the cache, and a note for each submodule (they are not fetched).

    `where` names the place in the definition for messages. Raises `UserError` for a repository or commit that does
    not exist, `InfraError` when git fails for another reason, `ToolMissingError` without git.
    """
    if url.startswith("-"):
        raise UserError(f"{where}: {url!r} is not the address of a repository; write an URL or a path")
    if shutil.which("git") is None:
        raise ToolMissingError("git is not installed; install it with `apt-get install git`")
    final = cache / "sources" / f"git-{commit}"
    with locked(final):
        if not final.is_dir():
            publish(final, lambda part: _export(url, commit, part, where))
    submodules = (final / "submodules").read_text(encoding="utf-8").splitlines()
    return final / "tree", tuple(f"the submodule {line} is not fetched; its folder is missing" for line in submodules)


def _export(url: str, commit: str, part: Path, where: str) -> None:
    repository, tree = part / "repository", part / "tree"
    tree.mkdir()
    _git("init", "--quiet", "--bare", "--template=", str(repository))
    at = f"--git-dir={repository}"
    try:  # one commit is enough, but not every server hands out a commit by its name
        _git(at, "fetch", "--quiet", "--depth=1", "--no-tags", "--", url, commit)
    except subprocess.CalledProcessError:
        try:
            _git(at, "fetch", "--quiet", "--", url, "+refs/*:refs/testmark/*")
        except subprocess.CalledProcessError as error:
            raise _fetch_error(url, error, where) from error
    if _succeeds(at, "cat-file", "-e", f"{commit}^{{commit}}"):
        _git(at, "read-tree", commit)
        # info/attributes wins over .gitattributes: no filter and no change of line ends
        (repository / "info").mkdir(exist_ok=True)
        (repository / "info" / "attributes").write_text(
            "* -text -eol -filter -ident -working-tree-encoding\n", encoding="utf-8"
        )
        _git(at, f"--work-tree={tree}", "checkout-index", "--all", "--quiet")
        listing = _git(at, "ls-tree", "-r", "-z", commit)
    else:
        raise UserError(f"{where}: {url} has no commit {commit}; correct `commit` in [source]")
    entries = [entry.partition("\t") for entry in listing.split("\0") if entry.startswith("160000 ")]
    lines = [f"{path} (at {meta.split()[2]})\n" for meta, _, path in entries]
    (part / "submodules").write_text("".join(lines), encoding="utf-8")
    remove_tree(repository)


def _git(*arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _KEPT}
    environment |= {"GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ("git", *_PLAIN, *arguments),
            check=True,
            capture_output=True,
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=_FETCH_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise InfraError(f"git {arguments[1]} did not end within {_FETCH_SECONDS} s") from error
    return os.fsdecode(done.stdout)


_KEPT = frozenset(
    {
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_ASKPASS",
        "GIT_SSL_CAINFO",
        "GIT_SSL_CAPATH",
        "GIT_PROXY_COMMAND",
        "GIT_CONFIG_GLOBAL",
    }
)


def _succeeds(*arguments: str) -> bool:
    try:
        _git(*arguments)
    except subprocess.CalledProcessError:
        return False
    return True


def _fetch_error(url: str, error: subprocess.CalledProcessError, where: str) -> UserError | InfraError:
    text = os.fsdecode(error.stderr or b"").strip()
    last = next(
        (line for line in text.splitlines() if line.startswith(("fatal:", "error:"))),
        text.splitlines()[-1] if text else "",
    )
    reason = last.removeprefix("fatal: ").removeprefix("error: ").rstrip(".")
    unreachable = ("Could not resolve host", "unable to access", "Connection", "timed out", "Couldn't connect")
    if any(sign in text for sign in unreachable):
        return InfraError(f"{url} cannot be reached: {reason}")
    return UserError(f"{where}: {url} cannot be fetched ({reason}); correct `git` in [source]")
