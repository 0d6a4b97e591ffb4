"""The process that runs one test: set up around `session.run_scenario`, the same in the warm worker and in a cold run."""

from __future__ import annotations

from collections.abc import Callable
import json
import os
import sys
from typing import Any

from guard import Guard
from integrity import Integrity, replaced_production
from session import run_scenario
from tracer import Tracer

_EVENT_LIMIT = 64 << 20


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


def run_job(request: dict[str, Any], fd: int, project_files: frozenset[str]) -> None:
    """Run the request's Scenario in this process, which is the test's own, and report on `fd`."""
    root = os.getcwd()
    emit = make_emitter(fd, request["token"])
    flagged = set()

    def report(rule: str, detail: str) -> None:
        if (rule, detail) not in flagged and len(flagged) < 100:  # noqa: PLR2004 - enough to reject
            flagged.add((rule, detail))
            emit("flag", {"rule": rule, "detail": detail})

    tracer = Tracer(root, request["production"]) if request["measure"] else None
    written = frozenset(os.path.join(root, path) for path in request["test_files"])  # noqa: PTH118
    guard = Guard(
        report,
        root=root,
        production=tuple(request["production"]),
        trusted_files=frozenset(os.path.join(root, path) for path in project_files) - written,  # noqa: PTH118
    )
    sys.argv[:] = ["behave", request["location"]]
    if tracer is None:
        # Under a tracer every call raises audit events; the untraced runs of the same test are guarded.
        guard.install()
    run_scenario(request, emit, tracer, Integrity())
    if request["watch_production"]:
        for name in replaced_production(guard.is_production, guard.is_trusted):
            emit("flag", {"rule": "replaces-production", "detail": f"{name} is not the project's own any more"})
    if tracer is not None:
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
