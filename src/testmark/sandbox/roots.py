"""Roots: Debian root file systems that stand in for the host's, made once and never written to again.

A root lies in a cache folder under the hash of its definition. It is made beside its place and renamed, so a reader
sees all of it or nothing. All its files belong to whoever made it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import hashlib
import json
import os
import secrets
import shutil
import stat
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from testmark.errors import InfraError, ToolMissingError, UserError
from testmark.sandbox import aptsources
from testmark.sandbox.confinement import Confinement, Limits, Mount, Sandbox
from testmark.sandbox.none import leash
from testmark.sandbox.process import Completed, run

_FORMAT = 1
_MARKER = "testmark-root.json"
_DEADLINE_SECONDS = 3600
_OUTPUT_BYTES = 4 << 20
# Made by every run anew, or about the machine on which the root was made.
_LEFT_OUT = (
    "dev",
    "proc",
    "sys",
    "tmp",
    "run",
    "var/cache",
    "var/log",
    "var/lib/apt/lists",
    "etc/apt",
    "etc/machine-id",
)
# Where something may be shown must exist: a root is read-only.
_FOLDERS = (
    "dev",
    "proc",
    "sys",
    "tmp",
    "run",
    "opt",
    "srv",
    "etc/ssl/certs",
    "etc/ca-certificates",
    "var/cache",
    "var/log",
)
_FILES = ("etc/resolv.conf", "etc/pip.conf", "etc/hostname")
_ENGINES = ("podman", "docker")


@dataclass(frozen=True)
class RootDefinition:
    """What a root is made from: `suite` and `packages`, or a container `image`, or a `tar` of a file system."""

    name: str
    suite: str | None = None
    packages: tuple[str, ...] = ()
    image: str | None = None
    tar: Path | None = None
    interpreter: str | None = None
    """The Python inside, where the root is for Python."""

    def identity(self) -> str:
        """A hash that changes with what the root is made from, and not with its name."""
        content = {
            "format": _FORMAT, "suite": self.suite, "packages": sorted(self.packages), "image": self.image,
            "tar": None if self.tar is None else _file_hash(self.tar),
        }  # fmt: skip
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]


def shipped_roots() -> tuple[str, ...]:
    """The names of the definitions that come with testmark, sorted."""
    return tuple(sorted(path.stem for path in _shipped().glob("*.toml")))


def load_root(ref: str) -> RootDefinition:
    """A shipped definition by its name, or a TOML file by its path; raises `UserError` in one sentence."""
    path = Path(ref) if "/" in ref or ref.endswith(".toml") else _shipped() / f"{ref}.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        known = ", ".join(shipped_roots())
        raise UserError(f"there is no root `{ref}`; choose one of {known}, or give the path of a definition") from error
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot be read as a root's definition: {error}") from error
    return _checked(path, table)


def root_folder(definition: RootDefinition, cache: Path | None = None) -> Path:
    """Where the root is, or will be."""
    return (cache or default_cache()) / definition.identity()


def default_cache() -> Path:
    """`roots` in the user's cache folder of testmark."""
    from platformdirs import user_cache_path

    return user_cache_path("testmark") / "roots"


def ensure_root(definition: RootDefinition, cache: Path | None = None) -> Path:
    """Find or make the root. Minutes may pass the first time; a kill leaves nothing half.

    Raises `ToolMissingError` without the program that makes it, `InfraError` when packages, image or disk fail.
    """
    folder = root_folder(definition, cache)
    if (folder / _MARKER).is_file():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder):
            if not (folder / _MARKER).is_file():
                _make(definition, folder)
    except OSError as error:
        raise InfraError(f"the root {definition.name} cannot be written to {folder}: {error.strerror}") from error
    return folder


def interpreter(definition: RootDefinition) -> str:
    """The path of Python inside; raises `UserError` for a root that names none."""
    if definition.interpreter is None:
        raise UserError(
            f'the root {definition.name} names no interpreter; add `interpreter = "/usr/bin/python3"` to it'
        )
    return definition.interpreter


