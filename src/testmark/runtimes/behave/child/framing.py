"""Length-prefixed JSON frames between the judge and its worker: 4 bytes big-endian, then UTF-8 JSON."""

from __future__ import annotations

import json
import os
import struct
from typing import Any

_HEADER = struct.Struct(">I")


def read_exactly(fd: int, size: int) -> bytes:
    """`size` bytes of `fd`, fewer only at its end."""
    parts = []
    while size:
        part = os.read(fd, min(size, 1 << 20))
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def read_frame(fd: int) -> Any:
    """The next frame's value, or None at the end of the stream."""
    header = read_exactly(fd, _HEADER.size)
    if len(header) < _HEADER.size:
        return None
    size = _HEADER.unpack(header)[0]
    body = read_exactly(fd, size)
    return json.loads(body) if len(body) == size else None


def write_frame(fd: int, value: Any) -> None:
    """Write one frame whole."""
    body = json.dumps(value, ensure_ascii=True).encode()
    write_all(fd, _HEADER.pack(len(body)) + body)


def write_all(fd: int, data: bytes) -> None:
    """os.write until everything is out."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
