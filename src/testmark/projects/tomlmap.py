"""On which line a key of a TOML text stands.

`tomllib` gives values without positions, so this module walks over a text that `tomllib` has already accepted. Because
the text is known to be valid, only strings, comments, brackets and keys need to be told apart.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

KeyPath = tuple[str | int, ...]
"""A path of keys and array indices, as in `("suite", 1, "level")`."""

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def locate_keys(text: str) -> dict[KeyPath, int]:
    """The 1-based line of each table, key and array element of a valid TOML text."""
    return _Walker(text.removeprefix("\ufeff").replace("\r\n", "\n")).walk()


def line_of(lines: Mapping[KeyPath, int], path: KeyPath) -> int:
    """The line of `path`, or of the nearest thing round it that is written in the file (1 when nothing is)."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return 1


@dataclass
class _Walker:
    text: str
    at: int = 0
    lines: dict[KeyPath, int] = field(default_factory=dict)
    lengths: dict[KeyPath, int] = field(default_factory=dict)
    """How many tables each array of tables has so far."""

    def walk(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        while self._skip_blank():
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)
        return self.lines

    def _note(self, path: KeyPath, start: int) -> None:
        self.lines.setdefault(path, self.text.count("\n", 0, start) + 1)

    def _skip_blank(self) -> bool:
        """Go on to the next key, value or bracket; False at the end of the text."""
        while self.at < len(self.text):
            if self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif self.text[self.at] in " \t\n":
                self.at += 1
            else:
                return True
        return False

    def _header(self) -> KeyPath:
        start = self.at
        array = self.text.startswith("[[", start)
        self.at += 2 if array else 1
        keys = list(self._dotted_key())
        self.at = self.text.index("]", self.at) + (2 if array else 1)
        path: KeyPath = ()
        for position, key in enumerate(keys):
            path = (*path, key)
            self._note(path, start)
            last = position == len(keys) - 1
            if last and array:
                self.lengths[path] = self.lengths.get(path, 0) + 1
            if path in self.lengths:  # a header reaches into the newest table of an array of tables
                path = (*path, self.lengths[path] - 1)
                self._note(path, start)
        return path

    def _pair(self, table: KeyPath) -> None:
        start = self.at
        path = table
        for key in self._dotted_key():
            path = (*path, key)
            self._note(path, start)
        self.at = self.text.index("=", self.at) + 1
        self._value(path)

    def _dotted_key(self) -> Iterator[str]:
        while True:
            self._skip_spaces()
            yield self._simple_key()
            self._skip_spaces()
            if self.text[self.at] != ".":
                return
            self.at += 1

    def _simple_key(self) -> str:
        start = self.at
        if self.text[start] in "\"'":
            self._string()
            (key,) = tomllib.loads(f"{self.text[start : self.at]} = 0")
            return str(key)
        while self.at < len(self.text) and self.text[self.at] in _BARE:
            self.at += 1
        return self.text[start : self.at]

    def _skip_spaces(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \t":
            self.at += 1

    def _value(self, path: KeyPath) -> None:
        self._skip_blank()
        first = self.text[self.at]
        if first == "[":
            self._array(path)
        elif first == "{":
            self._inline_table(path)
        elif first in "\"'":
            self._string()
        else:  # a number, a truth value or a date
            while self.at < len(self.text) and self.text[self.at] not in ",]}#\n":
                self.at += 1

    def _array(self, path: KeyPath) -> None:
        self.at += 1
        index = 0
        while self._skip_blank() and self.text[self.at] != "]":
            if self.text[self.at] == ",":
                self.at += 1
                continue
            self._note((*path, index), self.at)
            self._value((*path, index))
            index += 1
        self.at += 1

    def _inline_table(self, path: KeyPath) -> None:
        self.at += 1
        while self._skip_blank() and self.text[self.at] != "}":
            if self.text[self.at] == ",":
                self.at += 1
                continue
            self._pair(path)
        self.at += 1

    def _string(self) -> None:
        quote = self.text[self.at]
        fence = quote * 3 if self.text.startswith(quote * 3, self.at) else quote
        self.at += len(fence)
        while not self.text.startswith(fence, self.at):
            self.at += 2 if quote == '"' and self.text[self.at] == "\\" else 1
        self.at += len(fence)
        while fence != quote and self.text.startswith(quote, self.at):  # up to two more quotes belong to the text
            self.at += 1
