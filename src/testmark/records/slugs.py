"""File names for instance identifiers."""

from __future__ import annotations

import hashlib
import re

_KEPT = 100


def slug(instance_id: str) -> str:
    """A readable file name for an identifier, at most 120 characters, different for different identifiers."""
    readable = re.sub(r"[^A-Za-z0-9.-]+", "_", instance_id).strip("._")[-_KEPT:]
    return f"{readable}-{hashlib.sha256(instance_id.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
