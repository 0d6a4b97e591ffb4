"""The warm worker: behave and the project's dependencies loaded once, then one forked child a run.

Reads request frames on descriptor 0 and answers each with one frame on the descriptor that was 1. It never loads a
prediction or a mutant itself; the child that does lives in namespaces of its own and dies with all it started.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import random
import re
import select
import sys
import threading
import time
import types
import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

import features
import framing
import job
import namespaces
import session
import warden
import workspace
from compiled import Compiled
from importer import CodeByPath, compile_tree, install
from integrity import Integrity
from resident import Resident

_PROJECT = "/project"
_SCRATCH = "/testmark"
_OUTPUT_KEPT = 65536
_PATTERNS_KEPT = 300
_BEHAVE_MODULES = (
    "behave.__main__",
    "behave.api.async_step",
    "behave.contrib.scenario_autoretry",
    "behave.cucumber_expression",
    "behave.fixture",
    "behave.log_capture",
    "behave.reporter.junit",
    "behave.reporter.summary",
    "behave.formatter.base",
    "behave.formatter._builtins",
    "behave.tag_expression",
)


def main() -> None:
    """Serve requests until the judge closes descriptor 0."""
    namespaces.die_with_parent()
    namespaces.set_dumpable(False)
    reply_fd = os.dup(1)
    os.dup2(2, 1)
    settings = framing.read_frame(0)
    state = Warm(
        compile_tree(_PROJECT, settings["compile"]),
        Compiled(_PROJECT),
        frozenset(settings["project_files"]),
        Resident(),
        None,
        None,
        _own_modules(),
    )
    problems = preload(settings["preload"])
    # behave imports these late; which of them exist differs between its versions.
    preload(_BEHAVE_MODULES)
    state = state._replace(integrity=Integrity(), configuration=_configuration())
    install(_PROJECT, state.codes, frozenset())
    problems += state.resident.load(_PROJECT, settings["import_paths"], settings["production"])
    gc.collect()
    gc.freeze()
    ready = {"problems": problems, "threads": threading.active_count() - 1, "python": sys.version.split()[0]}
    framing.write_frame(reply_fd, ready)
    while True:
        request = framing.read_frame(0)
        if request is None:
            return
        framing.write_frame(reply_fd, _SERVICES[request["kind"]](request, state))


_Swap = tuple[str, str, int, int, "types.CodeType | None"]
"""Path, qualified name, line and move of a changed function, and its changed module's code."""


class Warm(NamedTuple):
    """What the worker has ready before a run begins."""

    codes: CodeByPath
    compiled: Compiled
    files: frozenset[str]
    resident: Resident
    integrity: Integrity | None
    configuration: Any
    own_modules: tuple[str, ...]


def _configuration() -> Any:
    """Behave's configuration for the project, made once; None when its files are wrong, which each run then shows."""
    os.chdir(_PROJECT)
    try:
        return session.make_configuration({"location": "features", "userdata": {}, "stop": False})
    except Exception:
        return None
    finally:
        os.chdir("/")


def preload(names: Iterable[str]) -> list[str]:
    """Import third-party modules that the project's tests are known to import; returns those that do not load."""
    problems = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            try:
                importlib.import_module(name)
            except Exception as error:
                problems.append(f"{name}: {error}")
    return problems


