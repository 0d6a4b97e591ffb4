"""A folder in which every example of the help texts can be run: the shipped example, and somebody's checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from testmark.engine.cache import default_cache

TOP = Path(__file__).resolve().parents[2]
EXAMPLE = TOP / "examples" / "behave-library"
ONLY = "*/isbn.feature:6"

Shell = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder: `examples/behave-library`, and `home/code/shop`, the same without a definition."""
    top = tmp_path_factory.mktemp("place")
    shutil.copytree(EXAMPLE, top / "examples/behave-library")
    shutil.copytree(EXAMPLE, top / "home/code/shop", ignore=shutil.ignore_patterns("testmark.toml"))
    return top


@pytest.fixture(scope="module")
def shell(place: Path) -> Shell:
    """Runs a line as somebody would type it there."""
    scripts = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{scripts}:{os.environ['PATH']}",
        "HOME": str(place / "home"),
        "TESTMARK_CACHE": str(default_cache()),
        "MY_KEY": "x",
    }

    def run(line: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", line], cwd=place, env=environment | variables, capture_output=True, text=True, check=False
        )

    return run
