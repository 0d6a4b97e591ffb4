"""One folder a session, of which every fault gets a copy."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest

from tests.faults.place import write_shared

Shared = Callable[[], Path]


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    """The folder, made when it is first asked for: a test that is skipped needs none."""

    @lru_cache
    def made() -> Path:
        return write_shared(tmp_path_factory.mktemp("shared"))

    return made
