"""Cells: the namespaces in which runs live, made one ahead by a process that is small enough to fork fast.

The worker, which has everything loaded, forks a run's test straight into a cell. The cell's first process watches the
test; when it ends, the kernel kills whatever is left in the cell.
"""

from __future__ import annotations

import json
import os
import signal
import socket
from typing import Any

import namespaces
import warden

_PROJECT = "/project"
_SCRATCH = "/testmark"
_READY = b"ready"
_WORD_BYTES = 4096


class Cell:
    """The worker's end of one cell: the first process, its words, and the way by which a test reports to it."""

    def __init__(self, pid: int, words: socket.socket, gate: socket.socket) -> None:
        self.pidfd = os.pidfd_open(pid)
        self.words = words
        self.gate = gate

    def join(self) -> None:
        """From here on this process's children are processes of the cell; those of a cell that is gone cannot start."""
        namespaces.enter(self.pidfd, namespaces.CLONE_NEWPID)

    def fork(self) -> int:
        """Fork the test, after `join`."""
        pid = os.fork()
        if pid:
            # The child alone holds the gate now: if it dies before it is watched, the cell ends.
            self.gate.close()
        return pid

    def enter(self) -> None:
        """For the forked child: see what the cell's processes see, with every capability there."""
        # The process namespace was joined by forking into it.
        namespaces.enter(self.pidfd, namespaces.ISOLATION & ~namespaces.CLONE_NEWPID)

    def be_watched(self, limits: dict[str, Any]) -> None:
        """For the forked child: from here on the limits hold, and the first process is out of reach."""
        self.gate.sendall(json.dumps([os.getpid(), limits]).encode())
        self.gate.recv(1)

    def kill(self) -> None:
        """End the cell and all in it."""
        signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def close(self) -> None:
        """Give the descriptors back."""
        os.close(self.pidfd)
        self.words.close()
        self.gate.close()


class Cells:
    """Makes cells, one ahead."""

    def __init__(self, *, disk_mib: int) -> None:
        self._control, theirs = socket.socketpair()
        if os.fork() == 0:
            self._control.close()
            try:
                _make_cells(theirs, disk_mib)
            finally:
                os._exit(0)
        theirs.close()
        self._order()

    def take(self) -> Cell:
        """A new cell; raises `OSError` when none can be made here."""
        word, fds, _, _ = socket.recv_fds(self._control, 64, 2)
        if not word:
            raise OSError("the process that makes the runs' namespaces ended")
        self._order()
        cell = Cell(int(word), *(socket.socket(fileno=fd) for fd in fds))
        ready = cell.words.recv(_WORD_BYTES)
        if ready != _READY:
            cell.close()
            raise OSError(ready.decode("utf-8", "replace") or "the first process of a run's namespaces died")
        return cell

    def _order(self) -> None:
        self._control.send(b"\n")


def _make_cells(control: socket.socket, disk_mib: int) -> None:
    """The maker's whole life; ends when the worker does."""
    # Nobody waits for the first processes: the kernel forgets them at once.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    owner = os.getuid(), os.getgid()
    while control.recv(1):
        words, said = socket.socketpair()
        gate, inside = socket.socketpair()
        pid = namespaces.clone_isolated()
        if pid == 0:
            for end in (control, words, gate):
                end.close()
            _first_process(said, inside, owner, disk_mib)
        said.close()
        inside.close()
        socket.send_fds(control, [str(pid).encode()], [words.fileno(), gate.fileno()])
        words.close()
        gate.close()


def _first_process(words: socket.socket, gate: socket.socket, owner: tuple[int, int], disk_mib: int) -> None:
    """Pid 1 of a cell: lay the workspace, wait for the test, watch it, say how it ended. Never returns."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _isolate(owner, disk_mib)
        words.sendall(_READY)
        message = gate.recv(_WORD_BYTES)
        if message:
            # Until now the test's process had to look in; from now on nobody may.
            namespaces.set_dumpable(False)
            gate.sendall(b"\n")
            gate.close()
            pid, limits = json.loads(message)
            words.sendall(warden.watch(pid, limits).encode())
    except BaseException as error:
        words.sendall(f"infra {type(error).__name__}: {error}".encode("utf-8", "replace")[:_WORD_BYTES])
    finally:
        os._exit(0)


def _isolate(owner: tuple[int, int], disk_mib: int) -> None:
    # Only a dumpable process may write its own id maps; the test cannot run yet, so nobody is there to look.
    namespaces.set_dumpable(True)
    namespaces.map_own_ids(*owner)
    namespaces.private_mounts()
    namespaces.loopback_up()
    namespaces.read_only_devices()
    size = f"size={disk_mib}m"
    namespaces.mount("tmpfs", _SCRATCH, "tmpfs", namespaces.MS_NOSUID | namespaces.MS_NODEV, f"{size},mode=0700")
    upper, work = f"{_SCRATCH}/upper", f"{_SCRATCH}/work"
    os.mkdir(upper)
    os.mkdir(work)
    namespaces.mount(
        "overlay",
        _PROJECT,
        "overlay",
        namespaces.MS_NOSUID | namespaces.MS_NODEV,
        f"lowerdir={_PROJECT},upperdir={upper},workdir={work},userxattr",
    )
    # The overlay keeps its layers; nobody needs their names, nor the judge's own files beneath.
    namespaces.detach(_SCRATCH)
    namespaces.mount("tmpfs", _SCRATCH, "tmpfs", namespaces.MS_RDONLY, "size=4k,mode=0755")
    for folder in ("/tmp", "/dev/shm"):
        namespaces.mount("tmpfs", folder, "tmpfs", namespaces.MS_NOSUID | namespaces.MS_NODEV, f"{size},mode=1777")
    namespaces.mount("proc", "/proc", "proc", namespaces.MS_NOSUID | namespaces.MS_NODEV | namespaces.MS_NOEXEC)
    namespaces.cover_kernel_settings()
    namespaces.drop_capabilities()
