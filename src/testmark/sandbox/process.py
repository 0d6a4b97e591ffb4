"""Runs one confined process to its end, or to the first limit that it passes."""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal

from testmark.errors import InfraError
from testmark.sandbox import stopping, tree, watched
from testmark.sandbox.confinement import Confinement, Limits, Sandbox
from testmark.sandbox.scratch import regular_files

Stopped = Literal["cpu", "wall", "idle", "memory", "processes", "output", "disk"]

_CHUNK = 1 << 16
_LOOK_SECONDS = 0.02
"""How often usage is looked at: a fork bomb makes some hundred processes in that time."""
_SPARE_PROCESSES = 8
_BEYOND_PROCESSES = 1024
"""The sandbox's own are no more than that."""
_WALK_SECONDS = 1.0
"""How often writable mounts are measured, when the disk they lie on has become that much fuller."""
_END_SECONDS = 20.0
_SILENCE_SECONDS = 2.0
_SIGNALLED = 128
_SIGNALS = 64


@dataclass(frozen=True)
class Completed:
    """How a run ended. Either `exit_code` or `signal` is set, neither when we stopped it."""

    exit_code: int | None
    signal: int | None
    """By the convention of shells, exit codes 129 to 192 stand for signals 1 to 64; a program can feign one."""
    stdout: bytes
    stderr: bytes
    truncated: bool
    """Some output was not kept."""
    stopped: Stopped | None
    """The limit that was passed."""
    cpu_seconds: float
    wall_seconds: float

    @property
    def timed_out(self) -> Literal["cpu", "wall", "idle"] | None:
        """The limit of time that was passed."""
        return self.stopped if self.stopped in ("cpu", "wall", "idle") else None


def run(sandbox: Sandbox, confinement: Confinement, limits: Limits, *, stdin: bytes | None = None) -> Completed:
    """Run it; when this returns or raises, no process of it is left.

    `stdin` None is an empty standard input. Raises `InfraError` when the sandbox could not start the program, and
    `InterruptedRunError` when work of this thread is to end.
    """
    stopping.check()
    status_read, status_write = os.pipe()
    limited = Confinement(**{**vars(confinement), "argv": (*_rlimits(limits, sandbox), *confinement.argv)})
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            sandbox.command(limited, status_fd=status_write),
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(status_write,),
            env=watched.marked(sandbox.environment()),
            start_new_session=True,
        )
    except OSError as error:
        os.close(status_read)
        raise InfraError(f"the {sandbox.name} sandbox does not start: {error}") from error
    finally:
        os.close(status_write)
    watch = _Watch(sandbox, process.pid, limits, _Disk.of(confinement, limits), started)
    try:
        streams = _Streams(process, stdin or b"", limits.output_bytes)
        with contextlib.closing(streams):
            code, cpu = _until_gone(process, streams, watch)
        status = _read_all(status_read)
    except BaseException:
        end(sandbox, process)
        raise
    finally:
        os.close(status_read)
    wall = time.monotonic() - started
    stopped = watch.stopped
    if stopped is None and limits.cpu_seconds is not None and cpu > limits.cpu_seconds:
        stopped = "cpu"  # it ended between two looks
    if stopped is None and not sandbox.started(status, code):
        words = streams.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InfraError(f"the {sandbox.name} sandbox could not start the program: {words[-1] if words else code}")
    signal = code - _SIGNALLED if _SIGNALLED < code <= _SIGNALLED + _SIGNALS else -code if code < 0 else None
    return Completed(
        exit_code=code if stopped is None and signal is None else None,
        signal=signal if stopped is None else None,
        stdout=bytes(streams.stdout),
        stderr=bytes(streams.stderr),
        truncated=streams.truncated,
        stopped=stopped,
        cpu_seconds=cpu,
        wall_seconds=wall,
    )


