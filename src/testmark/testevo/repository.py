"""The repository to be mined: a folder, a bare clone or a URL, and what its rows say of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from testmark.engine.files import digest
from testmark.errors import UserError
from testmark.testevo.history import History, git_said

_SCHEMES = ("http://", "https://", "ssh://", "git://", "git@")
"""What makes a text a URL and no folder; git's `ext::` and the like would run programs."""
_SECRETS = re.compile(r"\b(https?://)[^/?#\s]*@", re.IGNORECASE)
"""To the last `@` before the path: a password may hold one."""


def is_url(text: str) -> bool:
    """Whether the repository lies elsewhere and is cloned first."""
    return text.startswith(_SCHEMES)


def open_repository(text: str, cache: Path) -> History:
    """The history of a folder, or of a URL's clone below `cache`, fetched anew each time.

    Raises `UserError` for what is neither, and when it cannot be cloned or fetched.
    """
    if not is_url(text):
        return History(Path(text))
    place = cache / "clones" / digest(text)[:32]
    if (place / "HEAD").is_file():
        at = ["git", f"--git-dir={place}"]
        # By its URL: what the clone calls its remote is a setting of the user's.
        _git([*at, "fetch", "--quiet", "--prune", "--", text, "+refs/heads/*:refs/heads/*"], text, "fetched")
        # The branch of the clone's HEAD may be gone since, or another one the default.
        head = _git([*at, "ls-remote", "--symref", "--", text, "HEAD"], text, "fetched").split()
        if head[:1] == ["ref:"]:
            _git([*at, "symbolic-ref", "HEAD", head[1]], text, "fetched")
        return History(place)
    part = place.with_name(place.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.parent.mkdir(parents=True, exist_ok=True)
    _git(["git", "clone", "--quiet", "--bare", "--", text, str(part)], text, "cloned")
    part.rename(place)
    return History(place)


def clone_url(text: str, history: History) -> str:
    """The URL for the rows, without a password: the one given, the clone's own origin, or the folder's path."""
    if is_url(text):
        return without_secrets(text)
    return without_secrets(history.origin()) or str(Path(text).resolve())


def without_secrets(text: str) -> str:
    """Without user and password, or token, in URLs: rows and messages are published."""
    return _SECRETS.sub(r"\1", text)


def _git(command: list[str], url: str, what: str) -> str:
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        said = git_said(done.stderr) or str(done.returncode)
        raise UserError(without_secrets(f"{url}: cannot be {what}: {said}"))
    return done.stdout
