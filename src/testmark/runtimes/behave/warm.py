"""The judge's end of the warm worker: one confined process, requests and answers as frames."""

from __future__ import annotations

import contextlib
import selectors
import subprocess
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import Any, Literal

from testmark.errors import InfraError
from testmark.records.kit import ExpectedPickle
from testmark.runtimes.behave.child import framing
from testmark.runtimes.behave.events import RawRun, interpret, with_infra
from testmark.runtimes.behave.jobs import (
    CHILD,
    ENVIRONMENT,
    TOOLS,
    environment,
    job_message,
    mounts,
    new_tokens,
    parsed_features,
    project_files,
)
from testmark.runtimes.protocol import RunOutcome, RunRequest, RuntimeProject
from testmark.sandbox import stopping, watched
from testmark.sandbox.confinement import Confinement, Sandbox
from testmark.sandbox.process import end

_START_SECONDS = 120.0
_GRACE_SECONDS = 30.0
_LOOK_SECONDS = 0.1


class NamespacesRefusedError(InfraError):
    """The sandbox lets its processes make no namespaces of their own."""


class WarmWorker:
    """Starts again by itself when its process is lost; the run that lost it is an `infra`."""

    how: Literal["warm", "cold"] = "warm"

    def __init__(self, project: RuntimeProject, sandbox: Sandbox) -> None:
        self._project = project
        self._sandbox = sandbox
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr: deque[bytes] = deque(maxlen=50)
        # The latest test that loaded and passed, and the regular expressions that it compiled.
        self._proven: frozenset[str] = frozenset()
        self._patterns: list[Any] = []
        self._start()

    def run(self, request: RunRequest) -> RunOutcome:
        """Run one request; what goes wrong on our side is an outcome of status `infra`."""
        tokens = new_tokens()
        test = frozenset(file.content for file in request.files if file.path in request.test_files)
        proven = self._proven == test
        message = {
            "kind": "run",
            **job_message(self._project, request, tokens),
            "patterns": self._patterns if proven else [],
            "proven": proven,
        }
        try:
            reply = self._ask(message, seconds=request.time.wall_seconds + _GRACE_SECONDS)
        except InfraError as error:
            return with_infra(str(error))
        raw = RawRun(reply["events"], reply["output"], reply["ending"], reply["cpu"], reply["wall"], "warm")
        outcome = interpret(raw, tokens, request.pickles)
        if request.measure and outcome.status == "passed":
            self._proven, self._patterns = test, list(outcome.patterns)
        return outcome

    def digests(self, sources: Sequence[tuple[str, str]]) -> list[str]:
        """For each (path, source) a digest of its byte code in this interpreter, `` where it does not compile."""
        reply: list[str] = self._ask({"kind": "digests", "sources": [list(s) for s in sources]}, seconds=600.0)
        return reply

    def parse(self, paths: Sequence[str]) -> dict[str, list[ExpectedPickle] | str]:
        """For each feature file the pickles that behave's parser finds, or its complaint."""
        return parsed_features(self._ask({"kind": "parse", "paths": list(paths)}, seconds=600.0))

    def close(self) -> None:
        """End the process and, through its namespace, all that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        end(self._sandbox, process)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _start(self) -> None:
        stopping.check()
        project = self._project
        confinement = Confinement(
            argv=(f"{ENVIRONMENT}/bin/python", "-B", f"{CHILD}/worker.py", *TOOLS),
            cwd="/",
            env=environment(),
            mounts=mounts(project, project.base, writable=False),
            nest=True,
            root=project.root,
        )
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
        reply = self._ask(
            {
                "compile": [*project.production_roots, *project.test_roots],
                "production": list(project.production_roots),
                "import_paths": list(project.import_paths),
                "project_files": project_files(project.base, project.test_roots),
                "preload": list(project.preload),
                "disk_mib": project.limits.disk_mib,
            },
            seconds=_START_SECONDS,
        )
        if "refused" in reply:
            self.close()
            raise NamespacesRefusedError(reply["refused"])

    def _drain(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stderr is not None  # noqa: S101 - Popen was given a pipe
        with contextlib.suppress(ValueError, OSError):
            for line in process.stderr:
                self._stderr.append(line[:500])

    def _ask(self, message: dict[str, Any], *, seconds: float) -> Any:  # noqa: ANN401 - any JSON value
        """Send one frame and wait for the answer; a worker that does not answer is ended and replaced."""
        if self._process is None:
            self._start()
        process = self._process
        assert process is not None  # noqa: S101 - _start set it
        assert process.stdin is not None  # noqa: S101
        assert process.stdout is not None  # noqa: S101
        try:
            stopping.check()
            framing.write_frame(process.stdin.fileno(), message)
            answered = _readable(process.stdout.fileno(), seconds)
            reply = framing.read_frame(process.stdout.fileno()) if answered else None
        except OSError as error:
            self.close()
            raise InfraError(f"the warm worker was lost: {error}{self._last_words()}") from error
        except BaseException:
            # Whoever interrupts the waiting will not read the answer: the next question would get it.
            self.close()
            raise
        if reply is None:
            self.close()
            what = "ended" if answered else f"gave no answer within {seconds:.0f} s"
            raise InfraError(f"the warm worker {what}{self._last_words()}")
        return reply

    def _last_words(self) -> str:
        words = b"".join(self._stderr).decode("utf-8", "replace").strip().splitlines()
        return f" ({words[-1]})" if words else ""


def _readable(fd: int, seconds: float) -> bool:
    with selectors.DefaultSelector() as selector:
        selector.register(fd, selectors.EVENT_READ)
        deadline = time.monotonic() + seconds
        while not selector.select(min(_LOOK_SECONDS, max(0.0, deadline - time.monotonic()))):
            stopping.check()
            if time.monotonic() >= deadline:
                return False
        return True
