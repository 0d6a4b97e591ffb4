"""Where this machine's apt gets Debian from, so that roots come from the same place. Nothing of it stays in a root."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

_APT = Path("/etc/apt")
_SETTINGS = re.compile(r"Acquire::(Check-|Retries|Proxy|https?::|AllowInsecure)", re.IGNORECASE)
_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


def lines(suite: str, folder: Path = _APT) -> list[str]:
    """Lines of a `sources.list` for another suite: the host's own for its Debian archive, with the suite replaced.

    None where the host has no Debian archive: mmdebstrap then knows its own. Suites of updates have other names or do
    not exist, so a root is the plain suite.
    """
    host = _codename()
    found: dict[str, None] = {}
    for uri, host_suite, components, options in _entries(folder):
        if host_suite == host and "main" in components:
            text = f"[{options}] " if options else ""
            found[f"deb {text}{uri} {suite} main"] = None
    return list(found)


def options() -> list[str]:
    """The host's settings for fetching (proxies, dates of frozen archives), as options of mmdebstrap."""
    try:
        done = subprocess.run(["apt-config", "dump", "Acquire"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return [
        f"--aptopt={line}" for line in done.stdout.splitlines() if _SETTINGS.match(line) and not line.endswith(' "";')
    ]


def _codename(release: Path = Path("/etc/os-release")) -> str:
    if not release.is_file():
        return ""
    found = re.search(r'^VERSION_CODENAME="?([\w.-]+)"?$', release.read_text(encoding="utf-8"), re.MULTILINE)
    return found.group(1) if found else "sid"


def _entries(folder: Path) -> Iterator[tuple[str, str, Sequence[str], str]]:
    """(URI, suite, components, options) of each archive of binary packages."""
    for path in sorted([folder / "sources.list", *folder.glob("sources.list.d/*.list")]):
        if path.is_file():
            yield from _one_line_style(path.read_text(encoding="utf-8"))
    for path in sorted(folder.glob("sources.list.d/*.sources")):
        yield from _deb822_style(path.read_text(encoding="utf-8"))


def _one_line_style(text: str) -> Iterator[tuple[str, str, Sequence[str], str]]:
    for line in text.splitlines():
        found = re.match(
            r"\s*deb\s+(?:\[(?P<options>[^]]*)]\s+)?(?P<uri>\S+)\s+(?P<suite>\S+)\s+(?P<components>[^#]*)", line
        )
        if found:
            yield (
                found["uri"],
                found["suite"],
                found["components"].split(),
                (found["options"] or _default_key()).strip(),
            )


def _deb822_style(text: str) -> Iterator[tuple[str, str, Sequence[str], str]]:
    plain = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for paragraph in re.split(r"\n\s*\n", plain):
        fields = {
            key.strip().lower(): value.split()
            for key, _, value in (line.partition(":") for line in re.sub(r"\n\s+", " ", paragraph).splitlines())
        }
        if "deb" not in fields.get("types", []) or fields.get("enabled") == ["no"]:
            continue
        signed = fields.get("signed-by", [])
        key = f"signed-by={signed[0]}" if len(signed) == 1 and signed[0].startswith("/") else _default_key()
        for uri in fields.get("uris", []):
            for suite in fields.get("suites", []):
                yield uri, suite, fields.get("components", []), key


def _default_key() -> str:
    return f"signed-by={_KEYRING}" if _KEYRING.is_file() else ""
