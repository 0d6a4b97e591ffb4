"""Confinement by podman; docker takes the same command line but for the flags compared here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from testmark.sandbox import choose
from testmark.sandbox.confinement import Mount
from testmark.sandbox.engine import Engine
from tests.sandbox.conftest import Shell, confinement, processes_with, shell_in

needs_podman = pytest.mark.skipif(
    Engine("podman").problem() is not None, reason=f"podman does not run here: {Engine('podman').problem()}"
)


@pytest.fixture
def shell() -> Shell:
    return shell_in(choose("podman"))


@needs_podman
@pytest.mark.slow
def test_what_is_visible_and_writable(shell: Shell, tmp_path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    script = f"""
        env | sort; hostname; ls -d {tmp_path} /root /home; touch /usr/x /etc/x /in/x
        echo 1 > /proc/sys/kernel/hostname; echo written > /out/x; grep -c : /proc/net/dev; exit 3
    """
    mounts = (Mount(tmp_path / "in", "/in"), Mount(tmp_path / "out", "/out", writable=True))
    done = shell(script, mounts=mounts, env={"PATH": "/usr/bin:/bin", "AB": "c=d, e"})
    assert done.exit_code == 3
    assert done.stdout.decode().splitlines() == ["AB=c=d, e", "PATH=/usr/bin:/bin", "PWD=/", "testmark", "1"]
    assert (tmp_path / "out" / "x").read_text() == "written\n"
    assert list((tmp_path / "in").iterdir()) == []
    assert done.stderr.count(b"Read-only") == 4


@needs_podman
@pytest.mark.slow
def test_limits(shell: Shell) -> None:
    marker = f"86406.{os.getpid()}"
    assert shell(f": {marker}; while :; do :; done", cpu_seconds=1).stopped == "cpu"
    assert shell(f"sleep {marker}", idle_seconds=1).stopped == "idle"
    assert shell(f": {marker}; yes").stopped == "output"
    assert shell(f": {marker}; kill -SEGV $$").signal == 11
    assert containers(marker) == []


@needs_podman
@pytest.mark.slow
def test_nested_namespaces(shell: Shell) -> None:
    done = shell("unshare -Urmpif --mount-proc sh -c 'ls -d /proc/[0-9]* | head -1'", nest=True)
    assert done.stdout == b"/proc/1\n"


@needs_podman
@pytest.mark.slow
def test_killing_the_command_removes_the_container() -> None:
    marker = f"86405.{os.getpid()}"
    line = Engine("podman").command(confinement(f"setsid sleep {marker} & sleep {marker}"))
    with subprocess.Popen(line, stdin=subprocess.DEVNULL, start_new_session=True) as process:
        wait_until(lambda: containers(marker) != [])
        process.kill()
    wait_until(lambda: not processes_with(marker) and containers(marker) == [])
    assert processes_with(marker) == []
    assert containers(marker) == []


@needs_podman
@pytest.mark.slow
def test_killing_the_command_while_it_starts_leaves_no_container() -> None:
    for step in range(6):
        marker = f"8640{step}.7{os.getpid()}"
        line = Engine("podman").command(confinement(f"sleep {marker}"))
        with subprocess.Popen(line, stdin=subprocess.DEVNULL, start_new_session=True) as process:
            time.sleep(step * 0.06)
            process.kill()
        # The keeper's command line holds it too, so that all is done when that is gone.
        wait_until(lambda marker=marker: not processes_with(marker))
        assert containers(marker) == []


@needs_podman
@pytest.mark.slow
def test_killing_all_that_we_are_removes_the_container() -> None:
    """The watchdog leaves the removal to the leash, and does not kill what removes."""
    marker = f"86407.{os.getpid()}"
    program = f"""
import subprocess, time
from testmark.sandbox import watched
from testmark.sandbox.confinement import Confinement
from testmark.sandbox.engine import Engine
asked = Confinement(argv=("sleep", "{marker}"), cwd="/", env={{"PATH": "/usr/bin:/bin"}}, mounts=())
engine = Engine("podman")
subprocess.Popen(engine.command(asked), env=watched.marked(engine.environment()), start_new_session=True)
time.sleep(600)
"""
    process = subprocess.Popen([sys.executable, "-c", program], start_new_session=True)
    wait_until(lambda: containers(marker) != [])
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    wait_until(lambda: not processes_with(marker))
    assert containers(marker) == []


def test_docker_is_asked_for_the_same_in_its_own_words(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Engine, "_image", lambda self, tag, content: f"localhost/testmark:{tag}")
    asked = confinement("true", nest=True, mounts=(Mount(tmp_path, "/work", writable=True),))
    podman, docker = (set(Engine(name).command(asked)) for name in ("podman", "docker"))
    assert {"unmask=ALL", "--read-only-tmpfs=false"} <= podman - docker
    assert "systempaths=unconfined" in docker - podman
    shared = {
        "--network",
        "none",
        "--cap-drop=ALL",
        "no-new-privileges",
        "--read-only",
        f"type=bind,source={tmp_path},target=/work",
    }
    assert shared <= podman & docker


def containers(marker: str) -> list[str]:
    """The containers with the marker in their command line, running or not."""
    listed = subprocess.run(
        ["podman", "ps", "--all", "--no-trunc", "--format", "{{.Names}} {{.Command}}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return [line for line in listed.stdout.splitlines() if marker in line]


def wait_until(condition) -> None:
    """The tests that follow say what has not come true."""
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
