"""Running pip: which one, in what environment, and what its failures mean."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

from testmark.errors import InfraError, TestmarkError, ToolMissingError, UserError
from testmark.projects.store import remove_tree

_REDIRECTS = frozenset(
    {"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_REQUIRE_VIRTUALENV", "PIP_PYTHON", "VIRTUAL_ENV"}
)


def pip_environment() -> dict[str, str]:
    """Our environment with pip's own settings (index, certificates, proxy), without what would move its target."""
    kept = {k: v for k, v in os.environ.items() if k not in _REDIRECTS and not k.startswith(("PYTHON", "__PYVENV"))}
    return kept | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_NO_COLOR": "1", "LC_ALL": "C.UTF-8"}


_ISOLATES_SINCE = 23
FIND_WHEEL = """
import glob, os, sysconfig
folders = [sysconfig.get_config_var("WHEEL_PKG_DIR") or "", "/usr/share/python-wheels"]
try:
    import ensurepip
    folders.insert(0, os.path.join(os.path.dirname(ensurepip.__file__), "_bundled"))
except ImportError:
    pass
print(next((w for f in folders if f for w in sorted(glob.glob(os.path.join(f, "pip-*.whl")), reverse=True)), ""))
"""
RUN_WHEEL = """
import runpy, sys
wheel = sys.argv.pop(1)
if wheel:
    sys.path.insert(0, wheel)
sys.argv[0] = "pip"
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""
"""Runs pip out of a wheel (the first argument), or the installed one when that is empty."""


def pip_wheel(python: Path) -> Path:
    """The pip that an interpreter brings along for its virtual environments.

    It is run where it is, so neither it nor what it needs ends up in an environment. Raises `ToolMissingError` when
    there is none.
    """
    done = subprocess.run(
        [str(python), "-I", "-c", FIND_WHEEL], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    if done.returncode != 0 or not done.stdout.strip():
        raise ToolMissingError(
            f"{python} has no pip and no `ensurepip`; install them with `apt-get install python3-venv`"
        )
    return Path(done.stdout.strip())


def pip_arguments(wheel: str, *arguments: str) -> list[str]:
    """The arguments for the program `RUN_WHEEL`: the wheel first.

    An older pip builds a source distribution with the environment's own setuptools unless told otherwise, and there
    is none.
    """
    found = re.match(r"pip-(\d+)", Path(wheel).name)
    isolated = ["--use-pep517"] if found is not None and int(found[1]) < _ISOLATES_SINCE else []
    return [wheel, *arguments[:1], *isolated, *arguments[1:]]


def our_pip() -> str:
    """The first argument of `RUN_WHEEL` for the interpreter that runs testmark."""
    return "" if importlib.util.find_spec("pip") is not None else str(pip_wheel(Path(sys.executable)))


def make_venv(python: Path, folder: Path) -> None:
    """Make an empty virtual environment in `folder`, in place of whatever is there; the caller holds its lock.

    Raises `ToolMissingError` when the interpreter lacks `venv` (as Debian's does), `InfraError` when `folder`
    cannot be written.
    """
    remove_tree(folder)
    make = [str(python), "-I", "-m", "venv", "--without-pip", str(folder)]
    done = subprocess.run(make, capture_output=True, env=pip_environment(), stdin=subprocess.DEVNULL, check=False)
    if done.returncode == 0:
        return
    remove_tree(folder)
    output = (done.stdout + done.stderr).decode("utf-8", "replace")
    if any(sign in output for sign in ("No space left", "Read-only file system", "Permission denied")):
        raise InfraError(f"the virtual environment {folder} cannot be written: {_last_line(output)}")
    raise ToolMissingError(
        f"{python} cannot make a virtual environment; install what it lacks with `apt-get install python3-venv`"
    )


_UNREACHED = (
    r"Temporary failure in name resolution|Failed to establish a new connection|Name or service not known|"
    r"Connection (?:refused|reset)|Network is unreachable|Read timed out|ConnectTimeout|ProxyError|SSLError|"
    r"NewConnectionError"
)
_CONFLICT = (
    r"The conflict is caused by:\s*\n\s+(?:The user requested )?(?P<what>.+?)\s*\n"
    r"\s+(?:The user requested )?(?P<other>.+)"
)
_NOT_BUILT = r"Failed building wheel for (?P<what>\S+)|Failed to build (?:installable wheels.*?\()?(?P<what2>[\w.-]+)"
_NO_REQUIREMENT = r"Invalid requirement: (?:'(?P<what>[^'\n]+)'|(?P<what2>.+?)(?::|\n|$))"
_ANEW = "make it anew with `pip-compile --generate-hashes`"
_CHOOSE = "has no wheel for this Python and could not be built; choose another version or another `python`"
_CAUSES: tuple[tuple[str, type[TestmarkError], str], ...] = (
    (r"No space left on device", InfraError, "the disk is full"),
    (
        _UNREACHED,
        InfraError,
        "the package index cannot be reached; what was installed once is kept, so the network is needed this time only",
    ),
    (r"all requirements must have their versions pinned", UserError, f"the lock does not name every package; {_ANEW}"),
    (r"Hashes are required in --require-hashes mode", UserError, f"the lock has no hashes; {_ANEW}"),
    (
        r"THESE PACKAGES DO NOT MATCH THE HASHES",
        UserError,
        f"a package of the index is not the one whose hash the lock holds; {_ANEW}",
    ),
    (_NO_REQUIREMENT, UserError, '{what} is not a requirement; write it as "name>=1.0"'),
    (r"requires a different Python: (?P<what>.+)", UserError, "the Python does not fit ({what})"),
    (_CONFLICT, UserError, "the dependencies contradict each other: {what}, against {other}; loosen one of them"),
    (r"ResolutionImpossible", UserError, "the dependencies contradict each other; loosen one of them"),
    (
        r"(?:No matching distribution found for|satisfies the requirement) (?P<what>\S+)",
        UserError,
        "the index has no {what} that fits this Python; correct the name or the version, or choose another `python`",
    ),
    (_NOT_BUILT, UserError, f"{{what}} {_CHOOSE}"),
    (r"metadata-generation-failed|subprocess-exited-with-error", UserError, f"a package {_CHOOSE}"),
)
"""Signs in pip's output, whose fault they are, and what to say; the first that is found counts."""

_QUOTES = "'\"`"


def explain_failure(output: str, where: str, doing: str) -> TestmarkError:
    """The one sentence that pip's output comes down to, as an error to raise."""
    for pattern, kind, sentence in _CAUSES:
        match = re.search(pattern, output)
        if match is None:
            continue
        named = {name: f"`{value.strip().strip(_QUOTES)}`" for name, value in match.groupdict().items() if value}
        text = sentence.format(**{"what": named.get("what2", "it"), **named})
        return kind(f"{doing} failed: {text}") if kind is InfraError else kind(f"{where}: {text}")
    return InfraError(f"{doing} failed: {_last_line(output)}")


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return (errors or lines or ["pip said nothing"])[-1]
