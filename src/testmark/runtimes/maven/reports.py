"""Surefire's XML reports: which test methods ran, and how each ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from testmark.runtimes.maven.protocol import CaseResult, CaseStatus

_ASSERTIONS = (
    "AssertionError",
    "AssertionFailedError",
    "ComparisonFailure",
    "MultipleFailuresError",
    "MultipleFailureException",
)
_STATES: tuple[tuple[str, CaseStatus], ...] = (("error", "error"), ("failure", "failed"), ("skipped", "skipped"))
_MESSAGE = 2000


@dataclass(frozen=True)
class Reports:
    """All cases that the reports of one session name, and the files that cannot be read."""

    cases: tuple[CaseResult, ...]
    broken: tuple[str, ...]


def read_reports(folder: Path, *, testng: bool = False) -> Reports:
    """Every `TEST-*.xml` of a folder that was empty before the session.

    With `testng` the name of what was thrown tells whether it is an assertion: of TestNG's tests Surefire calls every
    throwable a failure, of JUnit's only assertions.
    """
    cases: list[CaseResult] = []
    broken: list[str] = []
    for path in sorted(folder.glob("TEST-*.xml")):
        try:
            root = ET.parse(path).getroot()  # noqa: S314 - expat limits entity expansion itself
        except (ET.ParseError, OSError) as error:
            broken.append(f"{path.name}: {error}")
            continue
        cases += [_case(element, testng=testng) for element in root.iter("testcase")]
    return Reports(tuple(cases), tuple(broken))


def bare_method(name: str) -> str:
    """The method's name in what Surefire calls a case: `sum(int)[2]`, `sum{int}[1]`, `sum[0]`, `sum()` are `sum`."""
    ends = [at for at in (name.find(mark) for mark in "([{") if at > 0]
    return name[: min(ends)].rstrip() if ends else name


def of_methods(cases: Sequence[CaseResult], test_class: str, methods: Sequence[str]) -> tuple[CaseResult, ...]:
    """The cases that are runs of these methods of this class, under the names that were asked for."""
    return tuple(_asked(cases, test_class, frozenset(methods)))


def class_failures(cases: Sequence[CaseResult], test_class: str) -> tuple[CaseResult, ...]:
    """Failures that belong to no method: of a `@BeforeClass`, a constructor, a runner."""
    short = test_class.rpartition(".")[2]
    names = {"", test_class, short, "initializationError", "null", "executionError"}
    return tuple(
        case
        for case in cases
        if case.status in {"failed", "error"}
        and (case.test_class in {test_class, short} or case.test_class == "")
        and case.method in names
    )


def _asked(cases: Sequence[CaseResult], test_class: str, methods: frozenset[str]) -> Iterator[CaseResult]:
    for case in cases:
        if case.test_class == test_class and (case.method in methods or case.display in methods):
            yield case


def _case(element: ET.Element, *, testng: bool) -> CaseResult:
    name, seconds = element.get("name", ""), _seconds(element.get("time", ""))
    for tag, status in _STATES:
        found = element.find(tag)
        if found is not None:
            kind = found.get("type", "")
            return CaseResult(
                test_class=element.get("classname", ""),
                method=bare_method(name),
                display=name,
                status=status,
                exception=kind,
                message=(found.get("message") or (found.text or "").strip().partition("\n")[0])[:_MESSAGE],
                assertion=(tag == "failure" and not testng) or (tag != "skipped" and kind.endswith(_ASSERTIONS)),
                seconds=seconds,
            )
    return CaseResult(element.get("classname", ""), bare_method(name), name, "passed", seconds=seconds)


def _seconds(text: str) -> float:
    """Surefire's `time`: with commas between thousands, and not there in some versions for what was skipped."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return 0.0
