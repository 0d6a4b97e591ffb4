"""A worker without a warm process, for where namespaces cannot be made: each run and question has a fresh one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

from testmark.errors import InfraError
from testmark.records.kit import ExpectedPickle
from testmark.runtimes.behave.cold import run_cold
from testmark.runtimes.behave.jobs import CHILD, ENVIRONMENT, PROJECT, TOOLS, environment, mounts, parsed_features
from testmark.runtimes.protocol import RunOutcome, RunRequest, RuntimeProject
from testmark.sandbox import process
from testmark.sandbox.confinement import Confinement, Limits, Sandbox

_SECONDS = 600
_OUTPUT_BYTES = 64 << 20


class ColdWorker:
    """Slow, and always right."""

    how: Literal["warm", "cold"] = "cold"

    def __init__(self, project: RuntimeProject, sandbox: Sandbox) -> None:
        self._project = project
        self._sandbox = sandbox

    def run(self, request: RunRequest) -> RunOutcome:
        """Run one request in a fresh process."""
        return run_cold(self._project, self._sandbox, request)

    def digests(self, sources: Sequence[tuple[str, str]]) -> list[str]:
        """For each (path, source) a digest of its byte code in the project's interpreter; empty if there is none."""
        reply: list[str] = self._ask({"kind": "digests", "sources": [list(source) for source in sources]})
        return reply

    def parse(self, paths: Sequence[str]) -> dict[str, list[ExpectedPickle] | str]:
        """For each feature file the pickles that behave's parser finds, or its complaint."""
        return parsed_features(self._ask({"kind": "parse", "paths": list(paths)}))

    def close(self) -> None:
        """Nothing is kept."""

    def _ask(self, question: dict[str, Any]) -> Any:  # noqa: ANN401 - any JSON value
        project = self._project
        confinement = Confinement(
            argv=(f"{ENVIRONMENT}/bin/python", "-B", f"{CHILD}/services.py", *TOOLS),
            cwd=PROJECT,
            env=environment(),
            mounts=mounts(project, project.base, writable=False),
            root=project.root,
        )
        limits = Limits(
            cpu_seconds=_SECONDS,
            wall_seconds=2.0 * _SECONDS,
            memory_mib=project.limits.memory_mib,
            processes=project.limits.processes,
            file_mib=1,
            output_bytes=_OUTPUT_BYTES,
            disk_mib=project.limits.disk_mib,
        )
        done = process.run(self._sandbox, confinement, limits, stdin=json.dumps(question).encode())
        if done.exit_code != 0:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or [str(done.stopped)]
            raise InfraError(f"the project's Python cannot answer the judge: {said[0]}")
        return json.loads(done.stdout)
