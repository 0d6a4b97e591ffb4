"""The worker for where namespaces cannot be made answers what the warm one answers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from testmark.runtimes.behave.coldworker import ColdWorker
from testmark.runtimes.behave.runtime import BehaveRuntime
from testmark.runtimes.behave.warm import NamespacesRefusedError, WarmWorker
from testmark.runtimes.protocol import RuntimeProject, Worker
from testmark.sandbox import choose
from testmark.sandbox.engine import Engine
from tests.support import tiny

SOURCES = [("src/sums/core.py", tiny.PRODUCTION), ("src/sums/core.py", "def ("), ("a.py", "x = 1\n")]


@pytest.mark.parametrize("name", ["bubblewrap", "none"])
def test_it_answers_as_the_warm_worker_does(project: RuntimeProject, worker: Worker, name: str) -> None:
    cold = ColdWorker(project, choose(name))
    assert cold.parse([tiny.FEATURE_PATH]) == worker.parse([tiny.FEATURE_PATH]) == {tiny.FEATURE_PATH: [*tiny.PICKLES]}
    digests = cold.digests(SOURCES)
    assert [bool(digest) for digest in digests] == [bool(digest) for digest in worker.digests(SOURCES)]
    assert [bool(digest) for digest in digests] == [True, False, True]
    assert digests[0] == cold.digests(SOURCES[:1])[0]
    assert cold.run(tiny.request()).status == "passed"
    broken = tiny.request(changed={"src/sums/core.py": tiny.PRODUCTION.replace("a + b", "a - b")})
    assert cold.run(broken).status == "failed"


def test_without_namespaces_there_is_a_cold_worker(project: RuntimeProject) -> None:
    assert BehaveRuntime().worker(project, choose("none")).how == "cold"


def test_a_sandbox_that_refuses_namespaces_is_named_once(
    project: RuntimeProject, sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_self: WarmWorker) -> None:
        raise NamespacesRefusedError("unshare: Operation not permitted")

    monkeypatch.setattr(WarmWorker, "_start", refuse)
    runtime = BehaveRuntime()
    assert [runtime.worker(project, sandbox).how for _ in range(2)] == ["cold", "cold"]
    assert capsys.readouterr().err.count("every run is cold") == 1


def test_the_worker_says_when_namespaces_are_refused(tmp_path: Path, sandbox) -> None:
    """For real: the workers' own program in a sandbox that has used up its user namespaces."""
    root = tiny.write_project(tmp_path)

    class NoNamespaces(type(sandbox)):  # type: ignore[misc]
        def command(self, confinement, **keywords):
            line = super().command(confinement, **keywords)
            at = line.index("--bind")
            return [*line[:at], "--disable-userns", *line[at:]]

    with pytest.raises(NamespacesRefusedError):
        WarmWorker(tiny.runtime_project(root), NoNamespaces())


@pytest.mark.slow
@pytest.mark.skipif(
    Engine("podman").problem() is not None, reason=f"podman does not run here: {Engine('podman').problem()}"
)
def test_a_worker_in_a_container_is_gone_when_it_is_closed(project: RuntimeProject) -> None:
    before = _containers()
    worker = WarmWorker(project, choose("podman"))
    try:
        ours = _containers() - before
        assert worker.run(tiny.request()).status == "passed"
    finally:
        worker.close()
    assert ours
    assert not ours & _containers()


def _containers() -> set[str]:
    line = ["podman", "ps", "--all", "--quiet"]
    return set(subprocess.run(line, capture_output=True, text=True, check=True).stdout.split())
