"""The process that runs one test: the same around `session.run_scenario` in the warm worker and in a cold run."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from typing import Any

from guard import Guard
from integrity import Integrity, Known, replaced_production
from session import run_scenario
from tracer import Tracer

_PATTERN_LENGTH = 2000
_PATTERNS_KEPT = 300


def make_emitter(fd: int, token: str) -> Callable[[str, dict[str, Any]], None]:
    """A function that writes one event as a line of JSON behind the run's own token, which the judge checks."""
    prefix = token.encode() + b" "
    write = os.write

    def emit(kind: str, data: dict[str, Any]) -> None:
        line = prefix + json.dumps([kind, data]).encode() + b"\n"
        view = memoryview(line)
        while view:
            view = view[write(fd, view) :]

    return emit


def run_job(
    request: dict[str, Any],
    fd: int,
    project_files: frozenset[str],
    integrity: Integrity | None = None,
    configuration: Any = None,
    known: Known | None = None,
) -> None:
    """Run the request's Scenario in this process, which is the test's own, and report on `fd`.

    `integrity`, `configuration` and `known`, which tells the production code that it loaded, were made before in the
    warm worker; a cold run makes its own.
    """
    root = os.getcwd()
    emit = make_emitter(fd, request["token"])
    flagged: set[tuple[str, str]] = set()

    def report(rule: str, detail: str) -> None:
        if (rule, detail) not in flagged and len(flagged) < 100:  # noqa: PLR2004 - enough to reject
            flagged.add((rule, detail))
            emit("flag", {"rule": rule, "detail": detail})

    tracer = Tracer(root, request["production"]) if request["measure"] else None
    written = frozenset(os.path.join(root, path) for path in request["test_files"])
    guard = Guard(
        report,
        root=root,
        production=tuple(request["production"]),
        trusted_files=frozenset(os.path.join(root, path) for path in project_files) - written,
    )
    sys.argv[:] = ["behave", request["location"]]
    if tracer is None:
        # Under a tracer every call raises audit events; the untraced runs of the same test are guarded.
        guard.install()
    emit("begun", {})
    run_scenario(request, emit, tracer, integrity or Integrity(), configuration)
    if request["watch_production"]:
        for name in replaced_production(guard.is_production, guard.is_trusted, known or Known(())):
            emit("flag", {"rule": "replaces-production", "detail": f"{name} is not the project's own any more"})
    if tracer is not None:
        emit("patterns", {"patterns": compiled_patterns()})
        emit(
            "trace",
            {
                "lines": as_lists(tracer.lines),
                "step_lines": as_lists(tracer.step_lines),
                "checked_lines": as_lists(tracer.checked_lines),
                "calls": list(tracer.calls),
            },
        )
    emit("bye", {})


def as_lists(lines: dict[str, set[int]]) -> dict[str, list[int]]:
    """Line sets by path as JSON values, paths without lines left out."""
    return {path: sorted(found) for path, found in sorted(lines.items()) if found}


def compiled_patterns() -> list[list[Any]]:
    """The regular expressions that this process compiled, as `[pattern, flags]`, as far as `re` remembers them.

    The next run of the same test finds them compiled; without them it is only slower.
    """
    known = getattr(re, "_cache", {})
    found = [[key[1], int(key[2])] for key in list(known) if key[0] is str and len(key[1]) <= _PATTERN_LENGTH]
    return found[-_PATTERNS_KEPT:]
