"""What must be shown of the host so that one of its Python interpreters starts in a sandbox."""

from __future__ import annotations

import json
import subprocess
from functools import lru_cache
from pathlib import Path

from testmark.errors import ToolMissingError
from testmark.sandbox.confinement import Mount
from testmark.sandbox.system import entries

# The shared libraries are read from the memory map: a libpython outside the prefix is found, whatever named it.
_PROBE = """
import json, os, sys, sysconfig
found = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
found += [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
executable = os.path.abspath(sys.executable)
while True:
    found.append(os.path.dirname(executable))
    if not os.path.islink(executable):
        break
    executable = os.path.join(os.path.dirname(executable), os.readlink(executable))
with open("/proc/self/maps") as maps:
    libraries = {line.split(None, 5)[5].strip() for line in maps if line.count("/") > 1 and ".so" in line}
print(json.dumps([sorted({os.path.abspath(path) for path in found}), sorted(libraries)]))
"""


def interpreter_mounts(python: Path) -> tuple[Mount, ...]:
    """Read-only mounts, under the same paths, of all that `python` needs and that the system folders do not hold.

    For the interpreter of a virtual environment that is the environment too. Raises `ToolMissingError` when it does not
    start.
    """
    return _mounts(python)


@lru_cache(maxsize=64)
def _mounts(python: Path) -> tuple[Mount, ...]:
    try:
        done = subprocess.run(
            [str(python), "-I", "-c", _PROBE], capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=True
        )
        folders, libraries = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise ToolMissingError(
            f"{python} is no Python that starts; give the path of an interpreter of 3.9 or newer"
        ) from error
    system = [Path(entry.target) for entry in entries(None, network=False)]
    wanted: list[Path] = []
    for path in (*sorted(map(Path, folders), key=lambda folder: len(folder.parts)), *map(Path, libraries)):
        if not any(path.is_relative_to(place) for place in (*system, *wanted)) and path.exists():
            wanted.append(path)
    return tuple(Mount(path, str(path)) for path in wanted)
