"""Which production lines ran, and which production methods the steps called directly.

A call is *direct* when a When or Then step is active, the callee is production code, and no other production frame
stands between it and the step; frames of test helpers and of libraries are transparent. Production frames that only
stand for another one are seen through: descriptor protocol methods (`__get__` names the attribute it serves) and
functions defined inside functions (decorators' wrappers).
"""

from __future__ import annotations

import dis
import inspect
import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType, FunctionType
from typing import Any

Location = tuple[str, int, str]

_DESCRIPTOR_METHODS = frozenset({"__get__", "__set__", "__delete__", "__set_name__"})
_CHECKED = ("when", "then")
_LINE_EVENTS = frozenset({"call", "line"})
_RESUMABLE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_RESUME = dis.opmap.get("RESUME")
_Trace = Callable[..., Any]


class Tracer:
    """Records lines and direct calls of production code by `sys.settrace`.

    `root` is the project's folder; `production` are folders or files relative to it.
    """

    def __init__(self, root: str, production: list[str]) -> None:
        self._root = root.rstrip("/") + "/"
        self._production = tuple(path.rstrip("/") for path in production)
        self._paths: dict[str, str | None] = {}
        self.lines: dict[str, set[int]] = {}
        self.step_lines: dict[str, set[int]] = {}
        self.checked_lines: dict[str, set[int]] = {}
        self.calls: dict[Location, None] = {}
        self._recorders: dict[str, _Trace] = {}
        self._in_step = False
        self._checked = False

    def start(self) -> None:
        threading.settrace(self._on_call)
        sys.settrace(self._on_call)

    def stop(self) -> None:
        sys.settrace(None)
        threading.settrace(None)

    def enter_step(self, step_type: str) -> None:
        self._in_step = True
        self._checked = step_type in _CHECKED
        if sys.gettrace() != self._on_call:
            # The project's hooks may start a tracer of their own, coverage's say; what a step runs is seen here.
            self.start()

    def leave_step(self) -> None:
        self._in_step = False
        self._checked = False

    def relative(self, filename: str) -> str | None:
        """The project-relative path of a production file's code, or None for other code."""
        try:
            return self._paths[filename]
        except KeyError:
            path: str | None = None
            if filename.startswith(self._root):
                path = filename[len(self._root) :]
            elif not filename.startswith(("/", "<")):
                path = filename
            if path is not None and not any(
                path == root or path.startswith(root + "/") or root in {"", "."} for root in self._production
            ):
                path = None
            self._paths[filename] = path
            return path

    def _on_call(self, frame: FrameType, event: str, _argument: Any) -> _Trace | None:
        path = self.relative(frame.f_code.co_filename)
        if path is None:
            return None
        if self._checked:
            self._note_call(frame)
        recorder = self._recorders.get(path)
        if recorder is None:
            recorder = self._recorders[path] = self._make_recorder(path)
        recorder(frame, event, None)
        return recorder

    def _make_recorder(self, path: str) -> _Trace:
        add = self.lines.setdefault(path, set()).add
        add_step = self.step_lines.setdefault(path, set()).add
        add_checked = self.checked_lines.setdefault(path, set()).add

        def record(frame: FrameType, event: str, _argument: Any) -> _Trace:
            if event in _LINE_EVENTS:
                add(frame.f_lineno)
                if self._in_step:
                    add_step(frame.f_lineno)
                if self._checked:
                    add_checked(frame.f_lineno)
            return record

        return record

    def _note_call(self, frame: FrameType) -> None:
        code = frame.f_code
        if code.co_name in _DESCRIPTOR_METHODS:
            code = _served_attribute(frame) or code
        elif code.co_name.startswith("<") or _is_nested(code) or _is_resumed(frame):
            return
        served_path = self.relative(code.co_filename)
        if served_path is not None and not self._has_production_caller(frame):
            self.calls.setdefault((served_path, code.co_firstlineno, code.co_name))

    def _has_production_caller(self, frame: FrameType) -> bool:
        caller = frame.f_back
        while caller is not None:
            code = caller.f_code
            if self.relative(code.co_filename) is not None and not (
                code.co_name in _DESCRIPTOR_METHODS or _is_nested(code)
            ):
                return True
            caller = caller.f_back
        return False


def _is_nested(code: CodeType) -> bool:
    """Whether the code belongs to a function made inside another one, as a decorator's wrapper is."""
    qualname = getattr(code, "co_qualname", None)
    if qualname is not None:
        return "<locals>" in qualname
    # Python 3.9 and 3.10 have no qualified name on code; CO_NESTED (0x10) says the same.
    return bool(code.co_flags & 0x10)


def _is_resumed(frame: FrameType) -> bool:
    """Whether a generator or coroutine goes on after a yield: its call was noted when it began."""
    code = frame.f_code
    if not code.co_flags & _RESUMABLE or frame.f_lasti < 0:
        return False
    if _RESUME is None:
        return True
    instructions = code.co_code
    # The argument of RESUME is 0 at a function's start and not 0 after a yield or an await.
    return instructions[frame.f_lasti] != _RESUME or instructions[frame.f_lasti + 1] & 3 != 0


def _served_attribute(frame: FrameType) -> CodeType | None:
    """The code of the function that a descriptor's `__get__` or `__set__` frame stands for, if it wraps one."""
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount]
    if len(names) < 2:  # noqa: PLR2004 - self and the instance
        return None
    values = frame.f_locals
    descriptor, instance = values.get(names[0]), values.get(names[1])
    if descriptor is None or instance is None:
        return None
    try:
        held = list(vars(descriptor).values())
    except TypeError:
        held = [getattr(descriptor, name, None) for name in getattr(type(descriptor), "__slots__", ())]
    functions = [value for value in held if isinstance(value, FunctionType)]
    return functions[0].__code__ if functions else None
