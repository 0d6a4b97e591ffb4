"""What both ways of running share: the message a child gets, and how its sandbox is laid out."""

from __future__ import annotations

import secrets
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from testmark.records.kit import ExpectedPickle, ExpectedStep
from testmark.runtimes.protocol import RunRequest, RuntimeProject
from testmark.sandbox.confinement import Mount

PROJECT = "/project"
"""Where every run finds the project; the same in all runs, so the path tells nothing."""
CHILD = "/testmark"
_TOOL_MODULES = (("testmark.mutants", "digest.py"), ("testmark.source", "encoding.py"))
TOOLS = tuple(f"/testmark-tools/{name}" for _, name in _TOOL_MODULES)
"""Single modules of other rooms that run in the project's interpreter too."""
ENVIRONMENT = "/runtime"
_EVENT_BYTES = 64 << 20


class Tokens(NamedTuple):
    """Words that only this run's reports bear."""

    token: str
    """Of what the run's observer reports, which a prediction may find."""
    seal: str
    """Of what decides: the model's report, the trace and the last word."""


def new_tokens() -> Tokens:
    """Two words that nobody can guess."""
    return Tokens(secrets.token_hex(16), secrets.token_hex(16))


def child_folder() -> Path:
    """The folder of the modules that run inside the sandbox."""
    return Path(str(files("testmark.runtimes.behave"))) / "child"


def job_message(project: RuntimeProject, request: RunRequest, tokens: Tokens) -> dict[str, Any]:
    """The request as the child reads it: plain JSON values, nothing that names a mutant."""
    return {
        **tokens._asdict(),
        "location": request.feature_path if request.line is None else f"{request.feature_path}:{request.line}",
        "userdata": dict(request.userdata),
        "load": None if request.load is None else list(request.load),
        "stop": request.stop,
        "matches": request.matches,
        "measure": request.measure,
        "watch_production": request.watch_production,
        "production": list(project.production_roots),
        "import_paths": list(project.import_paths),
        "test_files": list(request.test_files),
        "files": {file.path: file.content for file in request.files},
        "remove": list(request.remove),
        "env": dict(project.environment),
        "resident": request.resident,
        "swaps": [[swap.path, swap.qualname, swap.line, swap.moved] for swap in request.swaps],
        "limits": {
            "cpu_seconds": request.time.cpu_seconds,
            "idle_seconds": request.time.idle_seconds,
            "wall_seconds": request.time.wall_seconds,
            "memory_mib": project.limits.memory_mib,
            "total_memory_mib": project.limits.memory_mib * 2,
            "processes": project.limits.processes,
            "disk_mib": project.limits.disk_mib,
            "output_bytes": project.limits.output_kib << 10,
            "event_bytes": _EVENT_BYTES,
        },
    }


def environment() -> dict[str, str]:
    """The complete environment of a run; pinned so that the same inputs give the same results."""
    return {
        "PATH": f"{ENVIRONMENT}/bin:/usr/local/bin:/usr/bin:/bin",
        "HOME": "/tmp",  # noqa: S108 - inside the sandbox
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "NO_COLOR": "1",
    }


def mounts(project: RuntimeProject, workspace: Path, *, writable: bool) -> tuple[Mount, ...]:
    """The project, the judge's child modules and the interpreter, at fixed places."""
    return (
        *project.interpreter_mounts,
        Mount(project.prefix, ENVIRONMENT),
        Mount(workspace, PROJECT, writable=writable),
        Mount(child_folder(), CHILD),
        *(
            Mount(Path(str(files(room))) / name, target)
            for (room, name), target in zip(_TOOL_MODULES, TOOLS, strict=True)
        ),
    )


def project_files(base: Path, test_roots: tuple[str, ...]) -> list[str]:
    """Python files of the project's own below its test roots: trusted unless a prediction replaces them."""
    found = []
    for root in test_roots:
        top = base / root
        paths = [top] if top.is_file() else sorted(top.rglob("*.py"))
        found += [path.relative_to(base).as_posix() for path in paths if path.suffix == ".py"]
    return found


def parsed_features(found: dict[str, Any]) -> dict[str, list[ExpectedPickle] | str]:
    """The answer of the child's `parse` as the judge's own records."""
    return {path: read if isinstance(read, str) else _pickles(read) for path, read in found.items()}


def _pickles(found: list[Any]) -> list[ExpectedPickle]:
    return [
        ExpectedPickle(line=line, steps=tuple(ExpectedStep(line=at, text=text) for at, text in steps))
        for line, steps in found
    ]
