"""The cold runner: one fresh confined process a run, an ordinary copy of the project, ordinary imports."""

from __future__ import annotations

import json
import shutil

from testmark.errors import InfraError, system_sentence
from testmark.runtimes.behave.events import RawRun, interpret, with_infra
from testmark.runtimes.behave.jobs import (
    CHILD,
    ENVIRONMENT,
    PROJECT,
    TOOLS,
    environment,
    job_message,
    mounts,
    new_tokens,
)
from testmark.runtimes.protocol import RunOutcome, RunRequest, RuntimeProject
from testmark.sandbox import process
from testmark.sandbox.confinement import Confinement, Limits, Sandbox
from testmark.sandbox.scratch import scratch_folder


def run_cold(project: RuntimeProject, sandbox: Sandbox, request: RunRequest) -> RunOutcome:
    """One run; what goes wrong on our side is an outcome of status `infra`."""
    tokens = new_tokens()
    message = job_message(project, request, tokens)
    with scratch_folder("testmark-") as folder:
        workspace = folder / "project"
        try:
            shutil.copytree(project.base, workspace, symlinks=True)
        except OSError as error:
            return with_infra(system_sentence(error))
        confinement = Confinement(
            argv=(f"{ENVIRONMENT}/bin/python", "-B", f"{CHILD}/cold.py", *TOOLS),
            cwd=PROJECT,
            env={**environment(), **project.environment},
            mounts=mounts(project, workspace, writable=True),
            root=project.root,
            tmpfs_mib=project.limits.disk_mib,
        )
        limits = Limits(
            cpu_seconds=request.time.cpu_seconds,
            wall_seconds=request.time.wall_seconds,
            idle_seconds=request.time.idle_seconds,
            memory_mib=project.limits.memory_mib,
            processes=project.limits.processes,
            file_mib=project.limits.disk_mib,
            output_bytes=message["limits"]["event_bytes"],
            disk_mib=project.limits.disk_mib,
        )
        try:
            completed = process.run(sandbox, confinement, limits, stdin=json.dumps(message).encode())
        except InfraError as error:
            return with_infra(str(error))
    ending = completed.stopped or _ending(completed.exit_code, completed.signal)
    raw = RawRun(
        events=completed.stdout.decode("utf-8", "replace"),
        output=completed.stderr.decode("utf-8", "replace"),
        ending=ending,
        cpu_seconds=completed.cpu_seconds,
        wall_seconds=completed.wall_seconds,
        how="cold",
    )
    return interpret(raw, tokens, request.pickles)


def _ending(exit_code: int | None, signal: int | None) -> str:
    return f"signal {signal}" if signal is not None else f"exit {exit_code}"
