"""Poetry's own notation of dependencies, as the standard's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any


def poetry_requirements(table: Mapping[str, Any]) -> list[str]:
    """PEP 508 requirements of one dependency table; optional ones and those from a folder are left out."""
    return [line for name, spec in table.items() for line in _requirement(name, spec)]


def _requirement(name: str, spec: object) -> list[str]:
    if isinstance(spec, list):  # one entry for each range of Pythons
        return [line for entry in spec for line in _requirement(name, entry)]
    if isinstance(spec, str):
        return [f"{name}{specifier(spec)}"]
    if not isinstance(spec, dict) or spec.get("optional") or "path" in spec:
        return []
    extras = f"[{','.join(spec['extras'])}]" if spec.get("extras") else ""
    markers = [spec["markers"]] if spec.get("markers") else []
    if isinstance(spec.get("python"), str):
        markers += [
            f"python_version {op} '{version}'"
            for op, version in re.findall(r"([<>=!~]+)\s*([\d.]+)", specifier(spec["python"]))
        ]
    marker = f" ; {' and '.join(markers)}" if markers else ""
    if "git" in spec:
        reference = spec.get("rev") or spec.get("tag") or spec.get("branch")
        return [f"{name}{extras} @ git+{spec['git']}" + (f"@{reference}" if reference else "") + marker]
    return [f"{name}{extras}{specifier(str(spec.get('version', '*')))}{marker}"]


def specifier(spec: str) -> str:
    """Poetry's `^1.2`, `~1.2`, `1.2` and `*` as PEP 440 specifiers; alternatives (`||`) become their first."""
    parts = []
    for part in spec.split("||", maxsplit=1)[0].split(","):
        text = part.strip()
        match = re.fullmatch(r"([\^~])\s*(\d+(?:\.\d+)*)(.*)", text)
        if text in {"", "*"}:
            continue
        if match is None or text.startswith("~="):
            parts.append(text if not text[0].isdigit() else f"=={text}")
            continue
        numbers = [int(number) for number in match[2].split(".")]
        if match[1] == "^":
            fixed = next((place for place, number in enumerate(numbers) if number), len(numbers) - 1)
        else:
            fixed = min(1, len(numbers) - 1)
        upper = [*numbers[:fixed], numbers[fixed] + 1]
        parts += [f">={match[2]}{match[3]}", f"<{'.'.join(map(str, upper))}"]
    return ",".join(parts)
