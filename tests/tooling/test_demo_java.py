"""`scripts/demo-java.sh` on machines with and without Java: what it does, in which order, and when it leaves off.

`testevo` is a fake that notes what it was told; so is `scripts/bootstrap.sh`, which has tests of its own.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent.parent
REAL = ("cat", "cmp", "cp", "dirname", "git", "mkdir", "rm", "sh", "touch")
AGENTS = ("reference", "unrefined", "always-pass", "empty")

TESTEVO = """#!/bin/sh
echo "testevo $*" >>"{log}"
case $1 in
  doctor) test -e "{folder}/java" && ready=true || ready=false; echo "{{\\"java\\": {{\\"ready\\": $ready}}}}" ;;
  mine) mkdir -p build/demo/java/bench && cat "{folder}/bench.json" >build/demo/java/bench/bench.json ;;
  run) mkdir -p build/demo/java/runs ;;
  evaluate) mkdir -p build/demo/java/results; test ! -e "{folder}/evaluate-fails" ;;
esac
"""
BOOTSTRAP = """#!/bin/sh
echo "bootstrap $*" >>"{log}"
test -e "{folder}/may-install" || {{ echo "run this line as root: apt-get install maven" >&2; exit 3; }}
touch "{folder}/java"
"""


@dataclass(frozen=True)
class Machine:
    """A checkout whose commands are fakes, and a folder of real ones that is the rest of PATH."""

    checkout: Path
    commands: Path
    log: Path

    def has(self, *names: str) -> None:
        for name in names:
            (self.commands / name).touch()

    def demo(self) -> subprocess.CompletedProcess[str]:
        self.log.write_text("")
        return subprocess.run(
            [self.checkout / "scripts" / "demo-java.sh"],
            env={"PATH": str(self.commands)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def told(self) -> list[str]:
        """What was called, with the words that tell one call from another."""
        calls = [line.split() for line in self.log.read_text().splitlines()]
        return [f"{words[1]} {words[words.index('--out') + 1]}" if "--out" in words else words[1] for words in calls]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with everything but a JDK and Maven, whose user may install nothing."""
    checkout, commands = tmp_path / "checkout", tmp_path / "commands"
    made = Machine(checkout, commands, tmp_path / "log")
    (checkout / "scripts").mkdir(parents=True)
    (checkout / ".venv/bin").mkdir(parents=True)
    commands.mkdir()
    shutil.copy(TOP / "scripts/demo-java.sh", checkout / "scripts")
    shutil.copytree(TOP / "examples/java-history", checkout / "examples/java-history")
    values = {"log": made.log, "folder": commands}
    for path, text in {"scripts/bootstrap.sh": BOOTSTRAP, ".venv/bin/testevo": TESTEVO}.items():
        (checkout / path).write_text(text.format(**values))
        (checkout / path).chmod(0o755)
    (checkout / ".venv/bin/python").symlink_to(sys.executable)
    for name in REAL:
        found = shutil.which(name)
        assert found, f"{name} is needed"
        (commands / name).symlink_to(found)
    (commands / "bench.json").write_text("1")
    return made


def test_without_java_the_part_is_left_out_and_the_demo_is_done(machine: Machine) -> None:
    done = machine.demo()
    assert done.returncode == 0
    assert machine.told() == ["doctor", "java"]
    assert "apt-get install maven" in done.stderr
    assert done.stdout.splitlines()[-1] == (
        "The Java side of the demo is left out: it needs a JDK, Maven and git, as said above."
    )


def test_who_may_install_java_gets_it_and_the_whole_demo(machine: Machine) -> None:
    machine.has("may-install")
    done = machine.demo()
    assert done.returncode == 0, done.stderr
    assert machine.told()[:3] == ["doctor", "java", "mine build/demo/java/bench"]
    assert machine.told()[-1] == "report"


def test_four_agents_work_on_what_was_mined_and_are_compared_in_the_end(machine: Machine) -> None:
    machine.has("java")
    done = machine.demo()
    assert done.returncode == 0, done.stderr
    top = "build/demo/java"
    worked = [line for agent in AGENTS for line in (f"run {top}/runs/{agent}", f"evaluate {top}/results/{agent}")]
    assert machine.told() == ["doctor", f"mine {top}/bench", *worked, f"report {top}/report.html", "report"]
    last = machine.log.read_text().splitlines()[-1].split()
    assert last[2:] == [f"{top}/results/{agent}" for agent in AGENTS]
    log = subprocess.run(
        ["git", "-C", machine.checkout / top / "units", "log", "--oneline", "--all"], capture_output=True, check=True
    )
    assert len(log.stdout.splitlines()) == 36


def test_without_git_it_is_installed_first(machine: Machine) -> None:
    machine.has("java")
    (machine.commands / "git").unlink()
    assert machine.demo().returncode == 0
    assert machine.told() == ["java"]


def test_a_step_that_fails_ends_the_demo(machine: Machine) -> None:
    machine.has("java", "evaluate-fails")
    assert machine.demo().returncode != 0
    assert machine.told()[-1] == "evaluate build/demo/java/results/reference"


def test_results_are_kept_for_the_same_benchmark_and_removed_for_another(machine: Machine) -> None:
    machine.has("java")
    assert machine.demo().returncode == 0
    kept = machine.checkout / "build/demo/java/results/kept"
    kept.touch()
    assert machine.demo().returncode == 0
    assert kept.exists()
    (machine.commands / "bench.json").write_text("2")
    assert machine.demo().returncode == 0
    assert not kept.exists()
