"""Code of files that many runs load, compiled once in the worker instead of once in each run.

Compiling runs nothing. Texts of a prediction come here only after a run of their own has loaded them.
"""

from __future__ import annotations

import os
import warnings
from collections import OrderedDict
from collections.abc import Callable
from types import CodeType
from typing import Any

from encoding import encode

from importer import compile_text

_KEPT = 1000
_Key = tuple[str, str, "str | None"]


class Compiled:
    """Code by path and text, the latest `_KEPT` of them."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._codes: OrderedDict[_Key, CodeType | None] = OrderedDict()

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
            code = self.script(path, request["files"].get(path))
            if code is not None:
                codes[path] = code
        return codes

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
