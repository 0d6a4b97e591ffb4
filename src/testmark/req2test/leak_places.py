"""Places that give hidden code away by what they are, whatever they hold: history, links, installed copies."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

HISTORY = frozenset({".git", ".hg", ".svn", ".bzr", "CVS", "_darcs", ".jj", ".pijul", ".fslckout", "_FOSSIL_"})
_BARE = frozenset({"HEAD", "objects", "refs"})
"""What the folder of a bare git repository holds."""
_HISTORY_MAGIC = (
    (b"# v2 git bundle", "a git bundle"),
    (b"# v3 git bundle", "a git bundle"),
    (b"PACK\x00\x00\x00", "packed git objects"),
    (b"HG10", "a Mercurial bundle"),
    (b"HG20", "a Mercurial bundle"),
    (b"SVN-fs-dump-format-version", "a Subversion dump"),
)
_LOOSE = (b"blob ", b"tree ", b"commit ", b"tag ")
_ZLIB = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_INSTALLED = frozenset({"site-packages", "dist-packages"})
_LIBRARIES = (".so", ".pyd", ".dll", ".dylib")


def is_bare_repository(entries: Iterable[str]) -> bool:
    """Whether a folder with these entries is a git repository without a checkout."""
    return set(entries) >= _BARE


def history_in(data: bytes) -> str:
    """What kind of history a file's content is; empty when it is none."""
    for magic, what in _HISTORY_MAGIC:
        if data.startswith(magic):
            return what
    if data.startswith(_ZLIB):
        try:
            head = zlib.decompressobj().decompress(data, 16)
        except zlib.error:
            return ""
        return "a git object" if head.startswith(_LOOSE) else ""
    return ""


def outside(path: Path, root: Path) -> str:
    """Where a link points when that is outside of `root` (resolved); else empty."""
    try:
        target = path.resolve()
    except (OSError, RuntimeError):
        # A link that leads in circles leads nowhere.
        return ""
    return "" if target.is_relative_to(root) else str(path.readlink())


def installed_copy(relative: str, modules: Iterable[str]) -> str:
    """The production module of which a path is an installed copy; empty when it is of none."""
    parts = relative.split("/")
    for number, part in enumerate(parts[:-1]):
        if part in _INSTALLED:
            name = parts[number + 1].split(".", 1)[0] if number + 2 == len(parts) else parts[number + 1]
            if name in set(modules):
                return name
    return ""


def compiled_library(relative: str, files: Iterable[str]) -> str:
    """The hidden file of which a path is a compiled library (`docx/api.cpython-311.so`); empty when of none."""
    name = relative.rsplit("/", 1)[-1]
    if not name.endswith(_LIBRARIES):
        return ""
    stem = name.split(".", 1)[0]
    return next((file for file in files if file.rsplit("/", 1)[-1].removesuffix(".py") == stem), "")


def checkouts_named_in(relative: str, data: bytes, root: Path) -> Iterator[str]:
    """Folders outside `root` that a file puts on the module search path: editable installs and path files."""
    name = relative.rsplit("/", 1)[-1]
    if name.endswith((".pth", ".egg-link")):
        places = [line.strip() for line in _text(data).splitlines()]
    elif name == "direct_url.json":
        places = [_local_url(_text(data))]
    elif name.startswith("__editable__") and name.endswith(".py"):
        places = [part for part in _text(data).replace('"', "'").split("'") if part.startswith("/")]
    else:
        return
    for place in places:
        if place.startswith("/") and not Path(place).resolve().is_relative_to(root):
            yield place


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _local_url(text: str) -> str:
    try:
        url = json.loads(text).get("url", "")
    except (ValueError, AttributeError):
        return ""
    return url.removeprefix("file://") if isinstance(url, str) and url.startswith("file://") else ""
