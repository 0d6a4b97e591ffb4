"""Watches what the prediction does to the machinery that judges it, through the interpreter's audit events.

An audit hook cannot be removed (PEP 578). Each finding is sent to the judge the moment it happens, and again with the
run's last word; it is the second line of defence, the first being that inspecting code tells control mutants and real
ones alike.

Trusted code: the standard library, installed packages, production code and the kit's support files. Everything else
is the prediction, or was made by it at run time.

The hook is one closure over all that it uses, and calls no method of an object that the prediction made. A class, a
module's name or a built-in function that it looked up while it works, or the method of a subclass of `str`, would be
within the prediction's reach, which could put something else in its place.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from types import FrameType, FunctionType
from typing import Any, NamedTuple

Report = Callable[[str, str], None]
_Arguments = tuple[Any, ...]

# Reading one of these hands out a frame or a code object.
_CODE_ATTRIBUTES = frozenset(
    {"__code__", "f_code", "tb_frame", "gi_frame", "gi_code", "cr_frame", "cr_code", "ag_frame", "ag_code"}
)
_FRAME_EVENTS = (
    "sys._getframe",
    "sys._current_frames",
    "sys._current_exceptions",
    "sys._getframemodulename",
)
_MEMORY_EVENTS = ("gc.get_objects", "gc.get_referrers", "gc.get_referents", "cpython.PyInterpreterState_New")
_TRACE_EVENTS = ("sys.settrace", "sys.setprofile", "sys.monitoring.register_callback")
_FORGERY_EVENTS = ("code.__new__", "marshal.dumps", "marshal.loads")
_WATCHED_FILES = ("/proc/self/mem", "/proc/thread-self/mem", "/proc/self/maps", "/proc/1/")
_PROFILERS = frozenset({"threading", "bdb", "pdb", "trace", "cProfile", "profile"})
_READERS = frozenset({"pathlib", "io", "codecs", "_pyio", "os"})
_SHOWS_LINES = frozenset({"traceback", "logging", "warnings", "unittest.case"})
_IMPORTS = frozenset({"_load_unlocked", "_find_spec"})
# Functions of the standard library that hand the frame or code that they read to whoever called them.
_HANDS_OUT = frozenset(
    {
        ("traceback", "walk_tb"),
        ("traceback", "_walk_tb_with_full_positions"),
        ("traceback", "walk_stack"),
        ("logging", "currentframe"),
        ("logging", "<lambda>"),
        ("inspect", "getclosurevars"),
    }
)


class Trust(NamedTuple):
    """Whose code a file's is."""

    is_production: Callable[[str], bool]
    is_trusted: Callable[[str], bool]


def make_trust(*, root: str, production: tuple[str, ...], trusted_files: frozenset[str]) -> Trust:
    """`root` is the project's folder, `production` names folders and files below it; all names are absolute within."""
    top = root.rstrip("/") + "/"
    whole = frozenset(top + path.rstrip("/") for path in production)
    below = tuple(path + "/" for path in whole)
    own = os.path.dirname(os.path.abspath(__file__)) + "/"
    exact_text = str.__str__
    installed = (own, os.path.dirname(os.__file__) + "/", sys.base_prefix + "/lib/", sys.prefix + "/lib/")

    def is_production(filename: str) -> bool:
        filename = exact_text(filename)
        path = filename if filename.startswith("/") else top + filename
        return path in whole or path.startswith(below)

    def is_trusted(filename: str) -> bool:
        filename = exact_text(filename)
        if filename.startswith("<frozen ") or filename.startswith(installed):
            return True
        path = filename if filename.startswith("/") else top + filename
        return path in whole or path.startswith(below) or path in trusted_files

    return Trust(is_production, is_trusted)


