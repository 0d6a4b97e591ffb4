"""No confinement, only when asked for by name: the program runs as the user and sees and reaches everything."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

from testmark.errors import ToolMissingError
from testmark.sandbox.confinement import Confinement

_WARNING = "WARNING: --sandbox none: the code of projects, agents and predictions runs with all your rights.\n"


class Unconfined:
    """Limits of time, memory, processes and output still hold, and no process is left behind."""

    name = "none"
    own_user = False
    _warned = False

    def problem(self) -> str | None:
        """It can always be used."""
        return None

    def command(self, confinement: Confinement, *, status_fd: int | None = None) -> list[str]:  # noqa: ARG002
        """The program with its folders under their own names: without namespaces nothing can be shown elsewhere.

        Where the command line, the working directory and the environment name a mount's target, they are made to name
        its source. Says once on standard error that nothing is confined. Raises `ToolMissingError` for what cannot be
        had so.
        """
        if not Unconfined._warned:
            Unconfined._warned = True
            sys.stderr.write(_WARNING)
        if confinement.nest or confinement.root is not None:
            wanted = "the warm worker" if confinement.nest else "a root file system"
            raise ToolMissingError(
                f"{wanted} needs namespaces, which `--sandbox none` has not; "
                "install bubblewrap with `apt-get install bubblewrap`"
            )
        env = [f"{key}={_on_host(value, confinement)}" for key, value in confinement.env.items()]
        argv = [_on_host(word, confinement) for word in confinement.argv]
        cwd = _on_host(confinement.cwd, confinement)
        return [*leash(), "--", "/usr/bin/env", "-i", "-C", cwd, *env, *argv]

    def environment(self) -> dict[str, str]:
        """All of it."""
        return dict(os.environ)

    def started(self, status: bytes, exit_code: int) -> bool:  # noqa: ARG002
        """There is no set-up that could fail."""
        return True

    def members(self, pid: int) -> Sequence[int]:
        """The leash, below which everything stays."""
        return (pid,)

    def end(self, pid: int) -> None:
        """Ask the leash, which kills and waits."""
        end_leash(pid)


def leash() -> list[str]:
    """The start of a command line that runs another on a leash; `--clean-up WORD`s and `--` follow."""
    return [sys.executable, "-I", "-S", str(files("testmark.sandbox") / "leash.py")]


def end_leash(pid: int) -> None:
    """Let a leash end what it holds."""
    os.kill(pid, signal.SIGTERM)


def _on_host(text: str, confinement: Confinement) -> str:
    """The text with every path in it, parts between colons and after `=`, as the host knows it."""
    return ":".join("=".join(_paths(part.split("="), confinement)) for part in text.split(":"))


def _paths(words: list[str], confinement: Confinement) -> Iterator[str]:
    mounts = sorted(confinement.mounts, key=lambda mount: len(mount.target), reverse=True)
    for word in words:
        for mount in mounts:
            if word == mount.target or word.startswith(mount.target.rstrip("/") + "/"):
                yield str(mount.source / Path(word).relative_to(mount.target))
                break
        else:
            yield word
