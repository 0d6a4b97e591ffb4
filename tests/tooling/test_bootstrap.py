"""`scripts/bootstrap.sh` on machines that lack things: system packages, a Python, a finished environment.

The machines are folders of commands: the real ones that the script uses, and fakes for `id`, `apt-get` and Python that
note what they were told.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent.parent
REAL = ("cat", "dirname", "flock", "mktemp", "mv", "rm", "sh", "sha256sum")
TEST_TOOLS = ("bwrap", "git", "mvn", "javac", "mmdebstrap", "newuidmap", "podman", "runc", "chromium", "chromedriver")

PYTHON = """#!/bin/sh
# Answers as Python {version} would; "-m venv DIR" makes a DIR whose python is this one, and nothing else is run.
echo "python $*" >>"{log}"
case "$*" in
  *version_info*) {new_enough} ;;
  *ensurepip*) test -e "{folder}/ensurepip" ;;
  *python_version*) echo "CPython {version}" ;;
  "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  "-m pip --version") exit 0 ;;
  *"pip "*) test ! -e "{folder}/pip-fails" ;;
esac
"""
APT = """#!/bin/sh
echo "apt-get $*" >>"{log}"
case "$*" in
  *" update") touch "{folder}/lists" ;;
  *" install "*)
    test -e "{folder}/lists" || {{ echo "E: Unable to locate package" >&2; exit 100; }}
    for word; do
      case $word in
        bubblewrap) cp "{folder}/true" "{folder}/bwrap" ;;
        python3-venv) touch "{folder}/ensurepip" ;;
      esac
    done ;;
esac
"""


@dataclass(frozen=True)
class Machine:
    """A checkout and a folder of commands that is the whole PATH."""

    checkout: Path
    commands: Path
    log: Path

    def command(self, name: str, text: str) -> None:
        path = self.commands / name
        path.write_text(text)
        path.chmod(0o755)

    def python(self, name: str = "python3", version: str = "3.11.2") -> None:
        old = tuple(int(part) for part in version.split(".")) < (3, 11)
        values = {"version": version, "log": self.log, "folder": self.commands}
        self.command(name, PYTHON.format(new_enough="exit 1" if old else "exit 0", **values))

    def apt(self) -> None:
        self.command("apt-get", APT.format(log=self.log, folder=self.commands))

    def user(self, number: int) -> None:
        self.command("id", f"#!/bin/sh\necho {number}\n")

    def has(self, *names: str) -> None:
        for name in names:
            (self.commands / name).touch()
            (self.commands / name).chmod(0o755)

    def bootstrap(self, level: str = "demo", **environment: str) -> subprocess.CompletedProcess[str]:
        self.log.write_text("")
        return subprocess.run(
            [self.checkout / "scripts" / "bootstrap.sh", level],
            env={"PATH": str(self.commands), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def told(self, word: str) -> list[str]:
        return [line for line in self.log.read_text().splitlines() if word in line]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A user's machine with a Python 3.11 that lacks the parts for virtual environments, and no tools."""
    checkout, commands = tmp_path / "checkout", tmp_path / "commands"
    commands.mkdir()
    shutil.copytree(TOP / "scripts", checkout / "scripts")
    shutil.copytree(TOP / "requirements", checkout / "requirements")
    shutil.copy(TOP / "pyproject.toml", checkout)
    for name in ("cp", "mkdir", "touch", "true", *REAL):
        found = shutil.which(name)
        assert found, f"{name} is part of every Debian"
        (commands / name).symlink_to(found)
    made = Machine(checkout, commands, tmp_path / "log")
    made.python()
    made.user(1000)
    # The script also looks where system programs stand, so these must not be the ones of this machine.
    script = checkout / "scripts" / "bootstrap.sh"
    script.write_text(script.read_text().replace(":/usr/sbin:/sbin", ""))
    return made


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    return done.stderr.splitlines()[-1]


def test_a_user_is_told_the_line_to_run(machine: Machine) -> None:
    machine.apt()
    done = machine.bootstrap("demo")
    assert done.returncode == 3
    assert last_line(done) == ("apt-get update && apt-get install -y --no-install-recommends bubblewrap python3-venv")
    assert machine.told("apt-get") == []
    assert not (machine.checkout / ".venv").exists()


def test_a_user_with_sudo_is_told_the_line_with_sudo(machine: Machine) -> None:
    machine.has("sudo")
    done = machine.bootstrap("demo")
    assert done.returncode == 3
    assert last_line(done).startswith("sudo apt-get update && sudo apt-get install -y ")


def test_the_tests_need_more_than_the_demo(machine: Machine) -> None:
    done = machine.bootstrap("test")
    assert done.returncode == 3
    assert last_line(done).split("--no-install-recommends ")[1].split() == [
        "bubblewrap",
        "git",
        "maven",
        "default-jdk-headless",
        "mmdebstrap",
        "uidmap",
        "podman",
        "runc",
        "chromium",
        "chromium-driver",
        "python3-venv",
    ]


