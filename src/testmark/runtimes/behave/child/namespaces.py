"""Linux namespaces, mounts and limits by system call, for a process that is to run one test and then vanish.

Sources: clone(2), mount(2), user_namespaces(7), capabilities(7), the kernel's overlayfs documentation
(unprivileged overlay mounts since Linux 5.11).
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import resource
import signal
import socket
import struct

CLONE_NEWNS = 0x00020000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
ISOLATION = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REMOUNT = 32
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38

_SIOCSIFFLAGS = 0x8914
_IFF_UP = 1

_SYS_CLONE = {"x86_64": 56, "aarch64": 220}
_SYS_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITY_VERSION_3 = 0x20080522
_BEYOND_PROCESSES = 1024

# PyDLL keeps the interpreter lock during the call, so the child of `clone` holds it too.
_libc = ctypes.PyDLL(None, use_errno=True)


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def clone_isolated() -> int:
    """Fork into new user, mount, pid, ipc and network namespaces: 0 in the child (pid 1 there), its pid in the parent.

    One system call instead of `unshare` and a second `fork`, which would copy the page tables twice.
    """
    number = _SYS_CLONE[platform.machine()]
    before = ctypes.pythonapi.PyOS_BeforeFork
    after_child = ctypes.pythonapi.PyOS_AfterFork_Child
    after_parent = ctypes.pythonapi.PyOS_AfterFork_Parent
    for function in (before, after_child, after_parent):
        function.restype = None
    before()
    pid = int(_libc.syscall(number, ISOLATION | signal.SIGCHLD, 0, 0, 0, 0))
    if pid == 0:
        after_child()
        return 0
    error = ctypes.get_errno()
    after_parent()
    if pid < 0:
        raise OSError(error, f"clone: {os.strerror(error)}")
    return pid


def own_user_namespace() -> None:
    """Move this process, which has one thread, into a user namespace of its own, where it has every capability."""
    owner = os.getuid(), os.getgid()
    _check(_libc.unshare(CLONE_NEWUSER), "unshare a user namespace")
    map_own_ids(*owner)


def enter(pidfd: int, kinds: int) -> None:
    """Join a process's namespaces by setns(2); a process namespace is joined by later children only (Linux 5.8)."""
    _check(_libc.setns(pidfd, kinds), "setns")


def map_own_ids(uid: int, gid: int) -> None:
    """Keep the process's own user and group inside its new user namespace; others are unmapped."""
    for path, text in (
        ("/proc/self/setgroups", "deny"),
        ("/proc/self/uid_map", f"{uid} {uid} 1"),
        ("/proc/self/gid_map", f"{gid} {gid} 1"),
    ):
        with open(path, "w") as handle:
            handle.write(text)


def mount(source: str, target: str, kind: str, flags: int = 0, options: str = "") -> None:
    """Mount a file system; raises `OSError` naming the target."""
    result = _libc.mount(source.encode(), target.encode(), kind.encode(), flags, options.encode() or None)
    _check(result, f"mount {kind} on {target}")


def detach(target: str) -> None:
    """Lazy umount2(2) of the newest mount on `target`."""
    _check(_libc.umount2(target.encode(), MNT_DETACH), f"umount {target}")


def private_mounts() -> None:
    """Let no mount of this namespace propagate anywhere."""
    mount("none", "/", "none", MS_REC | MS_PRIVATE)


def cover_kernel_settings() -> None:
    """Make /proc/sys and its like read-only: they ask for the user's number alone, and root's own is root here too."""
    for name in ("sys", "sysrq-trigger", "irq", "bus", "fs"):
        path = f"/proc/{name}"
        if os.path.exists(path):
            mount(path, path, "none", MS_BIND)
            flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC
            mount("none", path, "none", flags)


def read_only_devices() -> None:
    """Let nobody change modes and times of device nodes: they are the host's, outlive a run, and root owns them there.

    A device that is mounted read-only can be written to all the same.
    """
    for entry in os.scandir("/dev"):
        if entry.is_symlink() or entry.name == "shm":
            continue
        mount(entry.path, entry.path, "none", MS_BIND)
        # What the mount had must be named again; `statvfs` uses the same numbers (mount(2), statvfs(3)).
        kept = os.statvfs(entry.path).f_flag & (MS_NOSUID | MS_NODEV | MS_NOEXEC)
        mount("none", entry.path, "none", MS_REMOUNT | MS_BIND | MS_RDONLY | kept)


def loopback_up() -> None:
    """Switch on the loopback of a new network namespace (netdevice(7))."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", _IFF_UP))


def drop_capabilities() -> None:
    """Give up every capability of the namespace for good, across exec too."""
    capability = 0
    while _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0:
        capability += 1
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    data = (ctypes.c_uint32 * 6)()
    number = _SYS_CAPSET[platform.machine()]
    _check(int(_libc.syscall(number, ctypes.byref(header), ctypes.byref(data))), "capset")
    _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl no_new_privs")


def set_dumpable(value: bool) -> None:  # noqa: FBT001 - mirrors prctl
    """A process that is not dumpable can be neither traced nor read through /proc by its own user."""
    _libc.prctl(PR_SET_DUMPABLE, int(value), 0, 0, 0)


def die_with_parent() -> None:
    """SIGKILL when the parent dies, however it dies."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def limit_resources(*, memory_bytes: int, cpu_seconds: int, processes: int, file_bytes: int) -> None:
    """Rlimits of the calling process and of all that it starts."""
    for kind, soft, hard in (
        (resource.RLIMIT_AS, memory_bytes, memory_bytes),
        (resource.RLIMIT_CPU, cpu_seconds, cpu_seconds + 1),
        # The warden counts, and says why it ended the run; where the kernel counts too, it must not be the first.
        (resource.RLIMIT_NPROC, processes + _BEYOND_PROCESSES, processes + _BEYOND_PROCESSES),
        (resource.RLIMIT_FSIZE, file_bytes, file_bytes),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_NOFILE, 1024, 1024),
    ):
        _, ceiling = resource.getrlimit(kind)
        if ceiling != resource.RLIM_INFINITY:
            resource.setrlimit(kind, (min(soft, ceiling), min(hard, ceiling)))
        else:
            resource.setrlimit(kind, (soft, hard))
