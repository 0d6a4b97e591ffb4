"""From a run's raw events to its outcome.

The only evidence for `passed` is: every pickle that the official parser expects was reported by behave's own model,
with every step present, in order, and passed; no hook or clean-up failed; and both end markers came. Exit codes and
printed text decide nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from testmark.records.kit import ExpectedPickle
from testmark.records.results import PickleResult, StepResult
from testmark.runtimes.behave.jobs import Tokens
from testmark.runtimes.protocol import Call, Matches, RunOutcome, RunStatus, Trace

_UNDEFINED = {"undefined", "pending", "pending_warn", "skipped", "untested", "untested_undefined", "untested_pending"}
_LIMITS = {
    "memory": "memory-limit: its processes together used more memory than allowed",
    "output": "output-limit: it printed more than allowed",
    "processes": "process-limit: it started more processes than allowed",
    "disk": "disk-limit: it wrote more than allowed",
    "events": "output-limit: it reported more than allowed",
}
_TIMEOUTS = {
    "cpu": "it used more CPU time than allowed",
    "idle": "every process slept and nothing happened",
    "wall": "it did not end in time",
}


_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{8,16}\b|\b\d{14,15}\b")
"""As `repr` prints them, and as `id` does: numbers of 47 or 48 bits."""


@dataclass(frozen=True)
class RawRun:
    """What came out of one run's process: its event lines, its printed output and how it ended."""

    events: str
    output: str
    ending: str
    """`exit N`, `signal N`, `infra …`, or the limit that was passed, as in `_LIMITS` and `_TIMEOUTS`."""
    cpu_seconds: float
    wall_seconds: float
    how: Literal["warm", "cold"]


@dataclass
class _Events:
    """The run's events sorted by kind."""

    scenarios: list[dict[str, Any]] = field(default_factory=list)
    flags: list[tuple[str, str]] = field(default_factory=list)
    error: dict[str, Any] | None = None
    last_step: str = ""
    begun: bool = False
    loaded: bool = False
    ended: bool = False
    failed: bool = False
    finished: bool = False
    trace: Trace | None = None
    matches: Matches | None = None
    patterns: tuple[tuple[str, int], ...] = ()


def interpret(raw: RawRun, tokens: Tokens, expected: Sequence[ExpectedPickle]) -> RunOutcome:
    """The outcome of a run whose event lines must bear its tokens."""
    events = _read(raw.events, tokens)
    status, reason, assertion = _decide(raw, events, expected)
    return RunOutcome(
        status=status,
        reason=_one_line(reason),
        assertion=assertion,
        pickles=tuple(_pickle(scenario) for scenario in events.scenarios),
        flags=tuple(events.flags),
        trace=events.trace,
        matches=events.matches,
        patterns=events.patterns,
        cpu_seconds=raw.cpu_seconds,
        wall_seconds=raw.wall_seconds,
        output=raw.output,
        how=raw.how,
    )


_OBSERVED = frozenset({"begun", "loaded", "step", "flag"})
"""What the run's observer may say; all else needs the seal."""
_FORGED = ("forged-report", "a line was written to the judge's own channel")


def _read(text: str, tokens: Tokens) -> _Events:
    """The run's events up to the first that the judge's own side cannot have written."""
    events = _Events()
    for line in text.splitlines():
        given, _, body = line.partition(" ")
        if given not in tokens or events.finished:
            events.flags.append(_FORGED)
            break
        try:
            kind, data = _loaded(body)
        except ValueError:
            # The process was killed in the middle of a line.
            break
        except RecursionError:
            events.flags.append(_FORGED)
            break
        if given != tokens.seal and kind not in _OBSERVED:
            events.flags.append(_FORGED)
            break
        try:
            _note(events, kind, data)
        except (KeyError, TypeError, ValueError, AttributeError):
            # The prediction put other things than behave's own into the model.
            events.flags.append(_FORGED)
            break
    return events


def _loaded(body: str) -> Any:  # noqa: ANN401 - any JSON value
    """The line's JSON; halves of characters, which no file takes, become question marks."""
    value = json.loads(body)
    if "\\ud" in body:
        value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    return value


def _note(events: _Events, kind: str, data: dict[str, Any]) -> None:
    """Take one event in; raises `TypeError`, `ValueError` or `KeyError` for what is not as the child writes it."""
    match kind:
        case "flag":
            events.flags.append((_text(data["rule"]), _text(data["detail"])))
        case "begun":
            events.begun = True
        case "loaded":
            events.loaded = True
        case "step":
            events.last_step = f"line {data['line']}: {data['text']}"
        case "error":
            types = [_text(name) for name in data["types"]]
            words = {word: _text(data[word]) for word in ("stage", "type", "message", "place")}
            events.error = {**words, "types": types}
        case "report":
            events.scenarios = [_scenario(found) for found in data["scenarios"]]
        case "matches":
            events.matches = Matches(
                files={int(line): tuple(found) for line, found in data["files"].items()},
                definitions=tuple(data["definitions"]),
                modules=tuple(data["modules"]),
            )
        case "end":
            events.ended, events.failed = True, bool(data["failed"])
        case "patterns":
            events.patterns = tuple((_text(pattern), _number(flags)) for pattern, flags in data["patterns"])
        case "trace":
            events.trace = Trace(
                lines=_line_sets(data["lines"]),
                step_lines=_line_sets(data["step_lines"]),
                checked_lines=_line_sets(data["checked_lines"]),
                calls=tuple(Call(_text(path), _number(line), _text(name)) for path, line, name in data["calls"]),
            )
        case "bye":
            said = [(_text(rule), _text(detail)) for rule, detail in data["flags"]]
            events.flags += [flag for flag in said if flag not in events.flags]
            events.finished = True


