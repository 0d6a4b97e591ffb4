"""Tests whose outcome on a mutant is not the same tomorrow: they execute code that reads the clock or draws at random.

Such a test may well pass on the real code every time and still kill a mutant now and then only: what it computes is
another value in every run. No number of runs proves that it does not, so its mutants decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from testmark.records.mining import Dependency
from testmark.source.java import read_java
from testmark.source.members import innermost, members, without
from testmark.testevo.changes import is_test_method

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
        lines = source(one.path).split("\n")
        for number in one.covered:
            found = _UNREPEATABLE.search(lines[number - 1]) if number <= len(lines) else None
            if found:
                return f"{one.path}:{number} has `{_shown(found)}`"
    return ""


def _shared(text: str) -> str:
    """A test file without its test methods: fields, methods that prepare, helpers."""
    file, found = read_java(text), members(text)
    tests = [innermost(found, method.line) for method in file.methods if is_test_method(method, file)]
    return without(text, [one for one in tests if one is not None])


def _shown(found: re.Match[str]) -> str:
    return re.sub(r"\s+", " ", found[0]).rstrip("( ")