def run_installer(
    sandbox: Sandbox, root: Path, argv: Sequence[str], mounts: Sequence[Mount], env: Mapping[str, str]
) -> Completed:
    """Run a program of the root that fetches and installs (`python3 -m venv`, `pip install`) into a writable mount.

    The only kind of run that reaches the network. The caller's settings for pip, certificates and proxies are kept;
    `env` goes above them. An environment holds absolute paths: show it later at the target at which it was made.
    """
    kept = {name: value for name, value in os.environ.items() if _is_network_setting(name)}
    links: list[Mount] = []
    for word in kept.pop("PIP_FIND_LINKS", "").split():
        # A root is read-only, so a folder of the host cannot be shown under any path.
        links += [Mount(Path(word), f"/find-links/{len(links)}")] if Path(word).is_dir() else []
    if links:
        kept["PIP_FIND_LINKS"] = " ".join(link.target for link in links)
    confinement = Confinement(
        argv=tuple(argv),
        cwd="/",
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", **kept, **env},  # noqa: S108
        mounts=(*links, *mounts),
        network=True,
        root=root,
        tmpfs_mib=2048,
    )
    limits = Limits(
        cpu_seconds=None, wall_seconds=_DEADLINE_SECONDS, memory_mib=8192, processes=512, file_mib=4096,
        output_bytes=_OUTPUT_BYTES, disk_mib=16384,
    )  # fmt: skip
    return run(sandbox, confinement, limits)


