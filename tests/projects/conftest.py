"""Small projects that the tests of this room share."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

MINIMAL = """\
[project]
name = "shelf"
repo_url = "https://example.org/shelf"
commit = "0123456789012345678901234567890123456789"

[source]
path = "."

[runtime]
dependencies = ["behave"]
"""

WriteTree = Callable[[Mapping[str, str]], Path]


@pytest.fixture
def write_tree(tmp_path: Path) -> WriteTree:
    """Write files under a folder `project` and return it."""

    def write(files: Mapping[str, str]) -> Path:
        root = tmp_path / "project"
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        return root

    return write


@pytest.fixture
def shelf(write_tree: WriteTree) -> Path:
    """A project with a definition, one feature and one module."""
    return write_tree(
        {
            "testmark.toml": MINIMAL,
            "src/shelf.py": "def size():\n    return 3\n",
            "features/size.feature": "Feature: Size\n  Scenario: three\n    Then the size is 3\n",
            "features/steps/size.py": (
                "from behave import then\n\nimport shelf\n\n\n"
                "@then('the size is {n:d}')\ndef step(context, n):\n    assert shelf.size() == n\n"
            ),
        }
    )


def git(folder: Path, *arguments: str) -> str:
    """Run git as a person of no name, with no configuration but the repository's."""
    command = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def commit_all(folder: Path) -> str:
    """Make `folder` a repository with one commit of all that is in it; the commit."""
    git(folder, "init", "--quiet")
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message", "all")
    return git(folder, "rev-parse", "HEAD")