def _scenario(data: dict[str, Any]) -> dict[str, Any]:
    """One Scenario of the report with every value of the kind that behave's model has there."""
    return {
        "line": _number(data["line"]),
        "name": _text(data["name"]),
        "status": _text(data["status"]),
        "hook_failed": bool(data["hook_failed"]),
        "message": _text(data["message"]),
        "steps": [_step(step) for step in data["steps"]],
    }


def _step(data: dict[str, Any]) -> dict[str, Any]:
    error = data["error"]
    if error is not None:
        name, assertion = error
        error = _text(name), bool(assertion)
    words = {word: _text(data[word]) for word in ("keyword", "type", "text", "status", "message")}
    return {**words, "line": _number(data["line"]), "error": error}


def _text(value: Any) -> str:  # noqa: ANN401 - any JSON value
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _number(value: Any) -> int:  # noqa: ANN401 - any JSON value
    if not isinstance(value, int):
        raise TypeError(value)
    return value


def _decide(raw: RawRun, events: _Events, expected: Sequence[ExpectedPickle]) -> tuple[RunStatus, str, bool]:
    where = f" at {events.last_step}" if events.last_step else ""
    if raw.ending.startswith("infra"):
        return "infra", raw.ending, False
    if raw.ending in _TIMEOUTS:
        return "timeout", f"{raw.ending}: {_TIMEOUTS[raw.ending]}{where}", False
    if raw.ending in _LIMITS:
        return "failed", _LIMITS[raw.ending] + where, False
    if not events.begun:
        return "infra", f"the run did not begin ({raw.ending}): {raw.output[-300:]}", False
    if events.error is not None:
        return _decide_error(events.error, where)
    if not (events.ended and events.finished):
        status: RunStatus = "failed" if events.loaded else "invalid"
        return status, f"ended-early: the test's process ended before behave did ({raw.ending}){where}", False
    for scenario in events.scenarios:
        finding = _first_trouble(scenario)
        if finding is not None:
            return finding
    missing = _difference(events.scenarios, expected)
    if missing is not None:
        return "failed", missing, False
    if events.failed:
        return "failed", "behave reports a failure outside the steps (a hook or a clean-up)", False
    return "passed", "", False


def _decide_error(error: dict[str, Any], where: str) -> tuple[RunStatus, str, bool]:
    text = f"{error['type']}: {error['message']} ({error['place']})"
    if error["stage"] == "run":
        return "failed", f"{text}{where}", "AssertionError" in error["types"]
    if error["type"] == "AmbiguousStep":
        return "invalid", f"ambiguous-step: {text}", False
    if error["stage"] in {"steps", "hooks"}:
        return "invalid", f"does-not-load: {text}", False
    return "invalid", f"{error['stage']}: {text}", False


def _first_trouble(scenario: dict[str, Any]) -> tuple[RunStatus, str, bool] | None:
    """The first step of the pickle that did not pass, else its hooks' failure."""
    for step in scenario["steps"]:
        if step["status"] == "passed":
            continue
        place = f"line {step['line']}: {step['keyword']} {step['text']}"
        if scenario["hook_failed"] and step["status"] in _UNDEFINED - {"undefined"}:
            break
        if step["status"] in _UNDEFINED:
            return "undefined", f"{step['status']} step at {place}", False
        name, assertion = step["error"] or ("", False)
        return "failed", f"{name or step['status']}: {step['message']} at {place}", assertion
    if scenario["hook_failed"] or scenario["status"] != "passed":
        text = scenario["message"] or scenario["status"]
        return "failed", f"hook or clean-up of the Scenario at line {scenario['line']}: {text}", False
    return None


def _difference(scenarios: Sequence[dict[str, Any]], expected: Sequence[ExpectedPickle]) -> str | None:
    """How the pickles that ran differ from those expected, or None."""
    ran = [(s["line"], [(step["line"], step["text"]) for step in s["steps"]]) for s in scenarios]
    wanted = [(p.line, [(step.line, step.text) for step in p.steps]) for p in expected]
    if ran == wanted:
        return None
    lines = {line for line, _ in wanted} ^ {line for line, _ in ran}
    if lines:
        return f"{len(ran)} pickles ran where {len(wanted)} were expected (lines {sorted(lines)[:5]})"
    return "the steps that ran are not the Requirement's"


def _pickle(scenario: dict[str, Any]) -> PickleResult:
    return PickleResult(line=scenario["line"], name=scenario["name"], steps=tuple(_steps(scenario["steps"])))


def _steps(steps: Sequence[dict[str, Any]]) -> Iterator[StepResult]:
    for step in steps:
        yield StepResult(
            line=step["line"],
            keyword=step["keyword"],
            text=step["text"],
            status=step["status"],
            message=_masked(step["message"]),
        )


def _line_sets(lines: dict[str, list[int]]) -> dict[str, frozenset[int]]:
    return {path: frozenset(map(_number, found)) for path, found in lines.items()}


def _one_line(text: str) -> str:
    return _masked(" ".join(text.split()))[:500]


def _masked(text: str) -> str:
    """Without memory addresses, which are others in every run: the same inputs give the same results."""
    return _ADDRESS.sub("0x…", text)


def with_infra(reason: str) -> RunOutcome:
    """The outcome of a run that our side could not carry out."""
    return RunOutcome(status="infra", reason=reason)