def _is_network_setting(name: str) -> bool:
    upper = name.upper()
    return upper.startswith("PIP_") or upper.endswith("_PROXY") or upper in {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"}


def _shipped() -> Path:
    return Path(str(files("testmark.sandbox"))) / "shipped"


def _checked(path: Path, table: dict[str, object]) -> RootDefinition:
    known = [field.name for field in dataclasses.fields(RootDefinition) if field.name != "name"]
    for key, value in table.items():
        if key not in known:
            raise UserError(f"{path}: unknown key `{key}`; a root has {', '.join(known)}")
        wanted = list if key == "packages" else str
        if not isinstance(value, wanted) or (wanted is list and not all(isinstance(word, str) for word in value)):
            raise UserError(f"{path}: `{key}` must be {'a list of texts' if wanted is list else 'a text'}")
    if sum(key in table for key in ("suite", "image", "tar")) != 1:
        raise UserError(f"{path}: a root is made from one of `suite`, `image` and `tar`; write exactly one of them")
    tar = table.get("tar")
    packages = table.get("packages", [])
    assert isinstance(packages, list)  # noqa: S101 - checked above
    definition = RootDefinition(
        name=path.stem,
        suite=_text(table, "suite"),
        packages=tuple(packages),
        image=_text(table, "image"),
        tar=None if tar is None else path.parent / str(tar),
        interpreter=_text(table, "interpreter"),
    )
    if definition.tar is not None and not definition.tar.is_file():
        raise UserError(f"{path}: `tar` is {tar}, which is no file; correct the path, relative to the definition")
    return definition


def _text(table: dict[str, object], key: str) -> str | None:
    value = table.get(key)
    return None if value is None else str(value)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One maker at a time; the system gives the lock back when its holder dies."""
    handle = os.open(folder.with_name(folder.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _make(definition: RootDefinition, folder: Path) -> None:
    for stale in folder.parent.glob(f".{folder.name}.*"):
        _remove(stale)  # of an earlier maker that was killed
    _remove(folder)  # without its marker it was never whole
    work = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    part, scratch = work / "root", work / "scratch"
    try:
        part.mkdir(parents=True)
        scratch.mkdir()
        with contextlib.ExitStack() as stack:
            _unpack(definition, _packed(definition, stack), part, scratch)
        _finish(definition, part)
        part.rename(folder)
    finally:
        _remove(work)


def _packed(definition: RootDefinition, stack: contextlib.ExitStack) -> list[str]:
    """The command that writes the file system as a tar to its standard output."""
    if definition.tar is not None:
        return ["cat", str(definition.tar)]
    if definition.image is not None:
        return _exported(definition.image, stack)
    if shutil.which("mmdebstrap") is None:
        raise ToolMissingError(
            f"mmdebstrap, which makes the root {definition.name}, is not installed; "
            "install it with `apt-get install mmdebstrap`"
        )
    assert definition.suite is not None  # noqa: S101 - _checked
    line = ["mmdebstrap", "--quiet", "--variant=minbase", "--format=tar", *aptsources.options()]
    if definition.packages:
        line.append(f"--include={','.join(definition.packages)}")
    return [*line, definition.suite, "-", *aptsources.lines(definition.suite)]


def _exported(image: str, stack: contextlib.ExitStack) -> list[str]:
    """A container of the image, never started, for as long as it is exported."""
    engine = next((name for name in _ENGINES if shutil.which(name) is not None), None)
    if engine is None:
        raise ToolMissingError(f"the image {image} needs podman or docker; install one with `apt-get install podman`")
    made = subprocess.run([engine, "create", image, "true"], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise InfraError(f"{engine} cannot make a container of the image {image}: {_last(made.stderr)}")
    container = made.stdout.split()[-1]
    stack.callback(subprocess.run, [engine, "rm", "--force", container], capture_output=True, check=False)
    return [engine, "export", container]


def _unpack(definition: RootDefinition, packed: Sequence[str], part: Path, scratch: Path) -> None:
    taking = [
        "tar",
        "--extract",
        "--no-same-owner",
        "--no-wildcards-match-slash",
        "--anchored",
        "--directory",
        str(part),
    ]
    taking += [f"--exclude={prefix}{name}" for name in _LEFT_OUT for prefix in ("", "./", "/")]
    # As an ordinary user mmdebstrap works as other users too, who cannot look into a home folder.
    env = {**os.environ, "TMPDIR": str(scratch)} if os.geteuid() == 0 else None
    # On a leash: when we are killed, nothing goes on making a root that nobody waits for.
    line = [*leash(), "--", *packed]
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=env
    ) as making:
        assert making.stdout is not None  # noqa: S101 - Popen was given pipes
        assert making.stderr is not None  # noqa: S101
        with subprocess.Popen(taking, stdin=making.stdout, stderr=subprocess.PIPE) as unpacking:
            making.stdout.close()
            said = making.stderr.read().decode("utf-8", "replace")
            _, complaint = unpacking.communicate()
    if making.returncode != 0:
        raise InfraError(f"the root {definition.name} cannot be made: {packed[0]} says: {_last(said)}")
    if unpacking.returncode != 0:
        raise InfraError(
            f"the root {definition.name} cannot be unpacked: {_last(complaint.decode('utf-8', 'replace'))}"
        )


def _finish(definition: RootDefinition, part: Path) -> None:
    """Mount points, and a marker that says what is in it: with that the root is whole."""
    for current, _, _ in os.walk(part):
        mode = os.lstat(current).st_mode
        if not mode & stat.S_IWUSR:
            Path(current).chmod(stat.S_IMODE(mode) | stat.S_IRWXU)
    for name in _FOLDERS:
        place = part / name
        if not place.is_symlink():
            place.mkdir(parents=True, exist_ok=True)
    for name in _FILES:
        place = part / name
        place.unlink(missing_ok=True)  # an image may hold a link here
        place.touch()
    scratch = part / "var" / "tmp"
    if not scratch.is_symlink():
        _remove(scratch)
        scratch.symlink_to("/tmp")  # noqa: S108 - inside the root
    facts = {"suite": definition.suite, "image": definition.image, "packages": _installed(part)}
    (part / _MARKER).write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _installed(part: Path) -> list[str]:
    """`name=version` of each Debian package."""
    status = part / "var" / "lib" / "dpkg" / "status"
    if not status.is_file():
        return []
    found = []
    for paragraph in status.read_text(encoding="utf-8", errors="replace").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in paragraph.splitlines() if ": " in line and line[0] != " ")
        if "Package" in fields:
            found.append(f"{fields['Package']}={fields.get('Version', '?')}")
    return sorted(found)


def _remove(folder: Path) -> None:
    """What is written to it meanwhile, by a process that is about to end, may stay until the next time."""
    if folder.exists():
        shutil.rmtree(folder, ignore_errors=folder.name.startswith("."))


def _file_hash(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _last(output: str) -> str:
    lines = [
        line for line in output.strip().splitlines() if line.startswith(("E:", "Error"))
    ] or output.strip().splitlines()
    return lines[-1].removeprefix("E: ") if lines else "it does not say why"
