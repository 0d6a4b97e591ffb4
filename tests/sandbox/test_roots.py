"""Roots: definitions, how one is made and kept, and what runs in it."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from testmark.errors import InfraError, UserError
from testmark.sandbox import aptsources, choose, roots
from testmark.sandbox.confinement import Mount
from testmark.sandbox.engine import Engine
from testmark.sandbox.roots import RootDefinition
from tests.sandbox.conftest import shell_in

pytestmark = pytest.mark.filterwarnings("error")


def tar_of(path: Path, files: dict[str, str]) -> Path:
    """A tar of a file system as an engine exports it, with things that have no place in a root."""
    with tarfile.open(path, "w") as tar:
        for name, text in {**files, "dev/sda": "", "etc/apt/sources.list": "deb", "etc/os-release": "ID=tiny"}.items():
            member = tarfile.TarInfo(name)
            member.size, member.uid = len(text), 12345
            tar.addfile(member, io.BytesIO(text.encode()))
        link = tarfile.TarInfo("etc/resolv.conf")
        link.type, link.linkname = tarfile.SYMTYPE, "/run/elsewhere"
        tar.addfile(link)
        closed = tarfile.TarInfo("usr/closed")
        closed.type, closed.mode = tarfile.DIRTYPE, 0o500
        tar.addfile(closed)
    return path


@pytest.fixture
def tiny(tmp_path: Path) -> RootDefinition:
    return RootDefinition(name="tiny", tar=tar_of(tmp_path / "tiny.tar", {"usr/hello": "hello"}))


def test_from_a_tar(tiny: RootDefinition, tmp_path: Path) -> None:
    root = roots.ensure_root(tiny, tmp_path / "cache")
    assert (root / "usr/hello").read_text() == "hello"
    assert (root / "usr/hello").stat().st_uid == os.getuid()
    assert not (root / "dev/sda").exists()
    assert not (root / "etc/apt").exists()
    assert (root / "etc/resolv.conf").is_file()
    assert not (root / "etc/resolv.conf").is_symlink()
    assert roots.ensure_root(tiny, tmp_path / "cache") == root
    assert [path.name for path in (tmp_path / "cache").iterdir() if path.name.startswith(".")] == []


def test_a_half_made_root_is_made_again(tiny: RootDefinition, tmp_path: Path) -> None:
    folder = roots.root_folder(tiny, tmp_path)
    (folder / "usr").mkdir(parents=True)
    (folder / "usr" / "left").touch()
    stale = folder.with_name(f".{folder.name}.abcd")
    stale.mkdir()
    root = roots.ensure_root(tiny, tmp_path)
    assert not (root / "usr/left").exists()
    assert not stale.exists()


def test_killed_in_the_middle(tiny: RootDefinition, tmp_path: Path) -> None:
    """SIGKILL while it is unpacked: nothing half remains under its name, nothing runs on, and the next call succeeds."""
    pipe = tmp_path / "never-ends"
    os.mkfifo(pipe)
    program = f"""