def watch(report: Report, trust: Trust, root: str) -> None:  # noqa: C901, PLR0915 - one closure, see above
    """From here on, for the rest of the process, report forbidden acts of untrusted code as `(rule, detail)`."""
    is_production, is_trusted = trust
    top = root.rstrip("/") + "/"
    get_frame, working_folder, this_thread = sys._getframe, os.getcwd, threading.get_ident  # noqa: SLF001
    is_a, function_type, exact_text, entry_of, decoded = isinstance, FunctionType, str.__str__, dict.get, bytes.decode
    kind_of, text_type, bytes_type, no_access = type, str, bytes, OSError
    code_attributes, watched_files, hands_out = _CODE_ATTRIBUTES, _WATCHED_FILES, _HANDS_OUT
    shows_lines, imports = _SHOWS_LINES, _IMPORTS
    nothing: frozenset[str] = frozenset()
    introspective, inspecting, disassembling = frozenset({"inspect", "dis"}), frozenset({"inspect"}), frozenset({"dis"})
    profilers, readers, native = _PROFILERS, _READERS, frozenset({"ctypes", "ctypes.util"})
    busy: set[int] = set()

    def culprit(through: frozenset[str], *, to_the_end: bool = False) -> str | None:
        """The untrusted file that asked, directly or through modules named in `through`; None if trusted code did.

        With `to_the_end` a stack that holds nothing but those modules, as a thread's beginning does, is untrusted too.
        """
        frame: FrameType | None = get_frame(3)  # the audited code's own frame
        while frame is not None:
            code = frame.f_code
            if not is_trusted(code.co_filename):
                return exact_text(code.co_filename)
            name = entry_of(frame.f_globals, "__name__")
            if kind_of(name) is not text_type:
                return exact_text(code.co_filename)
            if name not in through and (name, exact_text(code.co_name)) not in hands_out:
                return None
            frame = frame.f_back
        return "a thread" if to_the_end else None

    def on_attribute(_event: str, arguments: _Arguments) -> None:
        owner, name = arguments[0], arguments[1]
        if name not in code_attributes:
            return
        found = culprit(introspective if name != "__code__" else disassembling)
        if found is None:
            return
        if is_a(owner, function_type) and not is_production(owner.__code__.co_filename):
            return
        report("inspects-code", f"{found} reads {name}")

    def on_replaced_code(_event: str, arguments: _Arguments) -> None:
        owner, name = arguments[0], arguments[1]
        if name != "__code__" or not is_a(owner, function_type):
            return
        found = culprit(nothing)
        if found is None:
            return
        filename = owner.__code__.co_filename
        if is_production(filename):
            report("replaces-production", f"{found} gives {exact_text(owner.__qualname__)} other code")
        elif is_trusted(filename):
            report("tampers-with-runner", f"{found} gives {exact_text(owner.__qualname__)} other code")

    def on_frames(event: str, _arguments: _Arguments) -> None:
        found = culprit(inspecting)
        if found is not None:
            report("inspects-code", f"{found} calls {event}")

    def on_memory(event: str, _arguments: _Arguments) -> None:
        found = culprit(nothing)
        if found is not None:
            report("inspects-process", f"{found} calls {event}")

    def on_trace(event: str, _arguments: _Arguments) -> None:
        found = culprit(profilers, to_the_end=True)
        if found is not None:
            report("tampers-with-runner", f"{found} calls {event}")

    def on_forgery(event: str, _arguments: _Arguments) -> None:
        found = culprit(nothing)
        if found is not None:
            report("inspects-code", f"{found} calls {event}")

    def on_native(_event: str, _arguments: _Arguments) -> None:
        found = culprit(native)
        if found is not None:
            report("inspects-process", f"{found} uses ctypes")

    def on_compile(_event: str, arguments: _Arguments) -> None:
        filename = plain_text(arguments[1])
        if filename is None or not is_trusted(filename):
            return
        found = culprit(nothing)
        if found is not None:
            report("inspects-code", f"{found} compiles code under the name of {filename}")

    def on_open(_event: str, arguments: _Arguments) -> None:
        path = plain_text(arguments[0])
        if path is None:
            return
        path = plain_path(path if path.startswith("/") else f"{working_folder()}/{path}")
        if path.startswith(watched_files):
            found = culprit(readers)
            if found is not None:
                report("inspects-process", f"{found} opens {path}")
        elif path.endswith((".py", ".pyc")) and is_production(path):
            found = reader()
            if found is not None:
                report("reads-production-source", f"{found} opens {path[len(top) :]}")

    def plain_text(name: Any) -> str | None:
        if is_a(name, text_type):
            return exact_text(name)
        return decoded(name, "utf-8", "surrogateescape") if is_a(name, bytes_type) else None

    def plain_path(path: str) -> str:
        parts: list[str] = []
        for part in path.split("/"):
            if part == "..":
                del parts[-1:]
            elif part not in {"", "."}:
                parts.append(part)
        return "/" + "/".join(parts)

    def reader() -> str | None:
        """The untrusted file on whose behalf a program file is read; imports are nobody's.

        Code that shows a traceback does without the lines of production code: what it reads it keeps for everybody.
        """
        frame: FrameType | None = get_frame(3)
        while frame is not None:
            code = frame.f_code
            if not is_trusted(code.co_filename):
                return exact_text(code.co_filename)
            name = entry_of(frame.f_globals, "__name__")
            if kind_of(name) is not text_type:
                return exact_text(code.co_filename)
            if name in shows_lines:
                raise no_access("a traceback shows no lines of production code here")
            if name in {"importlib._bootstrap", "_frozen_importlib"} and exact_text(code.co_name) in imports:
                return None
            frame = frame.f_back
        return None

    handlers: dict[str, Callable[[str, _Arguments], None]] = {
        "object.__getattr__": on_attribute,
        "object.__setattr__": on_replaced_code,
        "compile": on_compile,
        "open": on_open,
        **dict.fromkeys(_FRAME_EVENTS, on_frames),
        **dict.fromkeys(_MEMORY_EVENTS, on_memory),
        **dict.fromkeys(_TRACE_EVENTS, on_trace),
        **dict.fromkeys(_FORGERY_EVENTS, on_forgery),
    }

    def on_event(event: str, arguments: _Arguments) -> None:
        handler = handlers.get(event)
        if handler is None:
            if not event.startswith("ctypes."):
                return
            handler = on_native
        thread = this_thread()
        if thread in busy:
            return
        busy.add(thread)
        try:
            handler(event, arguments)
        finally:
            busy.discard(thread)

    sys.addaudithook(on_event)
