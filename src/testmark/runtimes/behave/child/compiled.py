"""Code of files that many runs load, compiled once in the worker instead of once in each run.

Compiling runs nothing. Texts of a prediction come here only after a run of their own has passed, and are compiled in a
process of their own: a file that no run loads may be made to take hours.
"""

from __future__ import annotations

import marshal
import os
import resource
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from encoding import encode

import framing
from importer import compile_text

_KEPT = 1000
_CPU_SECONDS = 2
_CODE_BYTES = 64 << 20
_Key = tuple[str, str, "str | None"]


class Compiled:
    """Code by path and text, the latest `_KEPT` of them."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._codes: OrderedDict[_Key, CodeType | None] = OrderedDict()
        self._shelter: Iterator[None] | None = None

    def hide(self) -> None:
        """For the forked child: put the code of other runs where looking raises an audit event, and free nothing."""
        self._shelter = _sheltering(self._codes)
        next(self._shelter)
        self._codes = OrderedDict()

    def module(self, path: str, text: str) -> CodeType | None:
        """The module's code as importing it would compile it; None if it does not compile."""
        return self._kept(("module", path, text), lambda: compile_text(text, os.path.join(self._root, path)))

    def script(self, path: str, text: str | None) -> CodeType | None:
        """A step file or hooks file as behave compiles it, under its relative name; `text` None means the project's."""
        return self._kept(("script", path, text), lambda: self._compile_script(path, text))

    def scripts(self, request: dict[str, Any]) -> dict[str, CodeType]:
        """Code by path of the step and hooks files that the request loads, as far as it may be compiled here."""
        test = set(request["test_files"])
        codes = {}
        for path in request["load"] or ():
            if path in test and not request["proven"]:
                continue
            text = request["files"].get(path)
            code = self._script_apart(path, text, request["limits"]) if path in test else self.script(path, text)
            if code is not None:
                codes[path] = code
        return codes

    def _script_apart(self, path: str, text: str | None, limits: dict[str, Any]) -> CodeType | None:
        return self._kept(("script", path, text), lambda: _apart(lambda: self._compile_script(path, text), limits))

    def _compile_script(self, path: str, text: str | None) -> CodeType | None:
        try:
            if text is None:
                with open(os.path.join(self._root, path), "rb") as handle:
                    data = handle.read()
            else:
                data = encode(path, text)
            code: CodeType = compile(data, path, "exec", dont_inherit=True)
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            # Loading it says what is wrong, in the run that needs it.
            return None
        return code

    def _kept(self, key: _Key, make: Callable[[], CodeType | None]) -> CodeType | None:
        if key in self._codes:
            self._codes.move_to_end(key)
            return self._codes[key]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = self._codes[key] = make()
        if len(self._codes) > _KEPT:
            self._codes.popitem(last=False)
        return code


def _sheltering(_value: Any) -> Iterator[None]:
    """A generator that keeps a value among its own local variables."""
    yield


def _apart(make: Callable[[], CodeType | None], limits: dict[str, Any]) -> CodeType | None:
    """What `make` returns in a process of its own; None if that takes more than compiling a test ever should."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        failed = 1
        try:
            os.close(reading)
            resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
            resource.setrlimit(resource.RLIMIT_AS, (limits["memory_mib"] << 20,) * 2)
            framing.write_all(writing, marshal.dumps(make()))
            failed = 0
        finally:
            os._exit(failed)
    os.close(writing)
    data = framing.read_exactly(reading, _CODE_BYTES)
    os.close(reading)
    _, status = os.waitpid(pid, 0)
    code: CodeType | None = marshal.loads(data) if status == 0 else None
    return code
