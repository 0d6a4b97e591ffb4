"""One JVM worker for each library of tests, on the newest JDK that is at hand and not too new for old libraries."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from testmark.runtimes.maven.protocol import Toolchain
from testmark.runtimes.maven.toolchains import find_toolchains
from testmark.sandbox import Sandbox
from tests.support.javas import JavaProject, java_project


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    found = find_toolchains()
    if not found:
        pytest.skip("no JDK with a Maven is installed")
    return found[0]


@pytest.fixture(scope="module")
def library_of(
    toolchain: Toolchain, sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], JavaProject]]:
    made: dict[str, JavaProject] = {}

    def of(library: str) -> JavaProject:
        if library not in made:
            made[library] = java_project(library, toolchain, sandbox, tmp_path_factory.mktemp(library))
        return made[library]

    yield of
    for project in made.values():
        project.worker.close()
