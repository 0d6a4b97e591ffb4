"""Which JDKs are tried on a revision that does not build, and when the network is asked; Maven is a fake."""

from __future__ import annotations

from pathlib import Path

import pytest

from testmark.runtimes.maven import build
from testmark.runtimes.maven.call import Call, Session
from testmark.runtimes.maven.events import Event
from testmark.runtimes.maven.jdks import Jdk
from testmark.runtimes.maven.protocol import Toolchain
from testmark.sandbox import Sandbox
from testmark.sandbox.process import Completed

DONE = Completed(1, None, b"", b"", truncated=False, stopped=None, cpu_seconds=0.0, wall_seconds=0.0)
TOOLCHAINS = tuple(
    Toolchain(Jdk(major, str(major), f"/jdk{major}"), "/maven", "3.9.0", None, maven_on_host=True)
    for major in (8, 11, 17, 21)
)


def failed(plugin: str, message: str, kind: str = "MojoExecutionException") -> Session:
    texts = {"plugin": plugin, "goal": "go"}
    events = (
        Event("start", {}, {}),
        Event("mojo-failed", texts, {"classes": (kind,), "messages": (message,)}),
        Event("end", {}, {}),
        Event("result", {"failures": "1"}, {}),
    )
    return Session(events, DONE)


def sessions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sandbox: Sandbox, session: Session, declared: int | None = None
) -> list[tuple[int, bool]]:
    """JDK and network of every session; the store is not empty."""
    seen: list[tuple[int, bool]] = []

    def call_once(_: Sandbox, call: Call) -> Session:
        seen.append((call.toolchain.jdk.major, call.online))
        return session

    monkeypatch.setattr(build, "call_once", call_once)
    (tmp_path / "store").mkdir()
    (tmp_path / "store/held").touch()
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/pom.xml").touch()
    record = build.build_revision(tmp_path / "tree", tmp_path / "store", TOOLCHAINS, sandbox, declared=declared)
    assert record.reason is not None
    return seen


def test_what_failed_with_network_is_not_asked_of_it_again_on_another_jdk(monkeypatch, tmp_path, sandbox) -> None:
    seen = sessions(monkeypatch, tmp_path, sandbox, failed("maven-resources-plugin", "UTF-6"))
    assert seen == [(8, False), (8, True), (11, False), (17, False), (21, False)]


def test_compile_errors_are_tried_on_every_jdk_without_network(monkeypatch, tmp_path, sandbox) -> None:
    session = failed("maven-compiler-plugin", "/work/A.java:[3,4] cannot find symbol", "CompilationFailureException")
    assert sessions(monkeypatch, tmp_path, sandbox, session) == [(8, False), (11, False), (17, False), (21, False)]


@pytest.mark.parametrize("message", ["error: invalid target release: 99", "release version 99 not supported"])
def test_a_java_that_a_jdk_does_not_know_yet_is_not_tried_on_older_ones(
    monkeypatch, tmp_path, sandbox, message: str
) -> None:
    session = failed("maven-compiler-plugin", f"Fatal error compiling: {message}")
    assert sessions(monkeypatch, tmp_path, sandbox, session, declared=99) == [(21, False)]


def test_a_java_that_a_jdk_knows_no_more_is_tried_on_older_ones(monkeypatch, tmp_path, sandbox) -> None:
    session = failed("maven-compiler-plugin", "Fatal error compiling: error: release version 6 not supported")
    seen = sessions(monkeypatch, tmp_path, sandbox, session, declared=17)
    assert seen[:4] == [(17, False), (21, False), (11, False), (8, False)]
