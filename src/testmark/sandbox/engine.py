"""Confinement by a container engine, podman or docker: the same command line but for a few flags."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import resource
import secrets
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from testmark.errors import InfraError
from testmark.sandbox import tree
from testmark.sandbox.confinement import Confinement, Mount
from testmark.sandbox.none import end_leash, leash
from testmark.sandbox.system import HOSTNAME, Entry, entries

_SECONDS = 600
_ENGINE_FAILED = 125
"""The exit code by which both engines say that they, not the program, failed."""
_INSTALL = {"podman": "apt-get install podman", "docker": "apt-get install docker.io"}
_EMPTY_FOLDERS = ("etc", "proc", "sys", "dev", "tmp", "run", "var", "usr")
_MOST = 4096
_importing = threading.Lock()


class Engine:
    """`name` is `podman` or `docker`. Without a root the host's system is shown, as bubblewrap shows it."""

    own_user = False

    def __init__(self, name: str) -> None:
        self._name = name
        self._first: dict[int, int] = {}

    @property
    def name(self) -> str:
        """The engine's own name."""
        return self._name

    def problem(self) -> str | None:
        """Tried out once a process."""
        return _problem(self._name)

    def command(self, confinement: Confinement, *, status_fd: int | None = None) -> list[str]:  # noqa: ARG002 - engines pass no descriptors
        """A container that is removed at its end, on a leash: killing the command's process removes it too."""
        name = f"testmark-{secrets.token_hex(8)}"
        line = [self._name, "run", "--rm", "--interactive", "--name", name, "--pull=never", "--log-driver=none"]
        line += ["--hostname", HOSTNAME, "--read-only", "--cap-drop=ALL", "--security-opt", "no-new-privileges"]
        line += ["--network", "host" if confinement.network else "none", "--user", _user(self._name)]
        if self._name == "podman":
            # It would mount writable folders of its own over /tmp, /run and /var/tmp.
            line += ["--read-only-tmpfs=false"]
            # And raise these limits, which not every machine allows; `--ulimit host` does not prevent it.
            for kind, number in (("nofile", resource.RLIMIT_NOFILE), ("nproc", resource.RLIMIT_NPROC)):
                ceiling = resource.getrlimit(number)[1]
                most = _MOST if ceiling == resource.RLIM_INFINITY else min(ceiling, _MOST)
                line += ["--ulimit", f"{kind}={most}:{most}"]
        size = f"size={confinement.tmpfs_mib}m"
        line += ["--tmpfs", f"/tmp:rw,exec,mode=1777,{size}", "--shm-size", f"{confinement.tmpfs_mib}m"]  # noqa: S108 - inside
        if confinement.nest:
            unmask = "unmask=ALL" if self._name == "podman" else "systempaths=unconfined"
            for option in ("seccomp=unconfined", "apparmor=unconfined", unmask):
                line += ["--security-opt", option]
            # Needed to map root of the container into a namespace further in (user_namespaces(7), since Linux 5.12).
            line.append("--cap-add=SETFCAP")
        for mount in (*_system_mounts(confinement), *confinement.mounts):
            line += ["--mount", _mount_option(mount)]
        line += ["--workdir", confinement.cwd, "--entrypoint", "", *self._system(confinement.root)]
        # A shell is the container's first process: it reaps orphans, and signals act on the program as anywhere.
        line += ["/bin/sh", "-c", '"$@"; exit $?', "sh"]
        line += ["/usr/bin/env", "-i", *(f"{key}={value}" for key, value in confinement.env.items()), *confinement.argv]
        # Docker kills at once, podman after a time of grace.
        removal = [self._name, "rm", "--force", *(["--time", "0"] if self._name == "podman" else []), name]
        return [*leash(), *(word for part in removal for word in ("--clean-up", part)), "--", *line]

    def environment(self) -> dict[str, str]:
        """All of it."""
        return dict(os.environ)

    def started(self, status: bytes, exit_code: int) -> bool:  # noqa: ARG002
        """The engine's own failures have an exit code of their own."""
        return exit_code != _ENGINE_FAILED

    def members(self, pid: int) -> Sequence[int]:
        """The container's first process; the leash while there is none."""
        if pid not in self._first:
            first = self._ask_first(pid)
            if first is None:
                return ()
            self._first[pid] = first
        return (self._first[pid],)

    def end(self, pid: int) -> None:
        """Kill the container's first process where we may, and let the leash remove the container."""
        first = self._first.pop(pid, None)
        if first is not None:
            # What only the engine's daemon may kill, the leash asks it to.
            with contextlib.suppress(PermissionError):
                tree.kill([first])
        end_leash(pid)

    def _ask_first(self, pid: int) -> int | None:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
        if "--name" not in words:
            return None
        name = words[words.index("--name") + 1]
        done = _call([self._name, "inspect", "--format", "{{.State.Pid}}", name])
        found = done.stdout.strip()
        return int(found) if done.returncode == 0 and found.isdigit() and found != b"0" else None

    def _system(self, root: Path | None) -> list[str]:
        """The words that name the container's file system."""
        if root is None:
            return [self._image("system", _host_skeleton())]
        if self._name == "podman":
            return ["--rootfs", f"{root}:O"]
        return [self._image(f"root-{root.name}", root)]

    def _image(self, tag: str, content: bytes | Path) -> str:
        """Import an image once: a tar's bytes, or a folder."""
        image = f"localhost/testmark:{tag}"
        with _importing:
            if _call([self._name, "image", "inspect", image]).returncode == 0:
                return image
            line = [self._name, "import", "-", image]
            if isinstance(content, bytes):
                done = _call(line, content)
            else:
                with subprocess.Popen(
                    ["tar", "--create", "--numeric-owner", "--directory", str(content), "."], stdout=subprocess.PIPE
                ) as packing:
                    done = subprocess.run(
                        line, stdin=packing.stdout, capture_output=True, timeout=_SECONDS, check=False
                    )
            if done.returncode != 0:
                raise InfraError(f"{self._name} cannot import an image: {_last_line(done.stderr)}")
        return image


