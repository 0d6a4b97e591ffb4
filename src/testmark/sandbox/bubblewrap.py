"""Confinement by bubblewrap: namespaces of the Linux kernel, no daemon and no privileges."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from testmark.sandbox import tree
from testmark.sandbox.confinement import Confinement
from testmark.sandbox.system import HOSTNAME, USER, entries

_OLDEST = (0, 8)
"""The first with `--size` and `--disable-userns`."""
_INSTALL = "apt-get install bubblewrap"


class Bubblewrap:
    """The embedded default. `--die-with-parent` acts when the *thread* that started the command ends: keep it alive."""

    name = "bubblewrap"
    own_user = True

    def problem(self) -> str | None:
        """Tried out once a process: a kernel may forbid user namespaces where the program is installed."""
        return _problem()

    def command(self, confinement: Confinement, *, status_fd: int | None = None) -> list[str]:
        """Own mount, pid, ipc, uts, cgroup, user and network namespaces over a read-only system."""
        line = [
            *_keeping_devices(),
            "bwrap",
            "--unshare-all",
            "--unshare-user",
            "--die-with-parent",
            "--new-session",
            "--clearenv",
            "--hostname",
            HOSTNAME,
        ]
        line += ["--uid", str(USER), "--gid", str(USER)]
        if confinement.network:
            line.append("--share-net")
        if status_fd is not None:
            line += ["--json-status-fd", str(status_fd)]
        for entry in entries(confinement.root, network=confinement.network):
            if entry.link is not None:
                line += ["--symlink", entry.link, entry.target]
            else:
                line += ["--ro-bind", str(entry.source), entry.target]
        if confinement.nest:
            # A /proc with masked parts, as `--proc` makes it, forbids the kernel to mount a fresh one further in.
            line += ["--bind", "/proc", "/proc"]
        else:
            line += ["--proc", "/proc", "--disable-userns", *_kernel_settings_read_only()]
        size = ["--size", str(confinement.tmpfs_mib << 20)]
        line += ["--dev", "/dev", "--perms", "1777", *size, "--tmpfs", "/dev/shm"]  # noqa: S108 - inside
        line += ["--perms", "1777", *size, "--tmpfs", "/tmp"]  # noqa: S108 - inside
        for mount in confinement.mounts:
            line += ["--bind" if mount.writable else "--ro-bind", str(mount.source), mount.target]
        # Both are file systems in memory, of no limited size.
        line += ["--remount-ro", "/dev", "--remount-ro", "/"]
        for key, value in confinement.env.items():
            line += ["--setenv", key, value]
        return [*line, "--chdir", confinement.cwd, "--", *confinement.argv]

    def environment(self) -> dict[str, str]:
        """Bubblewrap is process 1 inside, and /proc/1/environ shows with what it was started."""
        return {"PATH": os.environ.get("PATH", os.defpath)}

    def started(self, status: bytes, exit_code: int) -> bool:  # noqa: ARG002 - the status says it better
        """Bubblewrap reports an exit code only for a program that it could start."""
        return b'"exit-code"' in status

    def members(self, pid: int) -> Sequence[int]:
        """Bubblewrap itself: the first process of the namespace is its child."""
        return (pid,)

    def end(self, pid: int) -> None:
        """Kill the first process of the namespace: the kernel kills the others, then bubblewrap exits."""
        first = tree.children(pid)
        if not first:
            # It must not start one between our look and its death: that one would not be tied to it yet.
            tree.stop(pid)
            first = [*tree.children(pid), pid]
        tree.kill(first)


def _kernel_settings_read_only() -> list[str]:
    """Root of the host stays root for files under /proc that tell users by number: kernel.core_pattern is a way out.

    Bubblewrap covers only those of these that are themselves writable, and /proc/sys as a folder is not.
    """
    places = [f"/proc/{name}" for name in ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "driver")]
    return [word for place in places if Path(place).exists() for word in ("--ro-bind", place, place)]


_KEEP_DEVICES = """\
for name in null zero full random urandom tty; do
  mount --bind "/dev/$name" "/dev/$name" && mount -o remount,bind,ro "/dev/$name" || exit
done
exec "$@"
"""


@lru_cache(maxsize=1)
def _keeping_devices() -> tuple[str, ...]:
    """What stands before bubblewrap when root starts it: the devices that it shows are root's, who is the user inside.

    Without it, code inside could change their modes and times on the host. A node that is mounted read-only can be
    written to all the same. Nothing where the kernel forbids root to mount, as in a container: there they are not the
    host's either.
    """
    if os.geteuid() != 0:
        return ()
    prefix = ("unshare", "--mount", "sh", "-c", _KEEP_DEVICES, "sh")
    try:
        done = subprocess.run((*prefix, "true"), capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return ()
    return prefix if done.returncode == 0 else ()


@lru_cache(maxsize=1)
def _problem() -> str | None:
    program = shutil.which("bwrap")
    if program is None:
        return f"bubblewrap is not installed; install it with `{_INSTALL}`"
    try:
        text = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
        found = re.search(r"(\d+)\.(\d+)", text)
        if found is None or tuple(map(int, found.groups())) < _OLDEST:
            return f"bubblewrap is {text.split()[-1]}, older than 0.8; install a newer one with `{_INSTALL}`"
        trial = Confinement(argv=("/bin/true",), cwd="/", env={}, mounts=())
        done = subprocess.run(
            Bubblewrap().command(trial),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return f"bubblewrap does not start ({error}); install it again with `{_INSTALL} --reinstall`"
    if done.returncode == 0:
        return None
    said = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
    return f"bubblewrap cannot confine here ({said[0]}); have an administrator allow it: `{_allow_line()}`"


def _allow_line() -> str:
    """The line that lifts the restriction of user namespaces which this kernel has."""
    for name, value in (("kernel.apparmor_restrict_unprivileged_userns", 0), ("kernel.unprivileged_userns_clone", 1)):
        if Path("/proc/sys", *name.split(".")).exists():
            return f"sysctl -w {name}={value}"
    return "sysctl -w user.max_user_namespaces=15000"
