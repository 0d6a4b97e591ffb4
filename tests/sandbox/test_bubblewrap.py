"""What a process confined by bubblewrap sees, may write and reaches."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from testmark.sandbox import choose
from testmark.sandbox.bubblewrap import Bubblewrap
from testmark.sandbox.confinement import Mount
from tests.sandbox.conftest import BOMB, Shell, confinement, processes_with

SOURCE = Path(__file__).parents[2] / "src"
KERNEL_SETTINGS = """python3 -c '
import os
for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger"):
    if os.path.exists(path):
        try:
            os.close(os.open(path, os.O_WRONLY))
            print(path)
        except OSError:
            pass
'"""


DEVICES = """python3 -c '
import os
for name in ("null", "zero", "full", "random", "urandom", "tty"):
    path = "/dev/" + name
    for act in (lambda: os.utime(path, (1, 1)), lambda: os.chmod(path, 0o600), lambda: os.chown(path, 1000, 1000)):
        try:
            act()
            print(path)
        except OSError:
            pass
open("/dev/null", "w").write("x")
print(len(open("/dev/zero", "rb").read(3) + open("/dev/urandom", "rb").read(3)))
'"""


def test_device_nodes_of_the_host_work_and_stay_as_they_are(shell: Shell) -> None:
    before = [Path("/dev", name).stat() for name in ("null", "zero", "tty")]
    assert shell(DEVICES).stdout.decode().split() == ["6"]
    after = [Path("/dev", name).stat() for name in ("null", "zero", "tty")]
    assert [(s.st_mode, s.st_uid, s.st_mtime) for s in after] == [(s.st_mode, s.st_uid, s.st_mtime) for s in before]


def test_host_files_are_not_visible(shell: Shell, tmp_path: Path) -> None:
    canary = Path.home() / f".testmark-canary-{os.getpid()}"
    canary.write_text("secret", encoding="utf-8")
    (tmp_path / "canary").write_text("secret", encoding="utf-8")
    try:
        done = shell(f"cat {canary} {tmp_path}/canary; ls {Path.home()} {Path.cwd()} /var/lib; cat /etc/shadow")
    finally:
        canary.unlink()
    assert done.stdout == b""
    assert done.stderr.count(b"No such file or directory") == 6


