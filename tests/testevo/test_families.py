"""Which test framework a test file is written for, as text and as classes."""

from __future__ import annotations

import pytest

from testmark.testevo.families import families, families_of_classes


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("org.junit.jupiter.api.Test", "platform"),
        ("org.junit.platform.suite.api.Suite", "platform"),
        ("org.junit.Test", "junit4"),
        ("org.junit.runner.RunWith", "junit4"),
        ("org.testng.annotations.Test", "testng"),
        ("junit.framework.TestCase", "junit3"),
    ],
)
def test_each_package_tells_its_framework(name: str, found: str) -> None:
    assert families(f"package a;\nimport {name};\n") == (found,)
    compiled = b"\xca\xfe\xba\xbe\x00\x04L" + name.replace(".", "/").encode() + b";\x01"
    assert families_of_classes([b"\xca\xfe", compiled]) == {found}


@pytest.mark.parametrize("text", ["import org.mockito.junit.MockitoJUnit;", "import my.junit.framework.Base;", ""])
def test_other_packages_tell_none(text: str) -> None:
    assert families(text) == ()
    assert families_of_classes([text.replace(".", "/").encode()]) == frozenset()


def test_two_in_one_file_are_both_told() -> None:
    assert families("import org.junit.Test; class A extends junit.framework.TestCase {}") == ("junit4", "junit3")
