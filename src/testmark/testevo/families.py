"""The test frameworks a test file uses: whether Surefire runs a test at all depends on what it is written for."""

from __future__ import annotations

import re
from collections.abc import Iterable

from testmark.records.builds import TestFramework

_IN_TEXT: dict[TestFramework, re.Pattern[str]] = {
    "platform": re.compile(r"\borg\.junit\.(?:jupiter|platform|vintage)\."),
    "junit4": re.compile(r"\borg\.junit\.(?!(?:jupiter|platform|vintage)\.)"),
    "testng": re.compile(r"\borg\.testng\."),
    "junit3": re.compile(r"(?<![\w.])junit\.framework\."),
}
_IN_CLASSES: dict[TestFramework, re.Pattern[bytes]] = {
    "platform": re.compile(rb"org/junit/(?:jupiter|platform|vintage)/"),
    "junit4": re.compile(rb"org/junit/(?!(?:jupiter|platform|vintage)/)"),
    "testng": re.compile(rb"org/testng/"),
    "junit3": re.compile(rb"(?<!/)junit/framework/"),
}


def families(text: str) -> tuple[TestFramework, ...]:
    """Those whose packages a source names, the one that most likely finds its tests first."""
    return tuple(name for name, pattern in _IN_TEXT.items() if pattern.search(text))


def families_of_classes(classes: Iterable[bytes]) -> frozenset[TestFramework]:
    """Those whose packages compiled classes name; a source may write a name in many ways, a class file in one."""
    found = list(classes)
    return frozenset(name for name, pattern in _IN_CLASSES.items() if any(pattern.search(one) for one in found))
