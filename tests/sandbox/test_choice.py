"""Which sandbox is taken, what is said when there is none, running without one, and the doctor's list."""

from __future__ import annotations

import json
import sys
import venv
from pathlib import Path

import pytest

from testmark.errors import ToolMissingError, UserError
from testmark.sandbox import bubblewrap, choose, doctor, engine, none
from testmark.sandbox.confinement import Mount
from testmark.sandbox.doctor import inventory
from testmark.sandbox.interpreters import interpreter_mounts
from tests.sandbox.conftest import confinement, shell_in


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which nothing is installed."""
    caches = (bubblewrap._problem, engine._problem)
    for cache in caches:
        cache.cache_clear()
    monkeypatch.setattr("shutil.which", lambda name, *rest, **more: None)
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.mark.usefixtures("bare")
def test_without_any_the_line_that_installs_one_is_named() -> None:
    with pytest.raises(ToolMissingError, match=r"apt-get install bubblewrap.*--sandbox none") as caught:
        choose()
    assert caught.value.exit_code == 3
    with pytest.raises(ToolMissingError, match="apt-get install podman"):
        choose("podman")


def test_an_unknown_name() -> None:
    with pytest.raises(UserError, match="auto, bubblewrap, podman, docker, none"):
        choose("chroot")


def test_none_says_once_that_nothing_is_confined(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(none.Unconfined, "_warned", False)
    shell = shell_in(choose("none"))
    shell("true")
    shell("true")
    assert capsys.readouterr().err.count("WARNING: --sandbox none") == 1


def test_none_finds_folders_under_their_own_names(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    shell = shell_in(choose("none"))
    argv = ("/bin/sh", "-c", 'cat "$1"; echo "$2"; pwd; echo "$LIST"', "sh", "/p/file", "--x=/p/y")
    env = {"PATH": "/usr/bin:/bin", "LIST": "/p/bin:/prefix:/p"}
    done = shell("", argv=argv, cwd="/p", env=env, mounts=(Mount(tmp_path, "/p"),))
    assert done.stdout.decode().splitlines() == [
        f"text--x={tmp_path}/y", str(tmp_path), f"{tmp_path}/bin:/prefix:{tmp_path}"
    ]  # fmt: skip


def test_none_refuses_what_it_cannot_do(tmp_path: Path) -> None:
    for fields in ({"nest": True}, {"root": tmp_path}):
        with pytest.raises(ToolMissingError, match="apt-get install bubblewrap"):
            choose("none").command(confinement("true", **fields))


def test_a_virtual_environment_starts_confined(tmp_path: Path) -> None:
    venv.create(tmp_path / "env", symlinks=True)
    python = tmp_path / "env" / "bin" / "python"
    mounts = interpreter_mounts(python)
    assert Mount(tmp_path / "env", str(tmp_path / "env")) in mounts
    assert not any(mount.writable for mount in mounts)
    argv = (str(python), "-c", "import json, sys, ctypes; print(sys.prefix, sys.version_info[:2])")
    done = shell_in(choose("bubblewrap"))("", argv=argv, mounts=mounts)
    assert done.stdout.decode().strip() == f"{tmp_path / 'env'} {sys.version_info[:2]}"


def test_no_interpreter(tmp_path: Path) -> None:
    with pytest.raises(ToolMissingError, match="no Python that starts"):
        interpreter_mounts(tmp_path / "python")


def test_the_doctor_lists_what_is_there() -> None:
    found = inventory()
    assert f"{sys.version_info[0]}.{sys.version_info[1]}" in {".".join(p.version.split(".")[:2]) for p in found.pythons}
    assert next(tool for tool in found.sandboxes if tool.name == "bubblewrap").problem is None
    assert json.loads(json.dumps(found.as_dict()))["ready"] == found.ready
    assert "bubblewrap" in found.text()


@pytest.mark.usefixtures("bare")
def test_the_doctor_names_one_line_for_all_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Entry:
        name = "behave"

    monkeypatch.setattr(doctor, "entry_points", lambda group: [Entry()])
    found = inventory()
    assert found.install is not None
    assert found.install.endswith("apt-get install --yes bubblewrap chromium default-jdk-headless git maven mmdebstrap")
    assert found.install in found.text()
    assert [framework.problem for framework in found.frameworks] == [
        "bubblewrap is not installed; install it with `apt-get install bubblewrap`"
    ]
    assert not found.ready
