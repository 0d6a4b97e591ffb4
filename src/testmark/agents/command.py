"""Any command line as an agent: run confined in the prepared workspace, what it wrote becomes the prediction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from testmark.agents.base import AgentOutcome, AgentTaskView, Outcome
from testmark.errors import InfraError
from testmark.records.base import FileText
from testmark.sandbox import process
from testmark.sandbox.confinement import Confinement, Limits, Mount, Sandbox
from testmark.sandbox.scratch import regular_files, scratch_folder

WORKSPACE = "/workspace"
_OUTPUT_BYTES = 16 << 20
# More than the submission policy takes, so that the judge still refuses by its rule what is cut off here, and less than
# a line of a predictions file may hold.
_FILE_BYTES = 2 << 20
_ALL_BYTES = 10 << 20
_MOST_FILES = 1000
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
            before = _contents(workspace, task.test_roots)
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
            files, left_out = _changes(workspace, task.test_roots, before)
        outcome, detail = _judge(completed)
        detail = "; ".join(filter(None, [detail, *left_out]))
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


def _test_files(workspace: Path, roots: tuple[str, ...]) -> Iterator[Path]:
    """Regular files below the test roots; links, caches and byte code are none of a prediction's."""
    for root in roots:
        # A link in the place of a test root, or of a folder above it, would lead out of the workspace.
        top = workspace / root
        if top.resolve() != workspace.resolve() / root.strip("/"):
            continue
        for place in regular_files(top, skip=_JUNK):
            if not place.name.endswith((".pyc", ".pyo")):
                yield place


def _contents(workspace: Path, roots: tuple[str, ...]) -> dict[str, bytes]:
    """The test files of a workspace as it was prepared, by path."""
    return {place.relative_to(workspace).as_posix(): place.read_bytes() for place in _test_files(workspace, roots)}


def _changes(
    workspace: Path, roots: tuple[str, ...], before: Mapping[str, bytes]
) -> tuple[tuple[FileText, ...], list[str]]:
    """New and changed files, and a sentence for each kind that is left out."""
    files: list[FileText] = []
    no_text: list[str] = []
    large: list[str] = []
    room, cut = _ALL_BYTES, False
    for place in _test_files(workspace, roots):
        path = place.relative_to(workspace).as_posix()
        size = place.stat().st_size
        if size > _FILE_BYTES:
            large.append(path)
            continue
        try:
            data = place.read_bytes()
            if before.get(path) == data:
                continue
            text = FileText(path=path, content=data.decode("utf-8"))
        except (UnicodeError, PermissionError, ValidationError):
            no_text.append(repr(path))
            continue
        if size > room or len(files) == _MOST_FILES:
            cut = True
            break
        room -= size
        files.append(text)
    told = [
        f"not text and left out: {', '.join(no_text[:5])}" if no_text else "",
        f"larger than {_FILE_BYTES >> 20} MiB and left out: {', '.join(large[:5])}" if large else "",
        f"more than {_MOST_FILES} files or {_ALL_BYTES >> 20} MiB below the test roots, the rest is left out"
        if cut
        else "",
    ]
    return tuple(files), [sentence for sentence in told if sentence]
