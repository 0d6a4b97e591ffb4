"""What of a prediction counts."""

from __future__ import annotations

import pytest

from testmark.records.base import FileText
from testmark.testevo.policy import Accepted, Refused, check

PLACE = "src/test/java/a/BTest.java"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("class A { }\0", "not-text: "),
        ("// \ud800", "not-text: "),
    ],
)
def test_what_is_no_text_is_refused(content: str, reason: str) -> None:
    found = check((FileText(path=PLACE, content=content),), PLACE)
    assert isinstance(found, Refused)
    assert found.reason.startswith(reason)


def test_only_the_target_test_file_counts() -> None:
    files = (FileText(path="pom.xml", content="<project/>"), FileText(path=f"./{PLACE}", content="class BTest { }"))
    assert check(files, PLACE) == Accepted("class BTest { }", ("pom.xml",))
