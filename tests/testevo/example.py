"""`examples/java-history` and what mining it must find."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

CELLS = ("old_on_old", "old_on_new", "new_on_old", "new_on_new")
BEFORE_THE_MATRIX = frozenset(
    {
        "flaky", "skipped", "new-test-fails", "no-changed-dependency", "refactored-test", "refactored-dependencies",
        "changed-test-code", "not-utf-8",
    }
)  # fmt: skip
"""Reasons that stand before old tests and old code are run."""
FOLDER = Path(__file__).resolve().parents[2] / "examples" / "java-history"


@cache
def script() -> ModuleType:
    """The script that makes the repository."""
    spec = importlib.util.spec_from_file_location("make_history", FOLDER / "make_history.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def make(folder: Path) -> dict[str, str]:
    """The repository in a folder; hashes by the names of the commits."""
    return script().write_history(script().read_history(), folder)


@cache
def expected() -> dict[str, list[dict[str, Any]]]:
    """EXPECTED.toml: commits and pairs."""
    return tomllib.loads((FOLDER / "EXPECTED.toml").read_text(encoding="utf-8"))


def mined_pairs() -> list[dict[str, Any]]:
    """The pairs whose two revisions are built and compared."""
    return [pair for pair in expected()["pair"] if pair.get("test")]
