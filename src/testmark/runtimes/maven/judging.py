"""What one session of Maven says about the test methods that it was asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from testmark.runtimes.maven.call import Session
from testmark.runtimes.maven.events import Event, of_kind
from testmark.runtimes.maven.failures import failure_of, is_dependency, javac_errors
from testmark.runtimes.maven.protocol import CaseResult, RunStatus
from testmark.runtimes.maven.reports import Reports, class_failures, of_methods
from testmark.runtimes.maven.selection import Selection

_SUREFIRE = "maven-surefire-plugin"
_NOTHING_SELECTED = re.compile(r"No tests found matching|No tests found with|No tests were executed", re.IGNORECASE)
_TEST_FAILURES = re.compile(r"There (?:are|were) (?:\d+ )?(?:some )?test (?:failure|error)s?", re.IGNORECASE)
_FORK_TIMEOUT = re.compile(r"There was a timeout", re.IGNORECASE)


@dataclass(frozen=True)
class Finding:
    """The status of the methods of one session."""

    status: RunStatus
    reason: str
    cases: tuple[CaseResult, ...] = ()


def judge(session: Session, reports: Reports, base: str, test_class: str, selection: Selection) -> Finding:
    """Decide; `base` is the module's folder as seen inside.

    A test passes when Surefire itself is content and its reports name every method with passing cases only. Surefire's
    word is an event of Maven's process, so a forged report alone is worth nothing.
    """
    running = list(_surefire(session, "mojo-started", base))
    ended = _stopped(session, began=bool(running))
    if ended is not None:
        return ended
    broken = _before_tests(session, base)
    if broken is not None:
        return broken
    told = [dict(event.settings()).get("test") for event in _surefire(session, "settings", base)]
    if not running or any(value != selection.test for value in told):
        return Finding("infra", "Surefire did not run in the module with the methods that were asked for")
    failed = _messages(_surefire(session, "mojo-failed", base))
    # Innermost first: the outer ones name the plugin and its goal.
    return _from_reports(reports, test_class, selection.methods, "\n".join(reversed(failed)))


def _from_reports(reports: Reports, test_class: str, methods: Sequence[str], complaint: str) -> Finding:
    cases = of_methods(reports.cases, test_class, methods)
    bad = [case for case in cases if case.status in {"failed", "error"}]
    if bad:
        return Finding("failed", _sentence(bad[0]), cases)
    around = class_failures(reports.cases, test_class)
    if around and not all(_NOTHING_SELECTED.search(case.message) for case in around):
        return Finding("failed", _sentence(around[0]), (*cases, *around))
    if _FORK_TIMEOUT.search(complaint):
        return Finding("timeout", "Surefire's own limit of time was passed", cases)
    others_failed = any(case.status in {"failed", "error"} for case in reports.cases)
    if complaint and not (others_failed and _TEST_FAILURES.search(complaint)):
        if _NOTHING_SELECTED.search(complaint):
            return Finding("not-found", _line(complaint))
        return Finding("failed", f"the tests' JVM did not end well: {_line(complaint)}", cases)
    if reports.broken:
        return Finding("infra", f"a report cannot be read: {reports.broken[0]}")
    missing = [name for name in methods if not any(name in {case.method, case.display} for case in cases)]
    if missing or not cases:
        ran = sorted({f"{case.test_class}#{case.method}" for case in reports.cases})
        return Finding("not-found", f"{', '.join(missing)} did not run; what ran is {', '.join(ran[:3]) or 'nothing'}")
    skipped = [case for case in cases if case.status == "skipped"]
    if skipped:
        return Finding("skipped", f"{skipped[0].display}: {skipped[0].message or 'skipped'}", cases)
    return Finding("passed", "", cases)


def _stopped(session: Session, *, began: bool) -> Finding | None:
    """What the limits or a lost process say; None when Maven came to its end."""
    stopped = session.completed.stopped
    if stopped is None and session.whole:
        return None
    if stopped is None or not began:
        failure = failure_of(session)
        errors = list(of_kind(session.events, "spy-error"))
        said = "; ".join(_messages(errors)) or failure.detail
        return Finding("infra", f"Maven did not come to its end: {said}")
    if session.completed.timed_out is not None:
        return Finding("timeout", stopped)
    return Finding("failed", f"the test passed the limit of {stopped}")


def _before_tests(session: Session, base: str) -> Finding | None:
    """What kept the tests from running at all: code that does not compile, or our own fault."""
    for event in of_kind(session.events, "mojo-failed"):
        if event.text("plugin") == _SUREFIRE and event.text("base") == base and not is_dependency(event):
            continue
        errors = javac_errors(event)
        if errors:
            return Finding("not-compiled", "\n".join(str(error) for error in errors[:20]))
        return Finding("infra", failure_of(session).detail)
    surefire_failed = _surefire(session, "mojo-failed", base)
    for event in of_kind(session.events, "failure"):
        if not surefire_failed or is_dependency(event):
            return Finding("infra", failure_of(session).detail)
    return None


def _surefire(session: Session, kind: str, base: str) -> tuple[Event, ...]:
    return tuple(
        event
        for event in of_kind(session.events, kind)
        if event.text("plugin") == _SUREFIRE and event.text("base") == base
    )


def _messages(events: Sequence[Event]) -> list[str]:
    return [message for event in events for message in event.items("messages") if message != "null"]


def _line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0][:500] if lines else ""


def _sentence(case: CaseResult) -> str:
    return f"{case.display}: {case.exception}: {case.message}".removesuffix(": ")
