"""behave's room as the judge sees it."""

from __future__ import annotations

from testmark.runtimes.behave.cold import run_cold
from testmark.runtimes.behave.warm import WarmWorker
from testmark.runtimes.protocol import RunOutcome, RunRequest, RuntimeProject
from testmark.sandbox.confinement import Sandbox


class BehaveRuntime:
    """Runs Scenarios of Python projects with behave 1.2.6 and 1.3."""

    name = "behave"

    def worker(self, project: RuntimeProject, sandbox: Sandbox) -> WarmWorker:
        """Start a warm worker for the project; raises `InfraError` when it does not come up."""
        return WarmWorker(project, sandbox)

    def run_cold(self, project: RuntimeProject, sandbox: Sandbox, request: RunRequest) -> RunOutcome:
        """One run in a fresh process."""
        return run_cold(project, sandbox, request)
