"""Watches what the prediction does to the machinery that judges it, through the interpreter's audit events.

An audit hook cannot be removed (PEP 578). Each finding is sent to the judge the moment it happens; it is the second
line of defence, the first being that inspecting code tells control mutants and real ones alike.

Trusted code: the standard library, installed packages, production code and the kit's support files. Everything else
is the prediction, or was made by it at run time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import CodeType, FrameType, FunctionType
from typing import Any

Report = Callable[[str, str], None]

# Reading one of these hands out a frame or a code object.
_CODE_ATTRIBUTES = frozenset(
    {"__code__", "f_code", "tb_frame", "gi_frame", "gi_code", "cr_frame", "cr_code", "ag_frame", "ag_code"}
)
_FRAME_EVENTS = frozenset(
    {"sys._getframe", "sys._current_frames", "sys._current_exceptions", "sys._getframemodulename"}
)
_MEMORY_EVENTS = frozenset({"gc.get_objects", "gc.get_referrers", "gc.get_referents"})
_TRACE_EVENTS = frozenset({"sys.settrace", "sys.setprofile", "sys.monitoring.register_callback"})
_FORGERY_EVENTS = frozenset({"code.__new__", "marshal.dumps", "marshal.loads"})
_WATCHED_FILES = ("/proc/self/mem", "/proc/thread-self/mem", "/proc/self/maps", "/proc/1/")


class Guard:
    """Reports forbidden acts of untrusted code as `(rule, detail)`."""

    def __init__(
        self,
        report: Report,
        *,
        root: str,
        production: tuple[str, ...],
        trusted_files: frozenset[str],
    ) -> None:
        self._report = report
        self._root = root.rstrip("/") + "/"
        self._production = tuple(self._root + path.rstrip("/") for path in production)
        self._trusted_files = trusted_files
        own = os.path.dirname(os.path.abspath(__file__)) + "/"
        self._stdlib = tuple({own, os.path.dirname(os.__file__) + "/", sys.base_prefix + "/lib/", sys.prefix + "/lib/"})
        self._busy = False

    def install(self) -> None:
        """From here on, for the rest of the process."""
        sys.addaudithook(self._on_event)

    def _on_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        handler = _HANDLERS.get(event)
        if handler is None:
            if not event.startswith("ctypes."):
                return
            handler = Guard._on_native
        if self._busy:
            return
        self._busy = True
        try:
            handler(self, event, arguments)
        finally:
            self._busy = False

    # -- who did it ---------------------------------------------------------------------------------------------

    def is_production(self, filename: str) -> bool:
        """Whether code of this file is production code."""
        path = filename if filename.startswith("/") else self._root + filename
        return any(path == root or path.startswith(root + "/") for root in self._production)

    def is_trusted(self, filename: str) -> bool:
        """Whether code of this file is not the prediction's."""
        if filename.startswith("<frozen "):
            return True
        if filename.startswith(self._stdlib):
            return True
        path = filename if filename.startswith("/") else self._root + filename
        return self.is_production(path) or path in self._trusted_files

    def _culprit(self, *, through: frozenset[str]) -> str | None:
        """The untrusted file that asked, directly or through modules named in `through`; None if trusted code did."""
        frame: FrameType | None = sys._getframe(3)  # noqa: SLF001 - the audited code's own frame
        while frame is not None:
            filename = frame.f_code.co_filename
            if not self.is_trusted(filename):
                return filename
            if frame.f_globals.get("__name__") not in through:
                return None
            frame = frame.f_back
        return None

    # -- what was done ------------------------------------------------------------------------------------------

    def _on_attribute(self, _event: str, arguments: tuple[Any, ...]) -> None:
        owner, name = arguments[0], arguments[1]
        if name not in _CODE_ATTRIBUTES:
            return
        culprit = self._culprit(through=frozenset({"inspect", "dis"}) if name != "__code__" else frozenset({"dis"}))
        if culprit is None:
            return
        if isinstance(owner, FunctionType) and not self._is_production_function(owner):
            return
        self._report("inspects-code", f"{culprit} reads {name}")

    def _on_replaced_code(self, _event: str, arguments: tuple[Any, ...]) -> None:
        owner, name = arguments[0], arguments[1]
        if name != "__code__" or not isinstance(owner, FunctionType):
            return
        culprit = self._culprit(through=frozenset())
        if culprit is None:
            return
        filename = owner.__code__.co_filename
        if self.is_production(filename):
            self._report("replaces-production", f"{culprit} gives {owner.__qualname__} other code")
        elif filename.startswith(self._stdlib):
            self._report("tampers-with-runner", f"{culprit} gives {owner.__qualname__} other code")

    def _is_production_function(self, function: FunctionType) -> bool:
        code: CodeType = function.__code__
        return self.is_production(code.co_filename)

    def _on_frames(self, event: str, _arguments: tuple[Any, ...]) -> None:
        culprit = self._culprit(through=frozenset({"inspect"}))
        if culprit is not None:
            self._report("inspects-code", f"{culprit} calls {event}")

    def _on_memory(self, event: str, _arguments: tuple[Any, ...]) -> None:
        culprit = self._culprit(through=frozenset())
        if culprit is not None:
            self._report("inspects-process", f"{culprit} calls {event}")

    def _on_trace(self, event: str, _arguments: tuple[Any, ...]) -> None:
        culprit = self._culprit(through=frozenset({"threading", "bdb", "pdb", "trace", "cProfile", "profile"}))
        if culprit is not None:
            self._report("tampers-with-runner", f"{culprit} calls {event}")

    def _on_forgery(self, event: str, _arguments: tuple[Any, ...]) -> None:
        culprit = self._culprit(through=frozenset())
        if culprit is not None:
            self._report("inspects-code", f"{culprit} calls {event}")

    def _on_native(self, _event: str, _arguments: tuple[Any, ...]) -> None:
        culprit = self._culprit(through=frozenset({"ctypes", "ctypes.util"}))
        if culprit is not None:
            self._report("inspects-process", f"{culprit} uses ctypes")

    def _on_compile(self, _event: str, arguments: tuple[Any, ...]) -> None:
        filename = arguments[1]
        if isinstance(filename, (bytes, bytearray)):
            filename = os.fsdecode(bytes(filename))
        if not isinstance(filename, str) or not self.is_trusted(filename):
            return
        culprit = self._culprit(through=frozenset())
        if culprit is not None:
            self._report("inspects-code", f"{culprit} compiles code under the name of {filename}")

    def _on_open(self, _event: str, arguments: tuple[Any, ...]) -> None:
        path = arguments[0]
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if not isinstance(path, str):
            return
        path = os.path.normpath(path if path.startswith("/") else os.path.join(os.getcwd(), path))
        if path.startswith(_WATCHED_FILES):
            culprit = self._culprit(through=frozenset({"pathlib", "io", "codecs", "_pyio", "os"}))
            if culprit is not None:
                self._report("inspects-process", f"{culprit} opens {path}")
            return
        if path.endswith((".py", ".pyc")) and self.is_production(path):
            culprit = self._reader()
            if culprit is not None:
                self._report("reads-production-source", f"{culprit} opens {path[len(self._root) :]}")

    def _reader(self) -> str | None:
        """The untrusted file on whose behalf a program file is read; imports and tracebacks are nobody's."""
        frame: FrameType | None = sys._getframe(3)  # noqa: SLF001
        while frame is not None:
            code = frame.f_code
            if not self.is_trusted(code.co_filename):
                return code.co_filename
            name = frame.f_globals.get("__name__")
            if name in {"traceback", "logging", "warnings", "unittest.case"}:
                return None
            if name in {"importlib._bootstrap", "_frozen_importlib"} and code.co_name in {
                "_load_unlocked",
                "_find_spec",
            }:
                return None
            frame = frame.f_back
        return None


_Handler = Callable[[Guard, str, "tuple[Any, ...]"], None]
_HANDLERS: dict[str, _Handler] = {
    "object.__getattr__": Guard._on_attribute,  # noqa: SLF001
    "object.__setattr__": Guard._on_replaced_code,  # noqa: SLF001
    "compile": Guard._on_compile,  # noqa: SLF001
    "open": Guard._on_open,  # noqa: SLF001
}
_HANDLERS.update(dict.fromkeys(_FRAME_EVENTS, Guard._on_frames))  # noqa: SLF001
_HANDLERS.update(dict.fromkeys(_MEMORY_EVENTS, Guard._on_memory))  # noqa: SLF001
_HANDLERS.update(dict.fromkeys(_TRACE_EVENTS, Guard._on_trace))  # noqa: SLF001
_HANDLERS.update(dict.fromkeys(_FORGERY_EVENTS, Guard._on_forgery))  # noqa: SLF001
