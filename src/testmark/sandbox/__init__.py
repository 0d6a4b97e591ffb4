"""How a process is confined: bubblewrap, a container engine, or (only when asked for) not at all."""

from __future__ import annotations

from testmark.errors import ToolMissingError, UserError
from testmark.sandbox.confinement import Sandbox

NAMES = ("auto", "bubblewrap", "podman", "docker", "none")


def choose(name: str = "auto") -> Sandbox:
    """The sandbox of that name, ready to use; `auto` takes the first that works of bubblewrap, podman and docker.

    Raises `ToolMissingError` when it cannot be used here, `UserError` for a name that is none of `NAMES`.
    """
    if name not in NAMES:
        raise UserError(f"there is no sandbox `{name}`; choose one of {', '.join(NAMES)}")
    candidates = ("bubblewrap", "podman", "docker") if name == "auto" else (name,)
    problems = []
    for candidate in candidates:
        sandbox = _make(candidate)
        problem = sandbox.problem()
        if problem is None:
            return sandbox
        problems.append(problem)
    if name == "auto":
        raise ToolMissingError(
            f"{problems[0]} (or use podman or docker; `--sandbox none` runs without any confinement)"
        )
    raise ToolMissingError(problems[0])


def _make(name: str) -> Sandbox:
    if name == "bubblewrap":
        from testmark.sandbox.bubblewrap import Bubblewrap

        return Bubblewrap()
    if name == "none":
        from testmark.sandbox.none import Unconfined

        return Unconfined()
    from testmark.sandbox.engine import Engine

    return Engine(name)