def test_java_needs_little_more_than_the_demo(ready: Machine) -> None:
    for name in ("git", "mvn", "javac"):
        (ready.commands / name).unlink()
    assert ready.bootstrap("demo").returncode == 0
    done = ready.bootstrap("java")
    assert done.returncode == 3
    assert last_line(done).endswith("--no-install-recommends git maven default-jdk-headless")
    ready.has("git", "mvn", "javac")
    assert ready.bootstrap("java").returncode == 0
    assert ready.told("install") == []


def test_a_user_whose_machine_has_all_needs_nobody(machine: Machine) -> None:
    machine.has("bwrap", "ensurepip")
    assert machine.bootstrap("demo").returncode == 0
    assert machine.told("--require-hashes")


def test_root_installs_what_is_missing_and_refreshes_the_lists_only_if_needed(machine: Machine) -> None:
    machine.user(0)
    machine.apt()
    assert machine.bootstrap("demo").returncode == 0
    kinds = [line.split()[-1] if line.endswith("update") else "install" for line in machine.told("apt-get")]
    assert kinds == ["install", "update", "install"]
    (machine.commands / "bwrap").unlink()
    assert machine.bootstrap("demo").returncode == 0
    assert len(machine.told("apt-get")) == 1


def test_an_installation_that_fails_shows_what_apt_said(machine: Machine) -> None:
    machine.user(0)
    machine.command("apt-get", "#!/bin/sh\necho 'E: no space left'\nexit 100\n")
    done = machine.bootstrap("demo")
    assert done.returncode == 3
    assert "E: no space left" in done.stderr
    assert "could not install bubblewrap python3-venv" in last_line(done)


def test_root_without_apt_is_told_the_line(machine: Machine) -> None:
    machine.user(0)
    done = machine.bootstrap("demo")
    assert done.returncode == 3
    assert "bubblewrap python3-venv" in last_line(done)


def test_no_python_that_is_new_enough(machine: Machine) -> None:
    machine.python(version="3.9.2")
    done = machine.bootstrap("demo")
    assert done.returncode == 3
    assert "needs Python 3.11 or newer" in last_line(done)


def test_a_newer_python_beside_an_old_one_is_found(machine: Machine) -> None:
    machine.has("bwrap", "ensurepip")
    machine.python(version="3.9.2")
    machine.python("python3.13", version="3.13.0")
    assert machine.bootstrap("demo").returncode == 0
    assert machine.told("-m venv")


@pytest.fixture
def ready(machine: Machine) -> Machine:
    """A machine where the demo's set-up is done."""
    machine.has(*TEST_TOOLS, "ensurepip")
    assert machine.bootstrap("demo").returncode == 0
    return machine


def test_the_second_run_does_nothing(ready: Machine) -> None:
    assert ready.bootstrap("demo").returncode == 0
    assert ready.told("pip") == []


def test_the_larger_environment_serves_the_smaller_level(ready: Machine) -> None:
    assert ready.bootstrap("test").returncode == 0
    assert ready.told("-r requirements/dev.txt")
    assert ready.bootstrap("demo").returncode == 0
    assert ready.told("install") == []


def test_a_changed_lock_is_installed_into_the_same_environment(ready: Machine) -> None:
    with (ready.checkout / "requirements" / "runtime.txt").open("a") as lock:
        lock.write("# changed\n")
    assert ready.bootstrap("demo").returncode == 0
    assert ready.told("--require-hashes")
    assert ready.told("-m venv") == []


def test_an_interrupted_installation_is_begun_anew(ready: Machine) -> None:
    ready.has("pip-fails")
    assert ready.bootstrap("test").returncode != 0
    (ready.commands / "pip-fails").unlink()
    (ready.checkout / ".venv" / "leftover").touch()
    assert ready.bootstrap("test").returncode == 0
    assert ready.told("-m venv")
    assert not (ready.checkout / ".venv" / "leftover").exists()


def test_a_moved_checkout_gets_a_new_environment(ready: Machine, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    ready.checkout.rename(moved)
    there = Machine(moved, ready.commands, ready.log)
    assert there.bootstrap("demo").returncode == 0
    assert there.told("-m venv")
    assert there.told("--editable")


def test_another_python_by_name_makes_another_environment(ready: Machine) -> None:
    ready.python("other", version="3.13.0")
    assert ready.bootstrap("demo", PYTHON="other").returncode == 0
    assert ready.told("-m venv")
    assert ready.bootstrap("demo", PYTHON="other").returncode == 0
    assert ready.told("-m venv") == []


def test_an_unknown_level_is_wrong_usage(machine: Machine) -> None:
    done = machine.bootstrap("everything")
    assert done.returncode == 2
    assert "demo|java|test|bench" in done.stderr
