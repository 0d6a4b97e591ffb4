"""The process that runs one test: the same around `session.run_scenario` in the warm worker and in a cold run."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from json.encoder import c_make_encoder, encode_basestring_ascii  # type: ignore[attr-defined]  # not in the stubs
from typing import Any

from guard import make_trust, watch
from integrity import Integrity, Known, replaced_production
from session import Emit, run_scenario
from tracer import Tracer

_PATTERN_LENGTH = 2000
_PATTERNS_KEPT = 300
_MOST_FINDINGS = 100


def make_emitter(fd: int, token: str) -> Emit:
    """A function that writes one event as a line of JSON behind a token, which the judge checks.

    All that it calls is written in C and looked up here: the prediction may put anything in the place of `json.dumps`.
    """
    prefix, write, joined = token.encode() + b" ", os.write, "".join
    encoded = c_make_encoder(None, None, encode_basestring_ascii, None, ": ", ", ", False, False, True)

    def emit(kind: str, data: dict[str, Any]) -> None:
        line = prefix + joined(encoded([kind, data], 0)).encode() + b"\n"
        while line:
            line = line[write(fd, line) :]

    return emit


def make_report(fd: int, token: str, found: list[list[str]]) -> Callable[[str, str], None]:
    """A function that reports a broken rule at once, and keeps it in `found`, each one once."""
    emit, remember, count = make_emitter(fd, token), found.append, len

    def report(rule: str, detail: str) -> None:
        entry = [rule, detail]
        if entry not in found and count(found) < _MOST_FINDINGS:
            remember(entry)
            emit("flag", {"rule": rule, "detail": detail})

    return report


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
    warm worker; a cold run makes its own. The prediction runs in here and may look at every local variable on the way:
    what tells a mutant from the real code is gone from the request before it is loaded.
    """
    root = os.getcwd()
    emit, sealed = make_emitter(fd, request["token"]), make_emitter(fd, request["seal"])
    found: list[list[str]] = []
    tracer = Tracer(root, request["production"]) if request["measure"] else None
    written = frozenset(os.path.join(root, path) for path in request["test_files"])
    trust = make_trust(
        root=root,
        production=tuple(request["production"]),
        trusted_files=frozenset(os.path.join(root, path) for path in project_files) - written,
    )
    watched = request["watch_production"]
    forget(request)
    sys.argv[:] = ["behave", request["location"]]
    if tracer is None:
        # Under a tracer every call raises audit events; the untraced runs of the same test are guarded.
        watch(make_report(fd, request["token"], found), trust, root)
    for word in ("token", "seal"):
        del request[word]
    emit("begun", {})
    run_scenario(request, emit, sealed, tracer, integrity or Integrity(), configuration)
    if watched:
        for name in replaced_production(trust.is_production, trust.is_trusted, known or Known(())):
            sealed("flag", {"rule": "replaces-production", "detail": f"{name} is not the project's own any more"})
    if tracer is not None:
        sealed("patterns", {"patterns": compiled_patterns()})
        sealed(
            "trace",
            {
                "lines": as_lists(tracer.lines),
                "step_lines": as_lists(tracer.step_lines),
                "checked_lines": as_lists(tracer.checked_lines),
                "calls": list(tracer.calls),
            },
        )
    # Together with the last word: who kept the judge's channel from the first report cannot keep it from this one.
    sealed("bye", {"flags": found})


def forget(request: dict[str, Any]) -> None:
    """Take out of the request what differs between real code, controls and mutants."""
    for word in ("files", "swaps", "resident", "watch_production", "measure", "patterns", "proven"):
        request.pop(word, None)


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
