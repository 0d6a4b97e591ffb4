"""RefactoringMiner as a long-lived JVM in the sandbox: texts in, refactorings out."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from testmark.errors import InfraError, TaskError
from testmark.runtimes.behave.child import framing
from testmark.runtimes.maven.refactoring_jars import ensure_refactoring_miner, jar_names, tool_jdk
from testmark.sandbox import stopping, watched
from testmark.sandbox.confinement import Confinement, Mount, Sandbox
from testmark.sandbox.process import end
from testmark.sandbox.waiting import readable

_JARS, _PROGRAM = "/opt", "/srv"
_START_SECONDS = 120.0
_ANSWER_SECONDS = 300.0


@dataclass(frozen=True)
class Place:
    """A piece of code that takes part in a refactoring; lines and columns from 1, `end_column` behind the last."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    type: str
    """Its kind of node, as RefactoringMiner names it: `METHOD_DECLARATION`."""
    role: str
    """What it is to the refactoring: `extracted method declaration`."""
    element: str
    """What is declared there, in words: `public price(a int) : int`; empty for code."""


@dataclass(frozen=True)
class Refactoring:
    """One finding."""

    kind: str
    """`Extract Method`, `Rename Variable`: the display names of RefactoringMiner."""
    description: str
    old: tuple[Place, ...]
    new: tuple[Place, ...]
    pure: bool | None
    """Whether nothing else changed in the code that it moved; None where RefactoringMiner does not say."""


class RefactoringTool:
    """Answers one question at a time; a JVM that is lost is started again by the next question."""

    def __init__(self, sandbox: Sandbox, root: Path, jars: Path | None = None) -> None:
        """`root` has a JDK; raises `ToolMissingError` when that is too old, or the jars cannot be had."""
        self._sandbox = sandbox
        self._root = root
        self._jars = jars or ensure_refactoring_miner(sandbox, root)
        self._java = f"{tool_jdk(root).home}/bin/java"
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr: deque[bytes] = deque(maxlen=50)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def detect(self, before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Refactoring, ...]:
        """The refactorings between two sets of Java files, by path; files that did not change may be left out.

        Raises `TaskError` when RefactoringMiner fails on these files, whenever it is asked, and `InfraError` when it is
        lost: either way nothing is known of them.
        """
        reply = self._ask({"before": dict(before), "after": dict(after)})
        if "error" in reply:
            if "NoClassDefFoundError" in reply["error"] or "ClassNotFoundException" in reply["error"]:
                raise InfraError(f"RefactoringMiner lacks a jar of its own: {reply['error']}")
            raise TaskError(f"RefactoringMiner failed: {reply['error']}")
        return tuple(_refactoring(found) for found in reply["found"])

    def close(self) -> None:
        """End the JVM."""
        process, self._process = self._process, None
        if process is None:
            return
        end(self._sandbox, process)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _start(self) -> subprocess.Popen[bytes]:
        stopping.check()
        program = Path(str(files("testmark.runtimes.maven"))) / "refactoringminer"
        confinement = Confinement(
            argv=(
                self._java, "-Xmx1g", "-Xss8m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
                ":".join(f"{_JARS}/{name}" for name in jar_names()), f"{_PROGRAM}/RefactoringServer.java",
            ),
            cwd="/tmp",  # noqa: S108 - the sandbox's own
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/tmp"},  # noqa: S108
            mounts=(Mount(self._jars, _JARS), Mount(program, _PROGRAM)),
            root=self._root,
        )  # fmt: skip
        process = subprocess.Popen(
            self._sandbox.command(confinement),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env=watched.marked(self._sandbox.environment()),
        )
        self._process = process
        threading.Thread(target=self._drain, args=(process,), daemon=True).start()
        self._answer(process, _START_SECONDS)
        return process

    def _drain(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stderr is not None  # noqa: S101 - Popen was given a pipe
        with contextlib.suppress(ValueError, OSError):
            for line in process.stderr:
                self._stderr.append(line[:500])

    def _ask(self, message: dict[str, Any]) -> dict[str, Any]:
        process = self._process or self._start()
        assert process.stdin is not None  # noqa: S101 - Popen was given a pipe
        try:
            framing.write_frame(process.stdin.fileno(), message)
        except OSError as error:
            self.close()
            raise InfraError(f"RefactoringMiner was lost: {error}{self._last_words()}") from error
        return self._answer(process, _ANSWER_SECONDS)

    def _answer(self, process: subprocess.Popen[bytes], seconds: float) -> dict[str, Any]:
        assert process.stdout is not None  # noqa: S101 - Popen was given a pipe
        try:
            answered = readable(process.stdout.fileno(), seconds)
            reply: dict[str, Any] | None = framing.read_frame(process.stdout.fileno()) if answered else None
        except BaseException:
            # Whoever interrupts the waiting will not read the answer: the next question would get it.
            self.close()
            raise
        if reply is None:
            self.close()
            what = "ended" if answered else f"gave no answer within {seconds:.0f} s"
            raise InfraError(f"RefactoringMiner {what}{self._last_words()}")
        return reply

    def _last_words(self) -> str:
        words = b"".join(self._stderr).decode("utf-8", "replace").strip().splitlines()
        return f" ({words[-1]})" if words else ""


def _refactoring(data: dict[str, Any]) -> Refactoring:
    return Refactoring(
        kind=data["kind"],
        description=data["description"],
        old=tuple(_place(one) for one in data["old"]),
        new=tuple(_place(one) for one in data["new"]),
        pure=data.get("pure"),
    )


def _place(data: dict[str, Any]) -> Place:
    return Place(
        path=data["path"],
        line=data["line"],
        column=data["column"],
        end_line=data["end_line"],
        end_column=data["end_column"],
        type=data["type"],
        role=data.get("role") or "",
        element=data.get("element") or "",
    )
