"""Places that give hidden things away by what they are, whatever they hold: history, and links to the outside."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
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
