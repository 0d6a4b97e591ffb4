"""A tiny behave project and a worker for it, shared by the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from testmark.runtimes.behave import RUNTIME
from testmark.runtimes.protocol import RuntimeProject, Worker
from testmark.sandbox import Sandbox, choose
from tests.support import tiny


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    return choose("auto")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> RuntimeProject:
    return tiny.runtime_project(tiny.write_project(tmp_path_factory.mktemp("behave")))


@pytest.fixture(scope="module")
def worker(project: RuntimeProject, sandbox: Sandbox) -> Iterator[Worker]:
    worker = RUNTIME.worker(project, sandbox)
    yield worker
    worker.close()
