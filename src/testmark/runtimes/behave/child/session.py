"""Runs one Scenario with behave and reports what happened as structured events.

Works with behave 1.2.6 and 1.3. Nothing here decides a verdict: the judge compares the events with what it expects.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from types import CodeType
from typing import Any

from behave import runner as behave_runner
from behave import runner_util
from behave.configuration import Configuration
from behave.runner import Runner

from integrity import Integrity
from tracer import Tracer

Emit = Callable[[str, dict[str, Any]], None]

_MESSAGE_LIMIT = 600


class _OsWithListing:
    """Stands for `os` inside `behave.runner_util` while step files are loaded: lists only the files that may load."""

    def __init__(self, allowed: frozenset[str]) -> None:
        self._allowed = allowed

    def listdir(self, path: str) -> list[str]:
        """The names of `path`'s allowed files."""
        return [
            name
            for name in os.listdir(path)
            if not name.endswith(".py") or os.path.abspath(os.path.join(path, name)) in self._allowed
        ]

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)


@contextlib.contextmanager
def _loading(codes: Mapping[str, CodeType]) -> Iterator[None]:
    """Let behave load files whose code is in `codes`, by relative path, without compiling them again."""
    original = runner_util.exec_file

    def exec_file(filename: str, globals_: Any = None, locals_: Any = None) -> None:
        code = codes.get(os.path.relpath(filename))
        if code is None:
            original(filename, globals_, locals_)
            return
        globals_ = {} if globals_ is None else globals_
        locals_ = globals_ if locals_ is None else locals_
        locals_["__file__"] = filename
        exec(code, globals_, locals_)

    behave_runner.exec_file = runner_util.exec_file = exec_file
    try:
        yield
    finally:
        behave_runner.exec_file = runner_util.exec_file = original


class ObservedRunner(Runner):  # type: ignore[misc]  # behave ships no types
    """behave's runner, loading only given step files and telling the observer of each step's beginning and end."""

    def __init__(
        self, config: Any, observer: Observer, allowed: frozenset[str] | None, codes: Mapping[str, CodeType]
    ) -> None:
        super().__init__(config)
        self._observer = observer
        self._allowed = allowed
        self._codes = codes

    def load_hooks(self, *arguments: Any, **keywords: Any) -> None:
        self._observer.stage = "hooks"
        with _loading(self._codes):
            super().load_hooks(*arguments, **keywords)
        self._observer.before_steps_load()

    def load_step_definitions(self, *arguments: Any, **keywords: Any) -> None:
        self._observer.stage = "steps"
        if self._allowed is None:
            super().load_step_definitions(*arguments, **keywords)
        else:
            runner_util.os = _OsWithListing(self._allowed)
            try:
                with _loading(self._codes):
                    super().load_step_definitions(*arguments, **keywords)
            finally:
                runner_util.os = os
        self._observer.stage = "parse"

    def run_model(self, features: Any = None) -> Any:
        self._observer.stage = "run"
        self._observer.after_steps_load()
        return super().run_model(features)

    def run_hook(self, name: str, *arguments: Any) -> Any:
        """Every step passes here twice, nested ones too, whether or not the project has such a hook."""
        if name == "before_step":
            result = super().run_hook(name, *arguments)
            self._observer.step_begins(arguments[-1])
            return result
        if name == "after_step":
            self._observer.step_ends()
        return super().run_hook(name, *arguments)


class Observer:
    """Collects what the tracer, the integrity check and behave's own model say."""

    def __init__(self, emit: Emit, tracer: Tracer | None, integrity: Integrity) -> None:
        self.emit = emit
        self.tracer = tracer
        self.integrity = integrity
        self.stage = "configure"
        self._depth = 0

    def before_steps_load(self) -> None:
        self.integrity.remember()

    def after_steps_load(self) -> None:
        self.report_tampering()
        self.emit("loaded", {})

    def step_begins(self, step: Any) -> None:
        self._depth += 1
        if self._depth > 1:
            return
        self.report_tampering()
        self.emit("step", {"line": step.line, "text": step.name})
        if self.tracer is not None:
            self.tracer.enter_step(step.step_type)

    def step_ends(self) -> None:
        self._depth -= 1
        if self._depth == 0 and self.tracer is not None:
            self.tracer.leave_step()

    def report_tampering(self) -> None:
        changed = self.integrity.changed()
        if changed:
            self.emit("flag", {"rule": "tampers-with-runner", "detail": f"{changed} was replaced"})


