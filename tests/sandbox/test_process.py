"""One confined run under limits: each limit ends it by its name, and nothing is left."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from testmark.errors import InfraError
from testmark.sandbox import choose, process, tree
from testmark.sandbox.confinement import Mount
from tests.sandbox.conftest import BOMB, LIMITS, Shell, confinement, processes_with, shell_in


@pytest.fixture(params=["bubblewrap", "none"])
def shell(request: pytest.FixtureRequest) -> Shell:
    """Limits hold in both, confined or not."""
    return shell_in(choose(request.param))


HOG = "python3 -c 'import time; x = bytearray(b\"x\") * (150 << 20); time.sleep(600)'"


def test_exit_codes_and_signals(shell: Shell) -> None:
    assert (shell("exit 0").exit_code, shell("exit 77").exit_code) == (0, 77)
    killed = shell("kill -SEGV $$")
    assert (killed.exit_code, killed.signal, killed.stopped) == (None, 11, None)


def test_streams_go_through(shell: Shell) -> None:
    done = shell("wc -c; echo said >&2", stdin=b"x" * 3_000_000)
    assert (done.stdout.strip(), done.stderr) == (b"3000000", b"said\n")
    assert not done.truncated


def test_without_input_it_is_empty(shell: Shell) -> None:
    assert shell("cat; echo end").stdout == b"end\n"


def test_a_program_that_does_not_read_its_input(shell: Shell) -> None:
    assert shell("exec 0<&-; exit 5", stdin=b"x" * 3_000_000).exit_code == 5


def test_cpu_of_one_process(shell: Shell) -> None:
    done = shell("while :; do :; done", cpu_seconds=1)
    assert (done.stopped, done.timed_out, done.exit_code) == ("cpu", "cpu", None)
    assert done.cpu_seconds >= 1


def test_cpu_of_all_processes_together(shell: Shell) -> None:
    assert shell("for i in 1 2 3; do (while :; do :; done) & done; wait", cpu_seconds=1).stopped == "cpu"


def test_cpu_of_children_that_are_gone(shell: Shell) -> None:
    burn = "python3 -c 'import time\nwhile time.process_time() < 0.4: pass'"
    assert shell(f"for i in 1 2 3 4 5 6 7 8; do {burn}; done", cpu_seconds=1).stopped == "cpu"


def test_wall(shell: Shell) -> None:
    assert shell("sleep 600", wall_seconds=0.5).stopped == "wall"


def test_deadlock(shell: Shell) -> None:
    locked = "python3 -c 'import threading; a = threading.Lock(); a.acquire(); a.acquire()'"
    assert shell(locked, idle_seconds=1).stopped == "idle"


def test_stopped_processes_are_a_deadlock_too(shell: Shell) -> None:
    assert shell("sleep 600 & kill -STOP $!; kill -STOP $$", idle_seconds=1).stopped == "idle"


def test_work_is_no_deadlock(shell: Shell) -> None:
    busy = "python3 -c 'import time\nend = time.monotonic() + 2\nwhile time.monotonic() < end: pass'"
    assert shell(busy, idle_seconds=1).exit_code == 0


def test_ten_gibibytes(shell: Shell) -> None:
    done = shell("python3 -c 'x = bytearray(10 << 30)'")
    assert done.exit_code == 1
    assert b"MemoryError" in done.stderr


def test_memory_of_all_processes_together(shell: Shell) -> None:
    done = shell(f"for i in 1 2 3 4 5; do {HOG} & done; wait")
    assert done.stopped == "memory"


def test_memory_that_processes_share_counts_once(shell: Shell) -> None:
    forks = 'import os; x = bytearray(b"x") * (150 << 20)\nfor i in range(6):\n  if os.fork() == 0: break\nimport time; time.sleep(1)'
    assert shell(f"python3 -c '{forks}'").exit_code == 0


def test_fork_bomb(shell: Shell) -> None:
    assert shell(BOMB).stopped == "processes"


def test_a_gibibyte_of_output_in_flat_memory(shell: Shell) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    done = shell("head -c 1G /dev/zero; head -c 1G /dev/zero >&2", output_bytes=100_000)
    assert (done.stopped, done.truncated) == ("output", True)
    assert len(done.stdout) == 100_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 << 10


def test_one_large_file(shell: Shell, tmp_path: Path) -> None:
    mounts, env = (Mount(tmp_path, "/out", writable=True),), {"PATH": "/usr/bin:/bin", "OUT": "/out"}
    done = shell("dd if=/dev/zero of=$OUT/x bs=1M count=100", mounts=mounts, env=env, file_mib=5)
    assert done.exit_code != 0
    assert (tmp_path / "x").stat().st_size == 5 << 20


def test_many_files() -> None:
    # A disk with a file system of its own measures best, and a temporary folder is one or the root's.
    shell = shell_in(choose("bubblewrap"))
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        mounts = (Mount(Path(folder), "/work", writable=True),)
        script = "i=0; while :; do i=$((i+1)); dd if=/dev/urandom of=/work/$i bs=1M count=4; done"
        done = shell(script, mounts=mounts, disk_mib=24, cpu_seconds=None)
    assert done.stopped == "disk"


def test_daemons_that_keep_the_pipes_open(shell: Shell) -> None:
    marker = f"86402.{os.getpid()}"
    done = shell(f"(setsid sh -c 'trap \"\" TERM HUP; sleep {marker}' &) ; echo started")
    assert (done.exit_code, done.stdout) == (0, b"started\n")
    assert processes_with(marker) == []


def test_nothing_is_left_after_a_limit(shell: Shell) -> None:
    marker = f"86403.{os.getpid()}"
    script = f"trap '' TERM; for i in 1 2 3; do (setsid sleep {marker} &) ; done; sleep {marker}"
    assert shell(script, wall_seconds=0.7).stopped == "wall"
    assert processes_with(marker) == []


def test_nothing_is_left_after_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    marker = f"86404.{os.getpid()}"
    real = tree.usage
    seen = []

    def interrupted(*arguments, **keywords):
        if processes_with(marker):
            seen.extend(processes_with(marker))
            raise KeyboardInterrupt
        return real(*arguments, **keywords)

    monkeypatch.setattr(tree, "usage", interrupted)
    with pytest.raises(KeyboardInterrupt):
        process.run(choose("bubblewrap"), confinement(f"setsid sleep {marker} & wait"), LIMITS)
    assert seen
    assert processes_with(marker) == []


def test_no_descriptor_is_lost(shell: Shell) -> None:
    shell("true")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for script in ("true", "exit 3", "sleep 600"):
        shell(script, wall_seconds=0.3)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_feigned_error_of_the_sandbox_is_the_programs_own() -> None:
    done = shell_in(choose("bubblewrap"))("echo 'bwrap: no permission' >&2; exit 1")
    assert done.exit_code == 1


def test_a_sandbox_that_cannot_start_is_our_fault() -> None:
    with pytest.raises(InfraError, match="could not start"):
        shell_in(choose("bubblewrap"))("true", cwd="/absent")
