"""Runs a command so that killing this process, however it is killed, ends all that the command started.

A program of its own, with the standard library only: `python -I -S leash.py [--clean-up WORD]... -- COMMAND...`.
Two processes: the one that the caller knows, and a keeper in a session of its own. The keeper is the reaper of all
orphans below it (prctl(2), PR_SET_CHILD_SUBREAPER) and learns of the first one's death by the end of a pipe. The words
of `--clean-up` are a command that it runs at the end, as for a container that lives elsewhere.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_CANNOT_RUN = 127
_END_SECONDS = 2.0
_MARK = "TESTMARK_STARTED_BY"
"""As `watched` names it."""


def main(words: list[str]) -> int:
    """Run the command; its exit code, 128 + N when signal N ended it."""
    split = words.index("--")
    clean_up, command = words[:split][1::2], words[split + 1 :]
    life_read, life_write = os.pipe()
    report_read, report_write = os.pipe()
    keeper = os.fork()
    if keeper == 0:
        os.close(life_write)
        os.close(report_read)
        os.setsid()
        _keep(command, clean_up, life_read, report_write)
    os.close(life_read)
    os.close(report_write)
    held = [life_write]

    def let_go(_signal: int, _frame: object) -> None:
        while held:
            os.close(held.pop())

    signal.signal(signal.SIGTERM, let_go)
    report = os.read(report_read, 16)
    os.waitpid(keeper, 0)
    return int(report) if report else 128 + signal.SIGKILL


def _keep(command: list[str], clean_up: list[str], life_fd: int, report_fd: int) -> None:
    """The keeper. Never returns."""
    code = 128 + signal.SIGKILL
    # The watchdog asks every leash; the command's own handlers are none of ours after exec.
    signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        code = _run(command, life_fd)
        if clean_up:
            _clean(clean_up)
            if not _childless_soon():
                # The command was still making what we have tried to remove.
                _kill_all()
                _clean(clean_up)
        _kill_all()
    finally:
        os.write(report_fd, str(code).encode())
        os._exit(0)


def _run(command: list[str], life_fd: int) -> int:
    """Until the command has ended, or the first process has."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        try:
            os.execvp(command[0], command)  # noqa: S606 - no shell is wanted
        except OSError as error:
            os.write(2, f"{command[0]}: {error.strerror}\n".encode())
        os._exit(_CANNOT_RUN)
    poller = select.poll()
    poller.register(life_fd, select.POLLIN)
    poller.register(os.pidfd_open(child), select.POLLIN)
    # The keeper's own hold on the streams would keep the reader waiting after a clean end.
    os.closerange(0, 3)
    for _ in range(3):
        os.open(os.devnull, os.O_RDWR)
    if life_fd in [fd for fd, _ in poller.poll()]:
        return 128 + signal.SIGKILL
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _clean(clean_up: list[str]) -> None:
    """Run the command that cleans up, in a way that lets the watchdog's search for marked processes pass it by."""
    null = subprocess.DEVNULL
    environment = {name: value for name, value in os.environ.items() if name != _MARK}
    subprocess.run(clean_up, env=environment, stdin=null, stdout=null, stderr=null, check=False)


def _childless_soon() -> bool:
    """Whether everything that was started ends by itself within the time that an engine's command needs for it."""
    deadline = time.monotonic() + _END_SECONDS
    while time.monotonic() < deadline:
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            return True
        time.sleep(0.01)
    return False


def _kill_all() -> None:
    """Kill children until there are none: orphans of those that die become ours.

    By group where they have one of their own: the kernel then lets no member fork any more, as a fork bomb would.
    """
    while True:
        for word in Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split():
            with contextlib.suppress(ProcessLookupError):
                group = os.getpgid(int(word))
                os.kill(int(word) if group == os.getpgrp() else -group, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
