"""What the warm worker does: behave and the project's dependencies loaded once, then one forked child a run.

It never loads a prediction or a mutant itself; the child that does lives in a cell and dies with all it started.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import random
import re
import select
import signal
import sys
import time
import traceback
import types
import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

import framing
import job
import namespaces
import services
import session
import tools
import warden
import workspace
from cells import Cell, Cells
from compiled import Compiled
from importer import CodeByPath, compile_tree, install
from integrity import Integrity
from resident import Resident

_PROJECT = "/project"
_OUTPUT_KEPT = 65536
_PATTERNS_KEPT = 300
_PATTERN_SECONDS = 0.25
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


def serve(settings: dict[str, Any], reply_fd: int, cells: Cells) -> None:
    """Load what the settings say, then serve requests until the judge closes descriptor 0."""
    try:
        cell = cells.take()
    except OSError as error:
        framing.write_frame(reply_fd, {"refused": str(error)})
        return
    cell.close()
    codes = compile_tree(_PROJECT, settings["compile"])
    problems = preload(settings["preload"])
    # behave imports these late; which of them exist differs between its versions.
    preload(_BEHAVE_MODULES)
    state = Warm(
        cells=cells,
        codes=codes,
        compiled=Compiled(_PROJECT),
        files=frozenset(settings["project_files"]),
        resident=Resident(),
        integrity=Integrity(),
        configuration=_configuration(),
        own_modules=tools.own_modules(),
    )
    install(_PROJECT, codes, frozenset())
    problems += state.resident.load(_PROJECT, settings["import_paths"], settings["production"])
    gc.collect()
    gc.freeze()
    framing.write_frame(reply_fd, {"problems": problems})
    while True:
        request = framing.read_frame(0)
        if request is None:
            return
        kind = request["kind"]
        framing.write_frame(
            reply_fd, answer(request, state) if kind == "run" else services.SERVICES[kind](request, _PROJECT)
        )


_Swap = tuple[str, str, int, int, "types.CodeType | None"]
"""Path, qualified name, line and move of a changed function, and its changed module's code."""


class Warm(NamedTuple):
    """What the worker has ready before a run begins."""

    cells: Cells
    codes: CodeByPath
    compiled: Compiled
    files: frozenset[str]
    resident: Resident
    integrity: Integrity
    configuration: Any
    own_modules: tuple[str, ...]
    """Names of the judge's modules; looking at all modules in each run would copy their pages of memory."""


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
    """Run one request in a cell and say what came out of its pipes and how it ended."""
    _warm_patterns(request["patterns"])
    swaps = [(*swap, state.compiled.module(swap[0], request["files"][swap[0]])) for swap in request["swaps"]]
    started = time.monotonic()
    try:
        cell = state.cells.take()
    except OSError as error:
        return {"events": "", "output": "", "ending": f"infra {error}", "cpu": 0.0, "wall": 0.0}
    cell.join()
    request["codes"] = state.compiled.scripts(request)
    event_read, event_write = os.pipe()
    output_read, output_write = os.pipe()
    pid = cell.fork()
    if pid == 0:
        os.close(event_read)
        os.close(output_read)
        _test(request, state, swaps, cell, event_write, output_write)
    os.close(event_write)
    os.close(output_write)
    pipes = {event_read: "events", output_read: "output", cell.words.fileno(): "status"}
    collected = _collect(cell, pipes, request, started)
    _, status, usage = os.wait4(pid, 0)
    cell.close()
    os.close(event_read)
    os.close(output_read)
    cpu = usage.ru_utime + usage.ru_stime
    said = collected["status"].decode("utf-8", "replace")
    return {
        "events": collected["events"].decode("utf-8", "replace"),
        "output": collected["output"].decode("utf-8", "replace"),
        "ending": collected["stopped"] or _ending(said, status, cpu, request["limits"]["cpu_seconds"]),
        "cpu": cpu,
        "wall": time.monotonic() - started,
    }


def _ending(said: str, status: int, cpu: float, cpu_limit: int) -> str:
    """How the test's process ended: `exit N`, `signal N`, or what the cell's first process stopped it for."""
    if said != warden.ENDED:
        return said or "infra the run's first process died"
    if not os.WIFSIGNALED(status):
        return f"exit {os.WEXITSTATUS(status)}"
    number = os.WTERMSIG(status)
    # The kernel counts towards the limit by ticks, which may run ahead of the CPU time that it reports.
    late = number == signal.SIGKILL and cpu >= cpu_limit / 2
    return "cpu" if number == signal.SIGXCPU or late else f"signal {number}"


class _TooLongError(Exception):
    """Regular expressions take the worker longer than a run may."""


def _warm_patterns(patterns: list[list[Any]]) -> None:
    """Compile the regular expressions that loading these step files will compile; `re` keeps them for the child.

    A prediction chose them, so this may not take longer than a moment.
    """
    if not patterns:
        return

    def too_long(_signal: int, _frame: Any) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGALRM, too_long)
    with contextlib.suppress(_TooLongError):
        signal.setitimer(signal.ITIMER_REAL, _PATTERN_SECONDS)
        try:
            _compile_patterns(patterns[:_PATTERNS_KEPT])
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def _compile_patterns(patterns: list[list[Any]]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for pattern, flags in patterns:
            with contextlib.suppress(re.error, RecursionError, OverflowError, ValueError, MemoryError):
                re.compile(pattern, flags & ~re.DEBUG)


def _collect(cell: Cell, pipes: dict[int, str], request: dict[str, Any], started: float) -> dict[str, Any]:
    """Read all pipes until the cell is gone; kill it when it writes or waits too much."""
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
            cell.kill()
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
                cell.kill()
    for name, parts in chunks.items():
        collected[name] = b"".join(parts)
    return collected


def _test(request: dict[str, Any], state: Warm, swaps: list[_Swap], cell: Cell, event_fd: int, output_fd: int) -> None:
    """The test's own process. Never returns."""
    exit_code = 1
    try:
        cell.enter()
        workspace.apply_changes(_PROJECT, request)
        namespaces.drop_capabilities()
        cell.be_watched(request["limits"])
        _become_the_test(request, state, swaps, event_fd, output_fd)
        exit_code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        # No clean-up of the test's making runs after the judge's last word.
        os._exit(exit_code)


def _become_the_test(request: dict[str, Any], state: Warm, swaps: list[_Swap], event_fd: int, output_fd: int) -> None:
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
    if request["resident"] and _exchange(swaps, state):
        state.resident.offer()
    # The prediction may look at the local variables of this and every function above.
    swaps.clear()
    state.compiled.hide()
    _reseed()
    _leave_no_trace(state.own_modules)
    job.run_job(request, 3, state.files, state.integrity, state.configuration, state.resident.known)


def _exchange(swaps: list[_Swap], state: Warm) -> bool:
    """Make the loaded production code what the request's files say; False if it has to be imported anew."""
    return all(
        code is not None and state.resident.exchange(os.path.join(_PROJECT, path), qualname, line, moved, code)
        for path, qualname, line, moved, code in swaps
    )


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