def answer(request: dict[str, Any], state: Warm) -> dict[str, Any]:
    """Run one request in a child and say what came out of its pipes and how it ended."""
    _warm_patterns(request["patterns"])
    request["codes"] = state.compiled.scripts(request)
    swaps = [(*swap, state.compiled.module(swap[0], request["files"][swap[0]])) for swap in request["swaps"]]
    event_read, event_write = os.pipe()
    output_read, output_write = os.pipe()
    status_read, status_write = os.pipe()
    started = time.monotonic()
    owner = os.getuid(), os.getgid()
    pid = namespaces.clone_isolated()
    if pid == 0:
        for fd in (event_read, output_read, status_read):
            os.close(fd)
        _child(request, state, swaps, owner, (event_write, output_write, status_write))
    for fd in (event_write, output_write, status_write):
        os.close(fd)
    collected = _collect(pid, {event_read: "events", output_read: "output", status_read: "status"}, request, started)
    _, _, usage = os.wait4(pid, 0)
    for fd in (event_read, output_read, status_read):
        os.close(fd)
    return {
        "events": collected["events"].decode("utf-8", "replace"),
        "output": collected["output"].decode("utf-8", "replace"),
        "status": collected["status"].decode("utf-8", "replace"),
        "stopped": collected["stopped"],
        "cpu": usage.ru_utime + usage.ru_stime,
        "wall": time.monotonic() - started,
    }


def _warm_patterns(patterns: list[list[Any]]) -> None:
    """Compile the regular expressions that loading these step files will compile; `re` keeps them for the child."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for pattern, flags in patterns[:_PATTERNS_KEPT]:
            with contextlib.suppress(re.error, RecursionError, OverflowError, ValueError, MemoryError):
                re.compile(pattern, flags)


def _collect(pid: int, pipes: dict[int, str], request: dict[str, Any], started: float) -> dict[str, Any]:
    """Read all pipes until the child is gone; kill it when it writes or waits too much."""
    collected: dict[str, Any] = {"events": b"", "output": b"", "status": b"", "stopped": ""}
    limits = request["limits"]
    seen = {"events": 0, "output": 0, "status": 0}
    most = {"events": limits["event_bytes"], "output": limits["output_bytes"], "status": 1 << 16}
    open_fds = dict(pipes)
    deadline = started + limits["wall_seconds"]
    chunks: dict[str, list[bytes]] = {name: [] for name in seen}
    while open_fds:
        remaining = deadline - time.monotonic()
        if remaining <= 0 and not collected["stopped"]:
            collected["stopped"] = "wall"
            os.kill(pid, 9)
        ready, _, _ = select.select(list(open_fds), [], [], max(0.0, min(remaining, 1.0)) if remaining > 0 else 1.0)
        for fd in ready:
            data = os.read(fd, 1 << 16)
            name = open_fds[fd]
            if not data:
                del open_fds[fd]
                continue
            seen[name] += len(data)
            if name != "output" or seen[name] - len(data) < _OUTPUT_KEPT:
                chunks[name].append(data)
            if seen[name] > most[name] and not collected["stopped"]:
                collected["stopped"] = name
                os.kill(pid, 9)
    for name, parts in chunks.items():
        collected[name] = b"".join(parts)
    return collected


def _child(
    request: dict[str, Any], state: Warm, swaps: list[_Swap], owner: tuple[int, int], fds: tuple[int, int, int]
) -> None:
    """Pid 1 of the run's namespaces: lay the workspace, start the test, watch it, say how it ended. Never returns."""
    event_fd, output_fd, status_fd = fds
    try:
        _isolate(request, owner)
        pid = os.fork()
        if pid == 0:
            os.close(status_fd)
            status_fd = 2
            _test(request, state, swaps, event_fd, output_fd)
        os.close(event_fd)
        os.close(output_fd)
        status = warden.watch(pid, request["limits"])
    except BaseException as error:
        status = f"infra {type(error).__name__}: {error}"
    with contextlib.suppress(OSError):
        framing.write_all(status_fd, status.encode("utf-8", "replace"))
    os._exit(0)


