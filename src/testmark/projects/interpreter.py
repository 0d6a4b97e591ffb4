"""Finding the interpreter that a definition asks for."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from testmark.errors import ToolMissingError, UserError

OLDEST = (3, 9)
_VERSION = re.compile(r"3(\.\d+){0,2}")
_PROBE = """
import json, os, sys, sysconfig
base = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
print(json.dumps({
    "python": base, "version": "%d.%d.%d" % sys.version_info[:3], "full": sys.version,
    "tag": sys.implementation.cache_tag, "prefix": sys.base_prefix, "exec_prefix": sys.base_exec_prefix,
    "stdlib": sysconfig.get_path("stdlib"),
}))
"""


@dataclass(frozen=True)
class Interpreter:
    """A Python that is there and starts."""

    python: Path
    """The real file, outside any virtual environment."""
    version: str
    """As in `3.11.7`."""
    identity: str
    """Changes when another build of Python takes its place."""
    folders: tuple[Path, ...]
    """What must be visible for it to start: its prefix and its standard library."""


def find_interpreter(wanted: str, folder: Path, *, where: str) -> Interpreter:
    """The interpreter for `python` of `[runtime]`: a version (`3`, `3.11`, `3.11.7`) or a path, relative to `folder`.

    A version is looked for as the Python that runs testmark, on the search path and among pyenv's. `where` names
    the place in the definition for messages. Raises `UserError` for what is neither or is too old,
    `ToolMissingError` when there is none.
    """
    if "/" in wanted:
        found = _probe((folder / wanted).expanduser())
        if found is None:
            raise ToolMissingError(f"{where}: {wanted} is not a Python that starts; correct `python` in [runtime]")
        return _new_enough(found, where)
    if _VERSION.fullmatch(wanted) is None:
        raise UserError(f'{where}: `python` is {wanted!r}; write a version as in "3.11" or the path of an interpreter')
    for candidate in _candidates(wanted):
        found = _probe(candidate)
        if found is not None and _is_version(found, wanted):
            return _new_enough(found, where)
    short = ".".join(wanted.split(".")[:2])
    raise ToolMissingError(
        f"{where}: there is no Python {wanted} on this machine; "
        f"install it with `apt-get install python{short}-venv` or "
        f"`pyenv install {wanted}`, choose another `python` in [runtime], or name a `root` that has it there"
    )


def versions_at_hand() -> tuple[str, ...]:
    """The minor versions (`3.11`) that a definition could ask for here, oldest first."""
    versions = [f"3.{minor}" for minor in range(OLDEST[1], 31)]
    return tuple(version for version in versions if any(_is_version(_probe(p), version) for p in _candidates(version)))


def _is_version(found: Interpreter | None, wanted: str) -> bool:
    return found is not None and (found.version + ".").startswith(wanted + ".")


def _new_enough(found: Interpreter, where: str) -> Interpreter:
    if tuple(map(int, found.version.split(".")[:2])) < OLDEST:
        raise UserError(f"{where}: Python {found.version} is too old; choose 3.9 or newer")
    return found


def _candidates(wanted: str) -> Iterator[Path]:
    """Where a version may be; the caller asks each what it is."""
    short = ".".join(wanted.split(".")[:2])
    if f"3.{sys.version_info[1]}.".startswith(short + "."):
        yield Path(sys.executable)
    for name in (f"python{short}", "python3"):
        on_path = shutil.which(name)
        if on_path is not None:
            yield Path(on_path)
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    versions = [path for path in pyenv.glob(f"{wanted}*") if (path.name + ".").startswith(wanted + ".")]
    for version in sorted(
        versions, key=lambda path: [int(number) for number in re.findall(r"\d+", path.name)], reverse=True
    ):
        yield version / "bin" / "python"
    yield Path(f"/usr/local/bin/python{short}")
    yield Path(f"/usr/bin/python{short}")


@lru_cache(maxsize=256)
def _probe(python: Path) -> Interpreter | None:
    """Ask a Python what it is; None when it does not start (as pyenv's shims of other versions do not)."""
    if not python.is_file():
        return None
    try:
        done = subprocess.run(
            [str(python), "-I", "-S", "-c", _PROBE],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=True,
        )
        facts = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    real = Path(facts["python"])
    folders = {Path(facts[key]) for key in ("prefix", "exec_prefix", "stdlib")} | {real.parent}
    outer = sorted(f for f in folders if not any(f != other and f.is_relative_to(other) for other in folders))
    identity = f"{facts['python']} {facts['full']} {facts['tag']}"
    return Interpreter(python=real, version=facts["version"], identity=identity, folders=tuple(outer))
