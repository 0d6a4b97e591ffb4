"""Which parts of a system, the host's or a root's, a confined process sees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

USER = 1000
"""The user and group id inside, on every machine and for every caller."""
HOSTNAME = "testmark"
_FOLDERS = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32")
_ROOT_FOLDERS = (*_FOLDERS, "etc", "opt", "srv", "var")
# What programs under /usr are linked to or read before they start; no secrets, nothing about the machine.
_ETC = (
    "alternatives",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "ssl/certs",
    "ssl/openssl.cnf",
    "java-*",
    "maven",
    "php",
)
_ETC_NETWORK = ("resolv.conf", "ssl/certs", "ca-certificates", "pip.conf")
_OWN_ETC = ("passwd", "group", "hosts", "nsswitch.conf")


@dataclass(frozen=True)
class Entry:
    """One thing that is visible: a file or folder of the host, read-only, or a link to `link`."""

    target: str
    source: Path | None = None
    link: str | None = None


def own_etc() -> Path:
    """The folder with our passwd, group, hosts and nsswitch.conf."""
    return Path(str(files("testmark.sandbox"))) / "etc"


def entries(root: Path | None, *, network: bool) -> Iterator[Entry]:
    """What is visible of the host (`root` None) or of a root, in the order of mounting."""
    base = root or Path("/")
    for name in _FOLDERS if root is None else _ROOT_FOLDERS:
        path = base / name
        if path.is_symlink():
            yield Entry(f"/{name}", link=str(path.readlink()))
        elif path.is_dir():
            yield Entry(f"/{name}", path)
    if root is None:
        yield from _etc(Path("/etc"), _ETC)
        yield Entry("/var/tmp", link="/tmp")  # noqa: S108 - inside the sandbox
    for name in _OWN_ETC:
        if root is None or (root / "etc" / name).is_file():
            yield Entry(f"/etc/{name}", own_etc() / name)
    if network:
        for entry in _etc(Path("/etc"), _ETC_NETWORK):
            # A root is read-only: only what has a mount point there can be shown.
            if root is None or (root / entry.target.lstrip("/")).exists():
                yield entry


def _etc(folder: Path, names: tuple[str, ...]) -> Iterator[Entry]:
    for name in names:
        for path in sorted(folder.glob(name)):
            if path.exists():
                yield Entry(f"/etc/{path.relative_to(folder)}", path.resolve())
