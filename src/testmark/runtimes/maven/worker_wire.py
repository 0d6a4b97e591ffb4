"""Values in the frames between the judge and a JVM; the other end is Wire.java."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping

COMPILE, DIGESTS, REFERENCES, RUN = 1, 2, 3, 4
ANSWER, LOST = 10, 11
BEGUN, STARTED, FINISHED, SKIPPED, BROKEN, EXITING, LIMIT, ENDED = range(20, 28)
_INT = struct.Struct(">i")
_REAL = struct.Struct(">d")


class Writer:
    """Values of one frame to be sent; every method returns the writer itself."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def number(self, value: int) -> Writer:
        self._parts.append(_INT.pack(value))
        return self

    def real(self, value: float) -> Writer:
        self._parts.append(_REAL.pack(value))
        return self

    def raw(self, value: bytes) -> Writer:
        self._parts += (_INT.pack(len(value)), value)
        return self

    def text(self, value: str) -> Writer:
        return self.raw(value.encode("utf-8", "replace"))

    def texts(self, values: Iterable[str]) -> Writer:
        listed = list(values)
        self.number(len(listed))
        for value in listed:
            self.text(value)
        return self

    def files(self, values: Mapping[str, bytes]) -> Writer:
        self.number(len(values))
        for name, value in values.items():
            self.text(name).raw(value)
        return self

    def frame(self) -> bytes:
        """The frame whole, with its length before it."""
        body = b"".join(self._parts)
        return _INT.pack(len(body)) + body


class Reader:
    """Values of one frame that came; a frame that ends too early raises `ValueError`."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._at = 0

    def number(self) -> int:
        value: int = _INT.unpack(self._take(_INT.size))[0]
        return value

    def real(self) -> float:
        value: float = _REAL.unpack(self._take(_REAL.size))[0]
        return value

    def raw(self) -> bytes:
        return self._take(self.number())

    def text(self) -> str:
        return self.raw().decode("utf-8", "replace")

    def texts(self) -> list[str]:
        return [self.text() for _ in range(self.number())]

    def numbers(self) -> tuple[int, ...]:
        return tuple(self.number() for _ in range(self.number()))

    def files(self) -> dict[str, bytes]:
        return {self.text(): self.raw() for _ in range(self.number())}

    def _take(self, size: int) -> bytes:
        part = self._body[self._at : self._at + size]
        if size < 0 or len(part) != size:
            raise ValueError("a frame of the JVM ends before its last value")
        self._at += size
        return part
