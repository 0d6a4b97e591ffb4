"""Any command line as an agent: run confined in the prepared workspace, what it wrote becomes the prediction."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from testmark.agents.base import AgentOutcome, AgentTaskView, Outcome
from testmark.errors import InfraError
from testmark.records.base import FileText
from testmark.sandbox import process
from testmark.sandbox.confinement import Confinement, Limits, Mount, Sandbox
from testmark.sandbox.scratch import regular_files, scratch_folder

WORKSPACE = "/workspace"
_OUTPUT_BYTES = 16 << 20
_FILE_BYTES = 16 << 20
_JUNK = ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".git")


@dataclass(frozen=True)
class CommandSettings:
    """How the command is run."""

    command: str
    """For `/bin/sh -c`, in the workspace."""
    sandbox: Sandbox
    timeout: float
    network: bool
    environment: Mapping[str, str]
    mounts: tuple[Mount, ...]
    """The project's interpreter and environment, so that the agent can run the tests."""
    root: Path | None = None
    memory_mib: int = 8192


class CommandAgent:
    """Gives the prompt on standard input and in `TASK.md`."""

    name = "command"

    def __init__(self, settings: CommandSettings) -> None:
        self._settings = settings

    def predict(self, task: AgentTaskView) -> AgentOutcome:
        """Run the command; files new or changed below the test roots are its prediction, after a time-out too."""
        with scratch_folder("testmark-agent-") as folder:
            workspace = folder / "workspace"
            task.write_workspace(workspace)
            before = dict(_test_files(workspace, task.test_roots))
            try:
                completed = process.run(
                    self._settings.sandbox,
                    self._confinement(workspace),
                    self._limits(),
                    stdin=task.prompt.encode("utf-8", "replace"),
                )
            except InfraError as error:
                return AgentOutcome("infra", (), str(error))
            task.log.parent.mkdir(parents=True, exist_ok=True)
            task.log.write_bytes(completed.stdout + b"\n--- standard error ---\n" + completed.stderr)
            files, skipped = _changes(workspace, task.test_roots, before)
        outcome, detail = _judge(completed)
        if skipped:
            detail = "; ".join(filter(None, [detail, f"not text and left out: {', '.join(skipped[:5])}"]))
        return AgentOutcome(outcome, files, detail, completed.exit_code)

    def _confinement(self, workspace: Path) -> Confinement:
        settings = self._settings
        return Confinement(
            argv=("/bin/sh", "-c", settings.command),
            cwd=WORKSPACE,
            env=settings.environment,
            mounts=(*settings.mounts, Mount(workspace, WORKSPACE, writable=True)),
            network=settings.network,
            root=settings.root,
            tmpfs_mib=1024,
        )

    def _limits(self) -> Limits:
        return Limits(
            cpu_seconds=None,
            wall_seconds=self._settings.timeout,
            memory_mib=self._settings.memory_mib,
            processes=1024,
            file_mib=1024,
            output_bytes=_OUTPUT_BYTES,
            disk_mib=4096,
        )


def _judge(completed: process.Completed) -> tuple[Outcome, str]:
    if completed.stopped == "wall":
        return "timeout", f"stopped after {completed.wall_seconds:.0f} s"
    if completed.stopped is not None:
        return "agent_error", f"passed the limit of {completed.stopped}"
    if completed.exit_code:
        words = completed.stderr.decode("utf-8", "replace").strip().splitlines()
        return "agent_error", f"exit code {completed.exit_code}{': ' + words[-1][:200] if words else ''}"
    if completed.signal is not None:
        return "agent_error", f"killed by signal {completed.signal}"
    return "done", ""


def _test_files(workspace: Path, roots: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Regular files below the test roots, by path; links, caches and huge files are none of a prediction's."""
    for root in roots:
        # A link in the place of a test root, or of a folder above it, would lead out of the workspace.
        top = workspace / root
        if top.resolve() != workspace.resolve() / root.strip("/"):
            continue
        for place in regular_files(top, skip=_JUNK):
            if place.name.endswith((".pyc", ".pyo")) or place.stat().st_size > _FILE_BYTES:
                continue
            with contextlib.suppress(PermissionError):
                yield place.relative_to(workspace).as_posix(), place.read_bytes()


def _changes(
    workspace: Path, roots: tuple[str, ...], before: Mapping[str, bytes]
) -> tuple[tuple[FileText, ...], list[str]]:
    files, skipped = [], []
    for path, data in _test_files(workspace, roots):
        if before.get(path) == data:
            continue
        try:
            files.append(FileText(path=path, content=data.decode("utf-8")))
        except UnicodeDecodeError:
            skipped.append(path)
    return tuple(files), skipped