from pathlib import Path
from testmark.sandbox import roots
roots.RootDefinition.identity = lambda self: "same"
roots.ensure_root(roots.RootDefinition(name="slow", tar=Path({str(pipe)!r})), Path({str(tmp_path)!r}))
"""
    maker = subprocess.Popen(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )
    with pipe.open("wb", buffering=0) as feed:  # opens when `cat` has it open; nothing is left to write at its end
        assert tiny.tar is not None
        feed.write(tiny.tar.read_bytes()[:2048])
        maker.send_signal(signal.SIGKILL)
        maker.wait()
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                feed.write(b"\0" * 65536)
            except BrokenPipeError:
                break  # `cat` is dead
        else:
            pytest.fail("the maker's children live on")
    assert not (tmp_path / "same").exists()
    assert roots.ensure_root(tiny, tmp_path).is_dir()


def test_the_identity_is_the_content(tmp_path: Path) -> None:
    one = RootDefinition(name="a", suite="trixie", packages=("git", "python3"))
    assert replace(one, name="b", packages=("python3", "git")).identity() == one.identity()
    assert replace(one, suite="sid").identity() != one.identity()
    assert replace(one, packages=("git",)).identity() != one.identity()
    first = RootDefinition(name="t", tar=tar_of(tmp_path / "1.tar", {"a": "1"}))
    second = RootDefinition(name="t", tar=tar_of(tmp_path / "2.tar", {"a": "2"}))
    assert first.identity() != second.identity()


def test_shipped_definitions() -> None:
    assert roots.shipped_roots() == ("bullseye-python", "sid-java", "sid-python", "trixie-python")
    pythons = [name for name in roots.shipped_roots() if name.endswith("-python")]
    found = {name: roots.interpreter(roots.load_root(name)) for name in pythons}
    assert {path.rpartition("python")[2] for path in found.values()} == {"3.9", "3.13", "3.14"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('suite = "sid"\npackage = ["git"]', "unknown key `package`"),
        ('suite = "sid"\npackages = "git"', "`packages` must be a list of texts"),
        ('suite = "sid"\npackages = [1]', "`packages` must be a list of texts"),
        ("suite = 13", "`suite` must be a text"),
        ('suite = "sid"\nimage = "debian"', "exactly one"),
        ("", "exactly one"),
        ("suite = ", "cannot be read"),
        ('tar = "absent.tar"', "absent.tar, which is no file"),
    ],
)
def test_definitions_that_are_wrong(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(UserError, match=complaint) as caught:
        roots.load_root(str(tmp_path / "mine.toml"))
    assert "mine.toml" in str(caught.value)


def test_an_unknown_name_lists_the_known() -> None:
    with pytest.raises(UserError, match="bullseye-python, sid-java, sid-python, trixie-python"):
        roots.load_root("woody")


def test_a_root_without_python_says_so(tiny: RootDefinition) -> None:
    with pytest.raises(UserError, match="names no interpreter"):
        roots.interpreter(tiny)


def test_a_suite_that_cannot_be_had(tmp_path: Path) -> None:
    if shutil.which("mmdebstrap") is None:
        pytest.skip("mmdebstrap is not installed: apt-get install mmdebstrap")
    with pytest.raises(InfraError, match="the root mine cannot be made") as caught:
        roots.ensure_root(RootDefinition(name="mine", suite="no-such-suite"), tmp_path)
    assert "\n" not in str(caught.value)
    assert [path.suffix for path in tmp_path.iterdir()] == [".lock"]


SOURCES = """\
# A comment: URIs: ignored
Types: deb deb-src
URIs: mirror-one
Suites: here here-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian.gpg

Types: deb
URIs: other
Suites: stable
Components: main

Enabled: no
Types: deb
URIs: off
Suites: here
Components: main
"""
LIST = """\
# deb commented here main
deb [arch=amd64 signed-by=/key.gpg] mirror-two here main # comment
deb-src mirror-two here main
deb mirror-three here contrib
"""


def test_sources_are_those_of_the_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aptsources, "_codename", lambda: "here")
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / "sources.list.d" / "debian.sources").write_text(SOURCES)
    (tmp_path / "sources.list").write_text(LIST)
    assert aptsources.lines("elsewhere", tmp_path) == [
        "deb [arch=amd64 signed-by=/key.gpg] mirror-two elsewhere main",
        "deb [signed-by=/usr/share/keyrings/debian.gpg] mirror-one elsewhere main",
    ]
    assert aptsources.lines("elsewhere", tmp_path / "absent") == []


@pytest.fixture(scope="module")
def older_debian(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """The whole way: a root made by mmdebstrap, and a virtual environment installed in it."""
    if shutil.which("mmdebstrap") is None:
        pytest.skip("mmdebstrap is not installed: apt-get install mmdebstrap")
    definition = roots.load_root("bullseye-python")
    root = roots.ensure_root(definition, tmp_path_factory.mktemp("roots"))
    try:
        facts = json.loads((root / "testmark-root.json").read_text())
        assert any(line.startswith("python3.9=") for line in facts["packages"])
        assert not (root / "etc/apt").exists()
        runtime = tmp_path_factory.mktemp("runtime")
        writable = (Mount(runtime, "/runtime", writable=True),)
        sandbox = choose("bubblewrap")
        venv = [roots.interpreter(definition), "-m", "venv", "/runtime/venv"]
        made = roots.run_installer(sandbox, root, venv, writable, {})
        assert made.exit_code == 0, made
        pip = ["/runtime/venv/bin/python", "-m", "pip", "install", "--quiet", "six"]
        assert roots.run_installer(sandbox, root, pip, writable, {}).exit_code == 0
        yield root, runtime
    finally:
        shutil.rmtree(root)


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.parametrize("name", ["bubblewrap", "podman"])
def test_an_older_debian_with_its_python(older_debian: tuple[Path, Path], name: str) -> None:
    if name == "podman" and Engine(name).problem() is not None:
        pytest.skip(f"podman does not run here: {Engine(name).problem()}")
    root, runtime = older_debian
    script = "cat /etc/debian_version; /runtime/venv/bin/python -c 'import six, sys; print(sys.version_info[:2])'; touch /usr/x"
    done = shell_in(choose(name))(script, root=root, mounts=(Mount(runtime, "/runtime"),))
    lines = done.stdout.decode().splitlines()
    assert lines[0].startswith("11"), done
    assert lines[1] == "(3, 9)"
    assert done.exit_code != 0