def test_only_what_is_listed_stands_in_the_root(shell: Shell) -> None:
    names = set(shell("ls /").stdout.decode().split())
    assert names <= {"bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "tmp", "usr", "var"}


@pytest.mark.parametrize("place", ["/x", "/etc/x", "/usr/x", "/dev/x", "/proc/sys/kernel/hostname", "/shown/x"])
def test_nothing_outside_the_scratch_folders_is_writable(shell: Shell, tmp_path: Path, place: str) -> None:
    done = shell(f"echo 1 > {place}", mounts=(Mount(tmp_path, "/shown"),))
    assert done.exit_code != 0
    assert list(tmp_path.iterdir()) == []


def test_a_writable_mount_is(shell: Shell, tmp_path: Path) -> None:
    assert shell("echo 1 > /work/x", mounts=(Mount(tmp_path, "/work", writable=True),)).exit_code == 0
    assert (tmp_path / "x").read_text(encoding="utf-8") == "1\n"
    assert (tmp_path / "x").owner() == tmp_path.owner()


def test_kernel_settings_are_not_writable_even_for_root(shell: Shell) -> None:
    assert shell(KERNEL_SETTINGS).stdout == b""


def test_scratch_folders_are_private_and_limited(shell: Shell) -> None:
    script = "for d in /tmp /dev/shm; do dd if=/dev/zero of=$d/x bs=1M count=20; du -k $d/x; done; ls /tmp /var/tmp/"
    done = shell(script, tmpfs_mib=8)
    assert done.stdout.decode().split() == ["8192", "/tmp/x", "8192", "/dev/shm/x", "/tmp:", "x", "/var/tmp/:", "x"]
    assert done.stderr.count(b"No space left on device") == 2
    assert b"x" not in shell("ls /tmp /dev/shm").stdout.split()


def test_the_network_is_out_of_reach(shell: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        reach = f"python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 5)'"
        assert shell(reach).exit_code == 1
        assert shell(reach, network=True).exit_code == 0
    # Abstract sockets belong to the network namespace too.
    assert shell("cat /proc/net/dev | grep -c :").stdout.strip() == b"1"


def test_the_environment_is_exactly_what_was_given(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "secret")
    done = shell("", argv=("/usr/bin/env",), env={"ONLY": "this one", "EMPTY": ""})
    # bubblewrap sets PWD to the folder it changes to.
    assert sorted(done.stdout.decode().splitlines()) == ["EMPTY=", "ONLY=this one", "PWD=/"]


def test_descriptors_are_not_inherited(shell: Shell, tmp_path: Path) -> None:
    with (tmp_path / "open").open("w") as handle:
        os.set_inheritable(handle.fileno(), True)
        done = shell(
            "exec python3 -c 'import os; print(*[fd for fd in range(99) if os.path.exists(f\"/proc/self/fd/{fd}\")])'"
        )
    assert done.stdout.split() == [b"0", b"1", b"2"]


def test_who_and_where_is_the_same_on_every_machine(shell: Shell) -> None:
    done = shell("id -un; id -u; hostname; getent hosts localhost | tr -s ' '; date +%Z")
    assert done.stdout.decode().split("\n")[:3] == ["testmark", "1000", "testmark"]
    assert done.stdout.decode().split()[-1] == "UTC"


def test_other_processes_are_not_visible(shell: Shell) -> None:
    done = shell("ls -d /proc/[0-9]* | wc -l; kill -9 -1; echo alive")
    assert int(done.stdout.split()[0]) < 8


def test_no_further_namespaces_unless_asked_for(shell: Shell) -> None:
    assert shell("unshare --user --map-root-user true").exit_code != 0


def test_nested_namespaces_with_a_fresh_proc(shell: Shell) -> None:
    done = shell(
        "unshare --user --map-root-user --mount --pid --ipc --fork --mount-proc sh -c 'ls -d /proc/[0-9]*'", nest=True
    )
    assert done.stdout.split()[0] == b"/proc/1"
    assert len(done.stdout.split()) <= 3


def test_nested_masks_hold(shell: Shell) -> None:
    # What the warm worker does after it mounts /proc: kernel settings read-only, before it gives up its rights.
    mask = "mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro,nosuid,nodev,noexec /proc/sys"
    script = f"unshare -Urmpif --mount-proc sh -c '{mask} && exec setpriv --bounding-set=-all --inh-caps=-all sh /try'"
    place = Path(__file__).with_name("try.sh")
    place.write_text(KERNEL_SETTINGS + "; echo tried; umount /proc/sys; unshare -Urmpf --mount-proc true && echo out")
    try:
        done = shell(script, nest=True, mounts=(Mount(place, "/try"),))
    finally:
        place.unlink()
    assert done.stdout == b"tried\n"


def test_a_mount_that_is_missing_is_named(shell: Shell, tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"could not start the program.*absent"):
        shell("true", mounts=(Mount(tmp_path / "absent", "/absent"),))


@pytest.mark.parametrize("nest", [False, True])
def test_all_processes_die_with_the_caller(nest: bool) -> None:
    marker = f"86400.{os.getpid()}{int(nest)}"
    line = Bubblewrap().command(confinement(f"setsid sleep {marker} & setsid sleep {marker} & wait", nest=nest))
    program = f"import subprocess; subprocess.run({line!r})"
    caller = subprocess.Popen([sys.executable, "-c", program])
    assert eventually(lambda: sleeping(marker) == 2)
    caller.send_signal(signal.SIGKILL)
    caller.wait()
    assert eventually(lambda: not processes_with(marker))


def test_killing_the_command_ends_daemons_too() -> None:
    marker = f"86401.{os.getpid()}"
    line = Bubblewrap().command(confinement(f"(setsid sleep {marker} &) ; trap '' TERM; sleep {marker}"))
    with subprocess.Popen(line, start_new_session=True) as process:
        assert eventually(lambda: sleeping(marker) == 2)
        process.kill()
    assert eventually(lambda: not processes_with(marker))


def test_as_a_user_without_rights(tmp_path: Path) -> None:
    """The same as root or as nobody: files stay out of sight, the result comes back, limits hold, nesting works."""
    if os.geteuid() != 0:
        pytest.skip("this test runs as another user, which only root can; all the others here have just run as a user")
    package = tmp_path / "package"
    shutil.copytree(SOURCE / "testmark" / "sandbox", package / "testmark" / "sandbox")
    for name in ("__init__.py", "errors.py"):
        shutil.copy(SOURCE / "testmark" / name, package / "testmark" / name)
    tmp_path.chmod(0o755)
    for folder in tmp_path.parents:
        if folder.owner() == "root" and folder.stat().st_mode & 0o005 != 0o005:
            folder.chmod(0o755)
    program = """
from testmark.sandbox import choose
from testmark.sandbox.confinement import Confinement, Limits
from testmark.sandbox.process import run
limits = Limits(cpu_seconds=1, wall_seconds=30.0, memory_mib=512, processes=32, file_mib=8, output_bytes=100_000, disk_mib=8)
def shell(script, nest=False):
    argv = ("/bin/sh", "-c", script)
    return run(choose("bubblewrap"), Confinement(argv, "/", {"PATH": "/usr/bin:/bin"}, (), nest=nest), limits)
print(shell("id -u; ls /root; exit 3"))
print(shell("unshare -Urmpif --mount-proc sh -c 'echo nested'", nest=True).stdout)
print(shell("while :; do :; done").stopped)
print(shell("touch /usr/x").exit_code)
print(shell(BOMB).stopped)
"""
    program = program.replace("BOMB", repr(BOMB))
    # The Python of the system: the one that runs the tests may lie where nobody can go.
    line = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-B", "-c", program]
    done = subprocess.run(
        line, env={"PYTHONPATH": str(package), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False
    )
    first, nested, stopped, touched, bomb = done.stdout.splitlines() or [done.stderr] * 5
    assert "exit_code=2" not in first
    assert "exit_code=3, signal=None, stdout=b'1000\\n'" in first
    assert (nested, stopped, touched, bomb) == ("b'nested\\n'", "cpu", "1", "processes")


def test_it_is_what_auto_chooses() -> None:
    assert choose().name == "bubblewrap"


def sleeping(marker: str) -> int:
    """How many `sleep` commands with the marker run."""
    found = 0
    for pid in processes_with(marker):
        try:
            found += Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"sleep\0")
        except OSError:
            continue
    return found


def eventually(condition, seconds: float = 30.0) -> bool:
    """Whether it becomes true; the time is only how long we are ready to wait for a failure."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_our_environment_is_not_to_be_read_from_the_first_process(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_SECRET", "s3cret")
    done = shell("cat /proc/*/environ")
    assert b"LANG=C.UTF-8" in done.stdout
    assert b"s3cret" not in done.stdout + done.stderr