def run_scenario(
    request: dict[str, Any], emit: Emit, sealed: Emit, tracer: Tracer | None, integrity: Integrity, base: Any = None
) -> None:
    """Run `request["location"]` and emit events; the last one is `end`, and only when behave came to its end.

    The observer, which the prediction can reach through behave's runner, has `emit`; what counts is `sealed`.
    `base` is a configuration of the project made before, to be adapted instead of made anew.
    """
    observer = Observer(emit, tracer, integrity)
    try:
        config = make_configuration(request) if base is None else adapt_configuration(base, request)
        allowed = None if request["load"] is None else frozenset(os.path.abspath(path) for path in request["load"])
        runner = ObservedRunner(config, observer, allowed, request.get("codes", {}))
        discovery = Discovery(runner) if request["matches"] else None
        if tracer is not None:
            tracer.start()
        try:
            failed = runner.run()
        finally:
            if tracer is not None:
                tracer.stop()
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        sealed("error", {"stage": observer.stage, **describe_error(error)})
        return
    observer.report_tampering()
    sealed("report", {"scenarios": [_scenario(s) for feature in runner.features for s in feature.walk_scenarios()]})
    if discovery is not None:
        sealed("matches", discovery.result(os.getcwd()))
    sealed("end", {"failed": bool(failed)})


def make_configuration(request: dict[str, Any]) -> Any:
    """Behave's configuration as the project's own files set it, with output and reports switched off."""
    arguments = [request["location"]]
    for name, value in sorted(request["userdata"].items()):
        arguments += ["-D", f"{name}={value}"]
    config = Configuration(arguments)
    config.format = []
    config.outputs = []
    config.reporters = []
    config.dry_run = False
    config.stop = request["stop"]
    config.junit = False
    config.show_snippets = False
    config.verbose = False
    config.name = []
    return config


def adapt_configuration(base: Any, request: dict[str, Any]) -> Any:
    """A configuration made for the same project, for another run of it."""
    config = base
    config.paths = [request["location"]]
    config.stop = request["stop"]
    config.userdata.update(request["userdata"])
    return config


class Discovery:
    """Which step definitions the Scenarios of a run match, and what loading the tests brought in."""

    def __init__(self, runner: Any) -> None:
        self._files: dict[int, set[str]] = {}
        self._registry = behave_runner.the_step_registry
        find = self._registry.find_match

        def find_match(step: Any) -> Any:
            match = find(step)
            scenario = getattr(runner.context, "scenario", None)
            if match is not None and scenario is not None:
                self._files.setdefault(scenario.line, set()).add(os.path.relpath(match.location.filename))
            return match

        self._registry.find_match = find_match
        runner.step_registry = self._registry

    def result(self, root: str) -> dict[str, Any]:
        """Files by pickle line, all files that define steps, and third-party modules in the order they were loaded."""
        definitions = {
            os.path.relpath(definition.location.filename)
            for group in self._registry.steps.values()
            for definition in group
        }
        return {
            "files": {str(line): sorted(files) for line, files in self._files.items()},
            "definitions": sorted(definitions),
            "modules": [name for name, module in list(sys.modules.items()) if _is_third_party(module, root)],
        }


def _is_third_party(module: Any, root: str) -> bool:
    filename = getattr(module, "__file__", None)
    own = os.path.dirname(os.path.abspath(__file__))
    return isinstance(filename, str) and os.path.isabs(filename) and not filename.startswith((root + "/", own + "/"))


def describe_error(error: BaseException) -> dict[str, Any]:
    """Type, message and place of an exception, in plain values."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{os.path.relpath(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    if isinstance(error, SyntaxError) and error.filename:
        place = f"{os.path.relpath(error.filename)}:{error.lineno}"
    return {
        "type": type(error).__name__,
        "types": [cls.__name__ for cls in type(error).__mro__],
        "message": _text_of(error),
        "place": place,
    }


def _text_of(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        text = "(no text)"
    return _plain(text)


def _plain(text: str) -> str:
    """The beginning as an ordinary string: a subclass may have methods of the prediction's making."""
    return str.__str__(text)[:_MESSAGE_LIMIT].encode("utf-8", "replace").decode("utf-8")


def _scenario(scenario: Any) -> dict[str, Any]:
    return {
        "line": scenario.line,
        "name": scenario.name,
        "status": scenario.status.name,
        "hook_failed": bool(scenario.hook_failed),
        "message": _plain(scenario.error_message or ""),
        "steps": [_step(step) for step in scenario.all_steps],
    }


def _step(step: Any) -> dict[str, Any]:
    error: tuple[str, bool] | None = None
    if step.exception is not None:
        error = (type(step.exception).__name__, isinstance(step.exception, AssertionError))
    return {
        "line": step.line,
        "keyword": step.keyword,
        "type": step.step_type,
        "text": step.name,
        "status": step.status.name,
        "error": error,
        "message": _text_of(step.exception) if step.exception is not None else "",
    }