def _rlimits(limits: Limits, sandbox: Sandbox) -> tuple[str, ...]:
    """Limits that the kernel keeps for each process by itself."""
    memory, size = limits.memory_mib << 20, limits.file_mib << 20
    options = [f"--as={memory}", f"--fsize={size}", "--core=0", "--nofile=1024"]
    if sandbox.own_user:
        # Root's are never limited, so looking must do. For others it stands far above: a bomb whose forks fail may end
        # by itself before we look, and nothing then says why.
        options.append(f"--nproc={limits.processes + _BEYOND_PROCESSES}")
    if limits.cpu_seconds is not None:
        # Only in case that we are kept from looking: the sum over all processes is ours to watch.
        options.append(f"--cpu={limits.cpu_seconds + 1}:{limits.cpu_seconds + 2}")
    return ("/usr/bin/prlimit", *options, "--")


def _until_gone(process: subprocess.Popen[bytes], streams: _Streams, watch: _Watch) -> tuple[int, float]:
    """Move bytes and look at usage until the command has exited; its exit code and CPU seconds."""
    with selectors.DefaultSelector() as selector:
        exit_fd = os.pidfd_open(process.pid)
        try:
            selector.register(exit_fd, selectors.EVENT_READ)
            streams.register(selector)
            next_look = time.monotonic()
            while True:
                ready = {key.fd for key, _ in selector.select(max(0.0, next_look - time.monotonic()))}
                streams.move(selector, ready)
                if exit_fd in ready:
                    break
                if streams.overflowed:
                    watch.stop("output")
                if time.monotonic() >= next_look:
                    stopping.check()
                    watch.look()
                    next_look = time.monotonic() + _LOOK_SECONDS
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            selector.unregister(exit_fd)
            _until_silent(selector, streams)
        finally:
            os.close(exit_fd)
    own = used.ru_utime + used.ru_stime if watch.below_command else 0.0
    return process.returncode, max(own, watch.cpu_seconds)


def _until_silent(selector: selectors.BaseSelector, streams: _Streams) -> None:
    """Read what is left until every writer is gone: a namespace's last processes end after the command itself.

    A process that our killing does not reach, as a daemon under `none`, must not hold us up for ever.
    """
    deadline = time.monotonic() + _SILENCE_SECONDS
    while selector.get_map() and time.monotonic() < deadline:
        streams.move(selector, {key.fd for key, _ in selector.select(_LOOK_SECONDS)})
    streams.drain(selector)


def end(sandbox: Sandbox, process: subprocess.Popen[bytes]) -> None:
    """End a command of the sandbox that is still there with everything in it, and wait until it is gone."""
    deadline = time.monotonic() + _END_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        sandbox.end(process.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK_SECONDS)
    process.kill()
    process.wait()


def _read_all(fd: int) -> bytes:
    os.set_blocking(fd, False)
    parts = []
    with contextlib.suppress(BlockingIOError):
        while part := os.read(fd, _CHUNK):
            parts.append(part)
    return b"".join(parts)


