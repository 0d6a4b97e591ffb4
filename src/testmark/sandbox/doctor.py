"""What is installed here, what that allows, and the one line that installs the rest."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from dataclasses import asdict, dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from testmark.sandbox.bubblewrap import Bubblewrap
from testmark.sandbox.engine import Engine
from testmark.sandbox.roots import shipped_roots

_OLDEST_PYTHON = (3, 9)
# Name, programs any of which will do, how to ask for the version, Debian package, what it is for.
_TOOLS = (
    ("git", ("git",), "--version", "git", "projects from git"),
    ("mmdebstrap", ("mmdebstrap",), "--version", "mmdebstrap", "roots: other Pythons than this machine's"),
    (
        "chromium",
        ("chromium", "chromium-browser", "google-chrome"),
        "--version",
        "chromium",
        "tests of the HTML report",
    ),
    ("java", ("java",), "-version", "default-jdk-headless", "projects in Java"),
    ("maven", ("mvn",), "--version", "maven", "projects in Java"),
)
_NEEDS = {"behave": "python"}
"""What a framework's runtime needs of this machine, apart from a sandbox."""


@dataclass(frozen=True)
class Tool:
    """One program, or one way to confine."""

    name: str
    version: str | None
    """None when it is not installed; empty when it does not say."""
    purpose: str
    problem: str | None
    """Why it cannot be used, in one sentence with the remedy."""
    package: str
    """The Debian package that brings it."""


@dataclass(frozen=True)
class Python:
    """An interpreter that projects can ask for."""

    version: str
    path: str


@dataclass(frozen=True)
class Framework:
    """A test framework that this installation of testmark has a runtime for."""

    name: str
    problem: str | None


@dataclass(frozen=True)
class Inventory:
    """All that `doctor` found."""

    system: str
    pythons: tuple[Python, ...]
    sandboxes: tuple[Tool, ...]
    tools: tuple[Tool, ...]
    frameworks: tuple[Framework, ...]
    roots: tuple[str, ...]
    """Names of the shipped roots, where mmdebstrap can make them."""
    install: str | None
    """The line that installs all that is missing."""

    @property
    def ready(self) -> bool:
        """At least one framework can be used."""
        return any(framework.problem is None for framework in self.frameworks)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "ready": self.ready}

    def text(self) -> str:
        """For people: one line a thing."""
        lines = [f"system      {self.system}"]
        lines += [f"python      {python.version:<9} {python.path}" for python in self.pythons]
        for kind, tools in (("sandbox", self.sandboxes), ("tool", self.tools)):
            for tool in tools:
                state = tool.problem or (tool.version or "").strip() or "installed"
                lines.append(f"{kind:<11} {tool.name:<11} {state}" + (f" ({tool.purpose})" if tool.problem else ""))
        for framework in self.frameworks:
            lines.append(f"framework   {framework.name:<11} {framework.problem or 'ready'}")
        if self.roots:
            lines.append(f"roots       {', '.join(self.roots)}")
        if self.install is not None:
            lines.append(f"to install what is missing: {self.install}")
        return "\n".join(lines)


def inventory() -> Inventory:
    """Look around. Takes a second or two: every program is asked for its version, each sandbox is tried."""
    sandboxes, pythons = _sandboxes(), _pythons()
    tools = tuple(_tool(*row) for row in _TOOLS)
    usable = [tool for tool in sandboxes if tool.problem is None]
    missing = [tool.package for tool in tools if tool.version is None]
    missing += [] if usable else [sandboxes[0].package]
    missing += [] if pythons else ["python3-venv"]
    sandbox_problem = None if usable else sandboxes[0].problem
    return Inventory(
        system=f"{_distribution()}, Linux {platform.release()}, {platform.machine()}, {os.cpu_count()} cores",
        pythons=pythons,
        sandboxes=sandboxes,
        tools=tools,
        frameworks=tuple(_framework(entry.name, pythons, sandbox_problem) for entry in _runtimes()),
        roots=shipped_roots() if shutil.which("mmdebstrap") else (),
        install=f"{_as_root()}apt-get install --yes {' '.join(sorted(set(missing)))}" if missing else None,
    )


def _runtimes() -> list[Any]:
    return sorted(entry_points(group="testmark.runtimes"), key=lambda entry: entry.name)


def _framework(name: str, pythons: tuple[Python, ...], sandbox_problem: str | None) -> Framework:
    if sandbox_problem is not None:
        return Framework(name, sandbox_problem)
    if _NEEDS.get(name) == "python" and not pythons:
        return Framework(name, "no Python of 3.9 or newer was found; install one with `apt-get install python3-venv`")
    return Framework(name, None)


def _as_root() -> str:
    return "" if os.geteuid() == 0 else "sudo "


def _sandboxes() -> tuple[Tool, ...]:
    found = []
    for sandbox, program, package in (
        (Bubblewrap(), "bwrap", "bubblewrap"),
        (Engine("podman"), "podman", "podman"),
        (Engine("docker"), "docker", "docker.io"),
    ):
        version = _version(program, "--version")
        found.append(Tool(sandbox.name, version, "confinement", sandbox.problem(), package))
    return tuple(found)


def _tool(name: str, programs: tuple[str, ...], option: str, package: str, purpose: str) -> Tool:
    program = next((word for word in programs if shutil.which(word) is not None), None)
    if program is None:
        problem = f"not installed; install it with `{_as_root()}apt-get install {package}`"
        return Tool(name, None, purpose, problem, package)
    return Tool(name, _version(program, option), purpose, None, package)


def _version(program: str, option: str) -> str | None:
    """The first number with a dot that the program prints; None when there is no such program."""
    if shutil.which(program) is None:
        return None
    try:
        done = subprocess.run(
            [program, option], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    found = re.search(r"\d+(\.\d+)+", done.stdout + done.stderr)
    return found.group() if found else ""


def _pythons() -> tuple[Python, ...]:
    """One interpreter a version, newest last."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    folders += [Path("/usr/local/bin"), Path("/usr/bin")]
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    folders += sorted(pyenv.glob("3.*/bin"))
    # pyenv's shims stand for interpreters that are listed by themselves, and start slowly.
    folders = [folder for folder in folders if folder.name != "shims"]
    found: dict[str, str] = {}
    for folder in folders:
        for path in sorted(folder.glob("python3.[0-9]*")) if folder.is_dir() else []:
            if re.fullmatch(r"python3\.\d+", path.name) and os.access(path, os.X_OK):
                version = _asked(path)
                if version is not None:
                    found.setdefault(version, str(path))
    ordered = sorted(found, key=_numbers)
    return tuple(Python(version, found[version]) for version in ordered if _numbers(version) >= _OLDEST_PYTHON)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _asked(python: Path) -> str | None:
    """Its version; None when it does not start, as shims of versions that are not chosen do not."""
    line = [str(python), "-I", "-S", "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"]
    try:
        done = subprocess.run(line, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:
        return "Linux"
