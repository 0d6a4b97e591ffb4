"""Who makes a project's virtual environment: a Python of the host, or the one of a Debian root."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from testmark.errors import InfraError, ToolMissingError
from testmark.projects.interpreter import Interpreter
from testmark.projects.pip import FIND_WHEEL, RUN_WHEEL, make_venv, pip_arguments, pip_environment, pip_wheel
from testmark.projects.store import remove_tree
from testmark.sandbox import choose, roots
from testmark.sandbox.confinement import Mount
from testmark.sandbox.process import Completed

SHOWN_AT = "/runtime"
"""Where an environment made in a root stands in it; its scripts name this path."""
_SECONDS = 3600
_STARTS = "import sys; sys.exit(sys.prefix == sys.base_prefix)"


class Maker(Protocol):
    """Makes virtual environments."""

    @property
    def identity(self) -> str:
        """Changes when another build of Python takes its place."""
        ...

    @property
    def version(self) -> str:
        """As in `3.11.7`."""
        ...

    @property
    def folders(self) -> tuple[Path, ...]:
        """Folders of the host that must be visible for its Python to start."""
        ...

    @property
    def root(self) -> Path | None:
        """The root in which alone the environment runs."""
        ...

    def inside(self, prefix: Path) -> str:
        """The path of the environment `prefix` where it runs."""
        ...

    def make(self, prefix: Path) -> None:
        """Put an empty virtual environment in place of whatever is at `prefix`."""
        ...

    def pip(self, prefix: Path, *arguments: str) -> tuple[int, str]:
        """Run pip in the environment: its exit code and all that it said."""
        ...

    def starts(self, prefix: Path) -> bool:
        """Whether the environment's Python starts."""
        ...


@dataclass(frozen=True)
class HostMaker:
    """A Python of the host."""

    interpreter: Interpreter
    root: Path | None = None

    @property
    def identity(self) -> str:
        """The interpreter's own."""
        return self.interpreter.identity

    @property
    def version(self) -> str:
        """The interpreter's own."""
        return self.interpreter.version

    @property
    def folders(self) -> tuple[Path, ...]:
        """The interpreter's own."""
        return self.interpreter.folders

    def inside(self, prefix: Path) -> str:
        """The same path."""
        return str(prefix)

    def make(self, prefix: Path) -> None:
        """By `venv`; raises what `make_venv` raises."""
        make_venv(self.interpreter.python, prefix)

    def pip(self, prefix: Path, *arguments: str) -> tuple[int, str]:
        """By the pip that the interpreter brings along."""
        wheel = str(pip_wheel(self.interpreter.python))
        command = [str(prefix / "bin" / "python"), "-I", "-c", RUN_WHEEL, *pip_arguments(wheel, *arguments)]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                env=pip_environment(),
                stdin=subprocess.DEVNULL,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise InfraError(f"pip did not end within {_SECONDS} s") from error
        return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")

    def starts(self, prefix: Path) -> bool:
        """Try it."""
        try:
            start = [str(prefix / "bin" / "python"), "-I", "-c", _STARTS]
            subprocess.run(start, check=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
        except (OSError, subprocess.SubprocessError):
            return False
        return True


class RootMaker:
    """The Python of a Debian root, which is made or found first."""

    def __init__(self, definition: roots.RootDefinition, cache: Path) -> None:
        self._python = roots.interpreter(definition)
        self._name = definition.name
        self._sandbox = choose()
        self._root = roots.ensure_root(definition, cache / "roots")
        self.version = self._said(self._python, "import platform; print(platform.python_version())")
        self.identity = f"root {definition.identity()} {self._python} {self.version}"
        self.folders: tuple[Path, ...] = ()

    @property
    def root(self) -> Path:
        """The folder of the root."""
        return self._root

    def inside(self, prefix: Path) -> str:  # noqa: ARG002 - the same for all
        """One path for every environment."""
        return SHOWN_AT

    def make(self, prefix: Path) -> None:
        """By the root's own `venv`; raises `ToolMissingError` when it has none."""
        remove_tree(prefix)
        prefix.mkdir(parents=True)
        done = self._run([self._python, "-I", "-m", "venv", "--without-pip", SHOWN_AT], prefix)
        if done.exit_code != 0:
            raise ToolMissingError(
                f"the root {self._name} cannot make a virtual environment ({_last(done)}); "
                "add `python3-venv` to its packages"
            )

    def pip(self, prefix: Path, *arguments: str) -> tuple[int, str]:
        """By the pip that the root's Python brings along."""
        wheel = self._said(self._python, FIND_WHEEL)
        if not wheel:
            raise ToolMissingError(f"the root {self._name} has no pip; add `python3-venv` to its packages")
        command = [f"{SHOWN_AT}/bin/python", "-I", "-c", RUN_WHEEL, *pip_arguments(wheel, *arguments)]
        done = self._run(command, prefix)
        if done.stopped is not None:
            raise InfraError(f"pip was stopped in the root {self._name}: it passed its limit of {done.stopped}")
        return done.exit_code or 0, (done.stdout + done.stderr).decode("utf-8", "replace")

    def starts(self, prefix: Path) -> bool:
        """Try it in the root."""
        return self._run([f"{SHOWN_AT}/bin/python", "-I", "-c", _STARTS], prefix).exit_code == 0

    def _said(self, python: str, program: str) -> str:
        done = self._run([python, "-I", "-c", program], None)
        if done.exit_code != 0:
            raise InfraError(f"the Python of the root {self._name} does not start: {_last(done)}")
        return done.stdout.decode("utf-8", "replace").strip()

    def _run(self, argv: list[str], prefix: Path | None) -> Completed:
        mounts = [] if prefix is None else [Mount(prefix, SHOWN_AT, writable=True)]
        settings = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_NO_COLOR": "1"}
        return roots.run_installer(self._sandbox, self._root, argv, mounts, settings)


def _last(done: Completed) -> str:
    lines = (done.stdout + done.stderr).decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else f"exit code {done.exit_code}"
