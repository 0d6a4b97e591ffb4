from __future__ import annotations

import pytest

from testmark.runtimes.maven.selection import misses_parameterized, selections


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("2.5", ["a/B"]),
        ("2.7.2", ["a/B"]),
        ("2.9", ["a.B#x", "a.B#y"]),
        ("2.12", ["a.B#x", "a.B#y"]),
        ("2.12.4", ["a.B#x+x[*]+y+y[*]"]),
        ("2.18.1", ["a.B#x+x[*]+y+y[*]"]),
        ("2.19", ["a/B#x+x[*]+y+y[*]"]),
        ("2.22.2", ["a/B#x+x[*]+y+y[*]"]),
        ("3.0.0-M7", ["a/B#x+x[*]+y+y[*]"]),
    ],
)
def test_each_surefire_is_asked_as_it_reads(version: str, expected: list[str]) -> None:
    assert [one.test for one in selections(version, "a.B", ("x", "y"))] == expected


@pytest.mark.parametrize("version", ["2.5", "2.9", "2.22.2"])
def test_every_method_is_asked_for_once(version: str) -> None:
    asked = [method for one in selections(version, "a.B$C", ("x", "y", "z")) for method in one.methods]
    assert asked == ["x", "y", "z"]


def test_a_nested_class_keeps_its_binary_name() -> None:
    assert selections("3.2.5", "a.B$C", ("x",))[0].test == "a/B$C#x+x[*]"


def test_old_surefires_are_known_to_miss_parameterized_methods() -> None:
    assert [misses_parameterized(version) for version in ("2.12.4", "2.18.1", "2.19", "3.5.0")] == [
        True, True, False, False,
    ]  # fmt: skip
