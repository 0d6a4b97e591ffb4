"""One way to say what a test confines."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from testmark.sandbox import choose
from testmark.sandbox.confinement import Confinement, Limits, Sandbox
from testmark.sandbox.process import Completed, run

LIMITS = Limits(
    cpu_seconds=30,
    wall_seconds=60.0,
    memory_mib=512,
    processes=64,
    file_mib=64,
    output_bytes=1 << 20,
    disk_mib=32,
    idle_seconds=None,
)
ENV = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}

# At most 1,500 processes, so that a bomb which we fail to stop ends by itself.
BOMB = """python3 -c '
import os, time
def grow(depth):
    for _ in range(3 if depth < 6 else 0):
        if os.fork() == 0:
            grow(depth + 1)
            time.sleep(600)
            os._exit(0)
    time.sleep(600)
grow(0)
'"""

Shell = Callable[..., Completed]


def confinement(script: str, **fields: Any) -> Confinement:
    return Confinement(**{"argv": ("/bin/sh", "-c", script), "cwd": "/", "env": ENV, "mounts": (), **fields})


def shell_in(sandbox: Sandbox) -> Shell:
    """A function that runs a shell script in the sandbox; keywords are fields of the limits or of the confinement."""

    def shell(script: str, *, stdin: bytes | None = None, **fields: Any) -> Completed:
        limits = {name: fields.pop(name) for name in list(fields) if name in vars(LIMITS)}
        return run(sandbox, confinement(script, **fields), replace(LIMITS, **limits), stdin=stdin)

    return shell


@pytest.fixture
def shell() -> Shell:
    """Runs a script under bubblewrap."""
    return shell_in(choose("bubblewrap"))


def processes_with(marker: str) -> list[int]:
    """Processes of the host whose command line holds the marker, this one excepted."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if marker.encode() in line:
                found.append(int(folder.name))
    return found
