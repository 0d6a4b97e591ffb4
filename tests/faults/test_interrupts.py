"""Ctrl-C and SIGTERM: exit code 4, one sentence, no traceback, nothing left behind, and the same command goes on."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from testmark.sandbox import tree
from tests.faults.conftest import Shared
from tests.faults.in_machine import SLOW
from tests.faults.place import Place

pytestmark = pytest.mark.xdist_group("interrupts")
SENTENCE = "error: interrupted; the same command goes on from here\n"
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def has(pattern: str) -> Callable[[Path], bool]:
    """Under way as soon as there is such a file."""
    return lambda top: any(top.glob(pattern))


COMMANDS = {
    "build": ("build tiny --out made", has("made/.build/survey/*.json")),
    "run": ("run bench --agent command --command 'sleep 1; echo x=1 >features/steps/x.py' --out ran", has(".tmp/*")),
    "evaluate": ("evaluate bench predictions.jsonl --out judged --no-cache", has("judged/run.json")),
    "cold": (
        "evaluate bench predictions.jsonl --out judged --no-cache --audit-share 1",
        lambda top: any((top / ".tmp").glob("*")),
    ),
    "audit": ("audit slow --share 1", has(".tmp/*")),
}


@pytest.fixture(autouse=True)
def _interrupts_are_heard() -> Iterator[None]:
    """A shell's background job ignores Ctrl-C, and so would all that these tests start from there."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def place(shared: Shared, tmp_path: Path) -> Place:
    top = tmp_path / "place"
    shutil.copytree(shared(), top)
    found = Place(top)
    found.steps(SLOW)
    return found


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_is_stopped_goes_on(place: Place, name: str, number: signal.Signals) -> None:
    line, under_way = COMMANDS[name]
    if name == "audit":
        judged = place.shell("req2test evaluate bench predictions.jsonl --out slow --no-cache --audit-share 0 --quiet")
        assert judged.returncode == 0, judged.stderr
    process = subprocess.Popen(
        ["/bin/sh", "-c", f"exec req2test {line} --quiet"],
        cwd=place.top,
        env=place.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while not under_way(place.top) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    below = tree.descendants([process.pid])[1:]
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    # click ends the line first on which a terminal shows ^C.
    assert (process.returncode, errors.removeprefix("\n")) == (4, SENTENCE)
    deadline = time.monotonic() + 10
    while any(alive(pid) for pid in below) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [pid for pid in below if alive(pid)] == []
    assert list((place.top / ".tmp").iterdir()) == []
    again = place.shell(f"req2test {line} --quiet")
    assert again.returncode == 0, again.stderr
    assert list((place.top / ".tmp").iterdir()) == []


def alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("through", ["", "exec"], ids=["loading", "loading a class made by exec"])
def test_ctrl_c_is_answered_while_libraries_are_loaded(number: int, through: str) -> None:
    loading = f"import os; os.kill(os.getpid(), {int(number)})"
    program = f"from testmark.cli import start\nstart.import_module = lambda name: exec({loading!r})\n"
    program += "start.req2test()\n"
    done = run_program(f"exec({program!r})" if through else program)
    assert (done.returncode, done.stderr) == (4, SENTENCE)


def test_a_second_ctrl_c_does_not_disturb_the_way_out() -> None:
    kill = f"os.kill(os.getpid(), {int(signal.SIGINT)})"
    program = f"import os\nfrom testmark.cli import interrupts\ninterrupts.install()\ntry:\n    {kill}\n"
    program += f"except KeyboardInterrupt:\n    {kill}\n    interrupts.leave()\n"
    done = run_program(program)
    assert (done.returncode, done.stderr) == (4, SENTENCE)


def test_a_command_in_the_background_keeps_ignoring_ctrl_c() -> None:
    program = "import os, signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    program += "from testmark.cli import interrupts\ninterrupts.install()\n"
    program += f"os.kill(os.getpid(), {int(signal.SIGINT)})\nprint('done')\n"
    assert run_program(program).stdout == "done\n"


def run_program(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False, env=os.environ)
