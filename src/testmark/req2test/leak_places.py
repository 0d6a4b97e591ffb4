"""Places that give hidden Python away by what they are, whatever they hold: installed copies and ways to a checkout."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

_INSTALLED = frozenset({"site-packages", "dist-packages"})
_LIBRARIES = (".so", ".pyd", ".dll", ".dylib")


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
