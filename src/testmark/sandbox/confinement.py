"""How a process is confined, as data: what it runs, what it sees, what it may use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Mount:
    """A file or folder of the host (`source`) shown inside at `target`, an absolute path."""

    source: Path
    target: str
    writable: bool = False


@dataclass(frozen=True)
class Limits:
    """What one confined run may use; all processes of the run together where nothing else is said."""

    cpu_seconds: int | None
    """CPU seconds, user and system."""
    wall_seconds: float
    """Seconds by the clock."""
    memory_mib: int
    """Memory, and the address space of each single process."""
    processes: int
    """Processes and threads."""
    file_mib: int
    """Size of each single file."""
    output_bytes: int
    """Bytes on standard output, and as many on standard error."""
    disk_mib: int
    """What the writable mounts may grow by."""
    idle_seconds: float | None = None
    """Seconds for which every process may sleep without using the CPU; None never calls that a deadlock."""


@dataclass(frozen=True)
class Confinement:
    """One process to be confined."""

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    """The complete environment: nothing is inherited."""
    mounts: tuple[Mount, ...]
    """Shown in this order, so a later one may lie inside an earlier one where its mount point exists."""
    network: bool = False
    nest: bool = False
    """The process is trusted code that makes user, mount, pid and ipc namespaces and mounts a fresh /proc there.

    A sandbox started by root leaves it root for the files under /proc that tell users by number. Whatever it runs in
    those namespaces must find /proc/sys read-only, or kernel.core_pattern is a way out.
    """
    root: Path | None = None
    """A Debian root file system that stands in for the host's."""
    tmpfs_mib: int = 64
    """Size of the private /tmp, and of the private /dev/shm."""


class Sandbox(Protocol):
    """A way to confine processes. Killing the process of `command` ends all that it started, however it dies."""

    @property
    def name(self) -> str:
        """As `--sandbox` spells it."""
        ...

    @property
    def own_user(self) -> bool:
        """The user inside has no processes elsewhere, so the kernel may count them (RLIMIT_NPROC, setrlimit(2))."""
        ...

    def problem(self) -> str | None:
        """Why it cannot be used here, with the line that installs it; None when it can."""
        ...

    def command(self, confinement: Confinement, *, status_fd: int | None = None) -> list[str]:
        """The command line that runs the process confined.

        The confined process gets `confinement.env` whatever the caller's environment is, and the caller's descriptors
        0, 1 and 2. `status_fd`, where a sandbox can use it, tells set-up that failed from a program that failed: see
        `started`.
        """
        ...

    def environment(self) -> dict[str, str]:
        """What of our environment the command itself needs: confined code may read that of its first process."""
        ...

    def started(self, status: bytes, exit_code: int) -> bool:
        """Whether the program was reached, from what came over `status_fd` and the exit code of the command."""
        ...

    def members(self, pid: int) -> Sequence[int]:
        """Host process ids whose descendants, with themselves, are the confined processes; `pid` is the command's."""
        ...

    def end(self, pid: int) -> None:
        """Kill all confined processes; the command itself then exits once they are gone."""
        ...
