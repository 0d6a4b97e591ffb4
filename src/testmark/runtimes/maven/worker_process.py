"""One confined JVM of the worker: frames to it and from it, with a deadline, and its end."""

from __future__ import annotations

import contextlib
import os
import selectors
import struct
import subprocess
import threading
import time
from collections import deque

from testmark.errors import InfraError
from testmark.sandbox import stopping, tree, watched
from testmark.sandbox.confinement import Confinement, Sandbox
from testmark.sandbox.process import end

_LOOK_SECONDS = 0.1
_CHUNK = 1 << 20
_HEADER = struct.Struct(">i")
_MOST_BYTES = 256 << 20
"""No answer is larger; a length beyond it is garbage that something else wrote to the stream."""


class GarbageError(Exception):
    """What came is no frame."""


class JvmProcess:
    """Started at once, and told everything by frames. Not for several threads."""

    def __init__(self, sandbox: Sandbox, confinement: Confinement) -> None:
        stopping.check()
        self._sandbox = sandbox
        self._stderr: deque[bytes] = deque(maxlen=20)
        self._held = bytearray()
        self._pids = 0
        try:
            self._process = subprocess.Popen(
                sandbox.command(confinement),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                env=watched.marked(sandbox.environment()),
            )
        except OSError as error:
            raise InfraError(f"the {sandbox.name} sandbox does not start: {error}") from error
        assert self._process.stdin is not None  # noqa: S101 - Popen was given pipes
        assert self._process.stdout is not None  # noqa: S101
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        threading.Thread(target=self._drain, daemon=True).start()

    @property
    def pid(self) -> int:
        """Of the sandbox's command, on the host."""
        return self._process.pid

    def send(self, frame: bytes, seconds: float) -> None:
        """Raises `OSError` when it is lost and `TimeoutError` when it does not read."""
        view = memoryview(frame)
        deadline = time.monotonic() + seconds
        while view:
            try:
                view = view[os.write(self._in, view[:_CHUNK]) :]
            except BlockingIOError:
                self._wait(self._in, selectors.EVENT_WRITE, deadline)

    def receive(self, deadline: float) -> bytes | None:
        """The next frame's body, None at the end of the stream.

        Raises `TimeoutError` when it does not come before `deadline` (time.monotonic), `GarbageError` for what is none.
        """
        header = self._take(_HEADER.size, deadline)
        if header is None:
            return None
        size = _HEADER.unpack(header)[0]
        if not 0 <= size <= _MOST_BYTES:
            raise GarbageError(f"a frame of {size} bytes")
        return self._take(size, deadline)

    def last_words(self) -> str:
        """The last line on its standard error, in parentheses; empty without one."""
        words = b"".join(self._stderr).decode("utf-8", "replace").strip().splitlines()
        return f" ({words[-1]})" if words else ""

    def children(self) -> int:
        """How many processes there are beside those that it had at its start."""
        return len(tree.descendants(self._sandbox.members(self._process.pid), most=4096)) - self._pids

    def has_children(self) -> bool:
        """Whether processes are in it beside the JVM."""
        return len(tree.descendants(self._sandbox.members(self._process.pid))) > self._pids

    def count_processes(self) -> None:
        """Remember how many processes it has now, before any code of a project ran in it."""
        self._pids = len(tree.descendants(self._sandbox.members(self._process.pid)))

    def close(self) -> None:
        """End it and all that it started."""
        end(self._sandbox, self._process)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _take(self, size: int, deadline: float) -> bytes | None:
        while len(self._held) < size:
            self._wait(self._out, selectors.EVENT_READ, deadline)
            part = os.read(self._out, _CHUNK)
            if not part:
                return None
            self._held += part
        taken = bytes(self._held[:size])
        del self._held[:size]
        return taken

    @staticmethod
    def _wait(fd: int, event: int, deadline: float) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(fd, event)
            while not selector.select(min(_LOOK_SECONDS, max(0.0, deadline - time.monotonic()))):
                stopping.check()
                if time.monotonic() >= deadline:
                    raise TimeoutError

    def _drain(self) -> None:
        assert self._process.stderr is not None  # noqa: S101 - Popen was given a pipe
        with contextlib.suppress(ValueError, OSError):
            for line in self._process.stderr:
                self._stderr.append(line[:500])
