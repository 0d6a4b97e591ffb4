"""Scan without building: what a project's features hold and what would be built."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from testmark.engine.cache import default_cache
from testmark.projects.load import LoadedDefinition
from testmark.req2test.runtime import open_project, runtime_of
from testmark.req2test.scanning import ScanReport, scan_project
from testmark.sandbox.confinement import Sandbox


def scan(loaded: LoadedDefinition, sandbox: Sandbox, *, cache: Path | None = None) -> ScanReport:
    """Scan a project's features with the official parser and with the framework's own."""
    project = open_project(loaded, cache or default_cache())
    runtime = runtime_of(loaded.definition.project.framework)
    with closing(runtime.worker(project.runtime_project, sandbox)) as worker:
        return scan_project(project.runtime_project.base, loaded.definition, worker)
