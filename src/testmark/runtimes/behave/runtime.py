"""behave's room as the judge sees it."""

from __future__ import annotations

import sys

from testmark.runtimes.behave.cold import run_cold
from testmark.runtimes.behave.coldworker import ColdWorker
from testmark.runtimes.behave.warm import NamespacesRefusedError, WarmWorker
from testmark.runtimes.protocol import RunOutcome, RunRequest, RuntimeProject
from testmark.sandbox.confinement import Sandbox


class BehaveRuntime:
    """Runs Scenarios of Python projects with behave 1.2.6 and 1.3."""

    name = "behave"

    def __init__(self) -> None:
        self._refused = False

    def worker(self, project: RuntimeProject, sandbox: Sandbox) -> WarmWorker | ColdWorker:
        """A warm worker, or a cold one where the sandbox has no namespaces; raises `InfraError` if it does not start.

        Says once on standard error when a sandbox that should have them refuses.
        """
        if sandbox.name == "none" or self._refused:
            return ColdWorker(project, sandbox)
        try:
            return WarmWorker(project, sandbox)
        except NamespacesRefusedError as error:
            self._refused = True
            sys.stderr.write(
                f"note: {sandbox.name} makes no namespaces for the warm worker ({error}); every run is cold, and slow\n"
            )
            return ColdWorker(project, sandbox)

    def run_cold(self, project: RuntimeProject, sandbox: Sandbox, request: RunRequest) -> RunOutcome:
        """One run in a fresh process."""
        return run_cold(project, sandbox, request)