def _system_mounts(confinement: Confinement) -> Iterator[Mount]:
    """What is shown besides the container's own file system, which holds the links, and all that a root has."""
    for entry in entries(confinement.root, network=confinement.network):
        if entry.source is None or (confinement.root is not None and entry.source.is_relative_to(confinement.root)):
            continue
        yield Mount(entry.source, entry.target)


def _mount_option(mount: Mount) -> str:
    """As `--mount` reads it: comma separated values."""
    text = io.StringIO()
    words = ["type=bind", f"source={mount.source}", f"target={mount.target}", *([] if mount.writable else ["readonly"])]
    csv.writer(text, lineterminator="").writerow(words)
    return text.getvalue()


def _user(name: str) -> str:
    """The owner of the caller's files as the container numbers users: podman's root is the caller."""
    return "0:0" if name == "podman" else f"{os.getuid()}:{os.getgid()}"


def _host_skeleton() -> bytes:
    """A tar of empty folders and of the links that stand in the host's `/`."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as tar:
        for folder in _EMPTY_FOLDERS:
            member = tarfile.TarInfo(folder)
            member.type, member.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(member)
        for entry in _links():
            member = tarfile.TarInfo(entry.target.lstrip("/"))
            member.type, member.linkname = tarfile.SYMTYPE, entry.link or ""
            tar.addfile(member)
    return content.getvalue()


def _links() -> Iterator[Entry]:
    return (entry for entry in entries(None, network=False) if entry.link is not None)


def _call(line: list[str], stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(line, input=stdin, capture_output=True, timeout=_SECONDS, check=False)


def _last_line(output: bytes) -> str:
    return (output.decode("utf-8", "replace").strip().splitlines() or ["it does not say why"])[-1]


@lru_cache(maxsize=2)
def _problem(name: str) -> str | None:
    if shutil.which(name) is None:
        return f"{name} is not installed; install it with `{_INSTALL[name]}`"
    try:
        done = _call(Engine(name).command(Confinement(argv=("/bin/true",), cwd="/", env={}, mounts=())))
    except (OSError, subprocess.SubprocessError, InfraError) as error:
        return f"{name} is installed and does not work ({error}); install it again with `{_INSTALL[name]}`"
    if done.returncode != 0:
        return f"{name} is installed and does not work ({_last_line(done.stderr)}); see `{name} info`"
    return None
