"""A git repository made commit by commit for a test."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path


class Repository:
    """Commits have fixed authors and dates, a minute apart from noon on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._count = 0
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        date = f"2024-03-04T12:{self._count:02}:00+0000"
        own = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _person(date).items()}
        command = ["git", "-C", str(self.folder), "-c", "commit.gpgsign=false", *arguments]
        return subprocess.run(
            command, check=True, capture_output=True, text=True, env={**os.environ, **own}
        ).stdout.strip()

    def commit(self, files: Mapping[str, str | bytes | None], message: str = "change") -> str:
        """Write the files (None removes one) and commit them; returns the commit's name."""
        for path, content in files.items():
            place = self.folder / path
            if content is None:
                place.unlink()
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        self._count += 1
        return self.git("rev-parse", "HEAD")


def _person(date: str) -> dict[str, str]:
    return {"NAME": "A", "EMAIL": "a@example.org", "DATE": date}
