"""Tests whose outcome on a mutant is not the same tomorrow: they execute code that reads the clock or draws at random.

Such a test may well pass on the real code every time and still kill a mutant now and then only: what it computes is
another value in every run. No number of runs proves that it does not, so its mutants decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from testmark.records.mining import Dependency
from testmark.source.java import read_java
from testmark.source.members import Member, innermost, members, without

_UNREPEATABLE = re.compile(
    r"\b(?:"
    r"System\s*\.\s*currentTimeMillis\s*\(|"
    r"(?:Instant|LocalDate|LocalTime|LocalDateTime|ZonedDateTime|OffsetDateTime|OffsetTime|Year|YearMonth|MonthDay)"
    r"\s*\.\s*now\s*\(|"
    r"Clock\s*\.\s*(?:system|tick(?:Millis|Seconds|Minutes))\w*\s*\(|"
    r"new\s+(?:java\s*\.\s*util\s*\.\s*)?(?:Date|GregorianCalendar|Random|SplittableRandom|SecureRandom)\s*\(\s*\)|"
    r"Calendar\s*\.\s*getInstance\s*\(|"
    r"SecureRandom\s*\.\s*getInstance\w*\s*\(|"
    r"Math\s*\.\s*random\s*\(|"
    r"ThreadLocalRandom\s*\.\s*current\s*\(|"
    r"UUID\s*\.\s*randomUUID\s*\(|"
    r"RandomStringUtils\s*\.|"
    r"Collections\s*\.\s*shuffle\s*\(\s*[^,()]+(?:\([^()]*\))?\s*\)"
    r")"
)


def unrepeatable(test_text: str, test_code: str, executed: Sequence[Dependency], source: Callable[[str], str]) -> str:
    """What a test executes that is another value in every run, with its place; empty when nothing is seen.

    Looked at are the test method itself, what its file holds besides other test methods, and the production lines that
    it covers. `source` gives the text of a production file by its path.
    """
    found = _UNREPEATABLE.search(test_code) or _UNREPEATABLE.search(_shared(test_text))
    if found:
        return f"its own code has `{_shown(found)}`"
    for one in executed:
        lines = source(one.path).splitlines()
        for number in one.covered:
            found = _UNREPEATABLE.search(lines[number - 1]) if number <= len(lines) else None
            if found:
                return f"{one.path}:{number} has `{_shown(found)}`"
    return ""


def _shared(text: str) -> str:
    """A test file without its test methods: fields, methods that prepare, helpers."""
    tests = {
        (method.line, method.end_line)
        for method in read_java(text).methods
        if any(name.endswith(("Test", "TestFactory", "TestTemplate")) for name in method.annotations)
        or (method.name.startswith("test") and not method.parameters)
    }
    found = members(text)
    return without(text, [one for one in map(_of(found), tests) if one is not None])


def _of(found: Sequence[Member]) -> Callable[[tuple[int, int]], Member | None]:
    def member(span: tuple[int, int]) -> Member | None:
        return next((one for one in found if (one.line, one.end_line) == span), None) or innermost(found, span[0])

    return member


def _shown(found: re.Match[str]) -> str:
    return re.sub(r"\s+", " ", found[0]).rstrip("( ")
