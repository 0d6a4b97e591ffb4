"""The rules of Lite."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from testmark.testevo.identity import project_name
from testmark.testevo.lite import toy_repository


def named(url: str) -> str:
    return toy_repository(
        SimpleNamespace(row=SimpleNamespace(project_name=project_name(url, "main"), git_clone_url=url))
    )


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("https://host/spring-projects/spring-petclinic-demo", "demo"),
        ("https://host/java-tutorials/bus.git", "tutorials"),
        ("git@host:somebody/learning-java.git", "learning"),
        ("/home/me/samples/shop", "samples"),
    ],
)
def test_a_toy_is_told_by_its_name_or_its_owner(url: str, word: str) -> None:
    assert named(url) == f"its name says `{word}`"


@pytest.mark.parametrize(
    "url",
    [
        "https://host/owner/democracy",
        "https://host.example/owner/shop",
        "/home/me/demo/2024/work/shop",
    ],
)
def test_neither_a_host_nor_the_folders_above_a_clone_make_a_toy(url: str) -> None:
    assert named(url) == ""