def _isolate(request: dict[str, Any], owner: tuple[int, int]) -> None:
    # Only a dumpable process may write its own id maps; the test cannot run yet, so nobody is there to look.
    namespaces.set_dumpable(True)
    namespaces.map_own_ids(*owner)
    namespaces.set_dumpable(False)
    namespaces.private_mounts()
    size = f"size={request['limits']['disk_mib']}m"
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
    workspace.apply_changes(_PROJECT, request)
    # The overlay keeps its layers; nobody needs their names, nor the judge's own files beneath.
    namespaces.detach(_SCRATCH)
    namespaces.mount("tmpfs", _SCRATCH, "tmpfs", namespaces.MS_RDONLY, "size=4k,mode=0755")
    for folder in ("/tmp", "/dev/shm"):
        namespaces.mount("tmpfs", folder, "tmpfs", namespaces.MS_NOSUID | namespaces.MS_NODEV, f"{size},mode=1777")
    namespaces.mount("proc", "/proc", "proc", namespaces.MS_NOSUID | namespaces.MS_NODEV | namespaces.MS_NOEXEC)
    namespaces.cover_kernel_settings()
    namespaces.drop_capabilities()


def _test(request: dict[str, Any], state: Warm, swaps: list[_Swap], event_fd: int, output_fd: int) -> None:
    """The test's own process. Never returns."""
    namespaces.set_dumpable(True)
    os.setsid()
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output_fd, 1)
    os.dup2(output_fd, 2)
    os.dup2(event_fd, 3)
    os.set_inheritable(3, False)
    os.closerange(4, 256)
    limits = request["limits"]
    namespaces.limit_resources(
        memory_bytes=limits["memory_mib"] << 20,
        cpu_seconds=limits["cpu_seconds"],
        processes=limits["processes"],
        file_bytes=limits["disk_mib"] << 20,
    )
    os.chdir(_PROJECT)
    for name, value in request["env"].items():
        os.environ[name] = value
    # What `python -m behave` in a fresh process would have: its folder first, then the import paths.
    sys.path[0:1] = [_PROJECT, *(os.path.join(_PROJECT, path) for path in request["import_paths"])]
    changed = frozenset(os.path.join(_PROJECT, path) for path in request["files"])
    install(_PROJECT, state.codes, changed)
    if request["resident"] and _is_expressed(swaps, state):
        state.resident.offer()
    _reseed()
    _leave_no_trace(state.own_modules)
    exit_code = 1
    try:
        job.run_job(request, 3, state.files, state.integrity, state.configuration, state.resident.known)
        exit_code = 0
    finally:
        # No clean-up of the test's making runs after the judge's last word.
        os._exit(exit_code)


def _is_expressed(swaps: list[_Swap], state: Warm) -> bool:
    """Whether the loaded production code now is what the request's files say; else it is imported anew."""
    return all(
        code is not None and state.resident.exchange(os.path.join(_PROJECT, path), qualname, line, moved, code)
        for path, qualname, line, moved, code in swaps
    )


def _digests(request: dict[str, Any], _state: Warm) -> list[str]:
    """A digest of each source's code; `` for one that does not compile."""
    sys.path.insert(0, sys.argv[1])
    import digest

    del sys.path[0], sys.modules["digest"]
    digests = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path, source in request["sources"]:
            try:
                digests.append(digest.code_digest(source, os.path.join(_PROJECT, path)))
            except (SyntaxError, ValueError):
                digests.append("")
    return digests


def _parse(request: dict[str, Any], _state: Warm) -> dict[str, Any]:
    """What behave's own parser makes of each feature file."""
    return {path: features.pickles(os.path.join(_PROJECT, path)) for path in request["paths"]}


def _own_modules() -> tuple[str, ...]:
    """Names of the judge's loaded modules; looking at all modules in each run would copy their pages of memory."""
    own = os.path.dirname(os.path.abspath(__file__)) + "/"
    return tuple(n for n, m in list(sys.modules.items()) if (getattr(m, "__file__", None) or "").startswith(own))


def _leave_no_trace(own_modules: tuple[str, ...]) -> None:
    """Take the judge's modules out of sight: the project may have modules of the same names."""
    for name in own_modules:
        sys.modules.pop(name, None)
    sys.modules["__main__"] = types.ModuleType("__main__")


def _reseed() -> None:
    """A fresh process starts with fresh random states; a forked one would repeat its parent's."""
    random.seed()
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()


_SERVICES = {"run": answer, "digests": _digests, "parse": _parse}

if __name__ == "__main__":
    main()