@dataclass
class _Streams:
    """The three standard streams; at most `most` bytes of each are kept, the rest is read and thrown away."""

    process: subprocess.Popen[bytes]
    pending: bytes
    most: int
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    truncated: bool = False
    overflowed: bool = False

    def register(self, selector: selectors.BaseSelector) -> None:
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None  # noqa: S101 - Popen was given pipes
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, selectors.EVENT_READ)
        if self.process.stdin is not None:
            os.set_blocking(self.process.stdin.fileno(), False)
            selector.register(self.process.stdin, selectors.EVENT_WRITE)

    def move(self, selector: selectors.BaseSelector, ready: set[int]) -> None:
        """Take what is there to read and give what can be written."""
        for key in [key for fd, key in selector.get_map().items() if fd in ready]:
            if key.fileobj is self.process.stdin:
                self._give(selector)
            elif key.fileobj is self.process.stdout:
                self._take(selector, self.process.stdout, self.stdout)
            elif key.fileobj is self.process.stderr:
                self._take(selector, self.process.stderr, self.stderr)

    def drain(self, selector: selectors.BaseSelector) -> None:
        """Read what is left in the pipes, without waiting for more."""
        for stream, kept in ((self.process.stdout, self.stdout), (self.process.stderr, self.stderr)):
            while stream in [key.fileobj for key in selector.get_map().values()] and self._take(selector, stream, kept):
                pass

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _take(self, selector: selectors.BaseSelector, stream: IO[bytes] | None, kept: bytearray) -> bool:
        assert stream is not None  # noqa: S101
        try:
            data = os.read(stream.fileno(), _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            selector.unregister(stream)
            return False
        room = self.most - len(kept)
        kept += data[:room]
        if len(data) > room:
            self.truncated = self.overflowed = True
        return True

    def _give(self, selector: selectors.BaseSelector) -> None:
        stream = self.process.stdin
        assert stream is not None  # noqa: S101
        try:
            written = os.write(stream.fileno(), self.pending[:_CHUNK])
        except BlockingIOError:
            return
        except BrokenPipeError:
            self.pending, written = b"", 0
        self.pending = self.pending[written:]
        if not self.pending:
            selector.unregister(stream)
            stream.close()


@dataclass
class _Disk:
    """What writable mounts hold. They are walked only while the disk below them has become fuller by the limit."""

    before: Mapping[Path, int]
    free: Mapping[Path, int]
    most: int
    next_walk: float = 0.0

    @classmethod
    def of(cls, confinement: Confinement, limits: Limits) -> _Disk:
        places = [mount.source for mount in confinement.mounts if mount.writable]
        return cls({p: _size(p) for p in places}, {p: _free(p) for p in places}, limits.disk_mib << 20)

    def over(self) -> bool:
        now = time.monotonic()
        if now < self.next_walk or not any(free - _free(place) > self.most for place, free in self.free.items()):
            return False
        self.next_walk = now + _WALK_SECONDS
        return sum(_size(place) - size for place, size in self.before.items()) > self.most


def _free(place: Path) -> int:
    state = os.statvfs(place)
    return state.f_bfree * state.f_frsize


def _size(place: Path) -> int:
    total = 0
    for path in regular_files(place):
        with contextlib.suppress(OSError):
            total += path.lstat().st_blocks * 512
    return total


@dataclass
class _Watch:
    """Looks at usage, and ends the run when a limit is passed."""

    sandbox: Sandbox
    pid: int
    limits: Limits
    disk: _Disk
    started: float
    stopped: Stopped | None = None
    cpu_seconds: float = 0.0
    below_command: bool = True
    """The confined processes are children of the command, not of a daemon."""
    ended_at: float = 0.0
    moved_at: float = 0.0
    """When CPU time last grew, or some process was not asleep."""

    def stop(self, why: Stopped) -> None:
        """End everything; called again while it goes on, it makes sure."""
        now = time.monotonic()
        if self.stopped is None:
            self.stopped, self.ended_at = why, now
        if now - self.ended_at > _END_SECONDS:
            tree.kill([self.pid])
        else:
            self.sandbox.end(self.pid)

    def look(self) -> None:
        if self.stopped is not None:
            self.stop(self.stopped)
            return
        now = time.monotonic()
        members = self.sandbox.members(self.pid)
        self.below_command = self.pid in members
        used = tree.usage(members, most=2 * self.limits.processes + 64)
        if used.cpu_seconds > self.cpu_seconds or not used.asleep or not self.moved_at:
            self.moved_at = now
        self.cpu_seconds = max(self.cpu_seconds, used.cpu_seconds)
        why = self._passed(used, now)
        if why is not None:
            self.stop(why)

    def _passed(self, used: tree.Usage, now: float) -> Stopped | None:
        limits = self.limits
        if limits.cpu_seconds is not None and used.cpu_seconds > limits.cpu_seconds:
            return "cpu"
        if used.tasks > limits.processes + _SPARE_PROCESSES:
            return "processes"
        if used.rss_bytes > limits.memory_mib << 20:
            shared = tree.proportional_bytes(used.pids)
            if shared is None or shared > limits.memory_mib << 20:
                return "memory"
        if self.disk.over():
            return "disk"
        if now - self.started > limits.wall_seconds:
            return "wall"
        if limits.idle_seconds is not None and now - self.moved_at > limits.idle_seconds:
            return "idle"
        return None
