"""Runs pairs of reference and mutant in bare forks: no isolation, no guard, no tracing. Part of `limit.py`.

Runs inside the project's interpreter and depends on behave alone. Reads one JSON object from standard input:
`{"import_paths": [...], "pairs": [{"location", "userdata", "path", "line", "name", "text"}]}`, and prints
`{"boot": s, "compile": s, "pairs": [s, ...], "failed": n}`. Hooks and steps are loaded once, before all forks, which no
judge may do: they are the test.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import time
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

Behave = Any
"""Objects of behave, which ships no types."""
Functions = dict[tuple[str, int, str], list[FunctionType]]


def main() -> None:
    """Boot, compile, then one fork a pair, each timed from fork to wait."""
    started = time.perf_counter()
    job = json.load(sys.stdin)
    sys.path[0:1] = [str(Path.cwd()), *job["import_paths"]]
    from behave.configuration import Configuration
    from behave.runner import Runner

    configuration = Configuration(["features"])
    configuration.format, configuration.outputs, configuration.reporters = [], [], []
    configuration.stop = True
    for path in sorted({pair["path"] for pair in job["pairs"]}):
        importlib.import_module(_module_name(path, job["import_paths"]))
    runner = _prepared(Runner(configuration))
    functions: Functions = {}
    for found in gc.get_objects():
        if isinstance(found, FunctionType):
            code = found.__code__
            functions.setdefault((os.path.realpath(code.co_filename), code.co_firstlineno, code.co_name), []).append(
                found
            )
    gc.collect()
    gc.freeze()
    booted = time.perf_counter()
    codes = [_inner(compile(pair["text"], pair["path"], "exec"), pair) for pair in job["pairs"]]
    compiled = time.perf_counter()
    seconds = []
    failed = 0
    for pair, code in zip(job["pairs"], codes, strict=True):
        began = time.perf_counter()
        child = os.fork()
        if child == 0:
            os._exit(_run(pair, code, functions, configuration, runner))
        failed += os.waitpid(child, 0)[1] != 0
        seconds.append(time.perf_counter() - began)
    print(json.dumps({"boot": booted - started, "compile": compiled - booted, "pairs": seconds, "failed": failed}))


def _module_name(path: str, import_paths: list[str]) -> str:
    for top in import_paths:
        if path.startswith(top.rstrip("/") + "/"):
            path = path[len(top.rstrip("/")) + 1 :]
            break
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _prepared(runner: Behave) -> Behave:
    from behave.runner import Context

    runner.setup_paths()
    runner.context = Context(runner)
    runner.load_hooks()
    runner.load_step_definitions()
    return runner


def _inner(code: CodeType, pair: dict[str, Any]) -> CodeType | None:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if (constant.co_firstlineno, constant.co_name) == (pair["line"], pair["name"]):
                return constant
            below = _inner(constant, pair)
            if below is not None:
                return below
    return None


def _run(
    pair: dict[str, Any], code: CodeType | None, functions: Functions, configuration: Behave, runner: Behave
) -> int:
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    if code is not None:
        for function in functions.get((os.path.realpath(pair["path"]), pair["line"], pair["name"]), []):
            function.__code__ = code
    configuration.userdata.update(pair["userdata"])
    from behave.runner_util import FileLocation, parse_features

    name, _, line = pair["location"].rpartition(":")
    runner.features = parse_features([FileLocation(name, int(line))])
    return int(bool(runner.run_model()))


if __name__ == "__main__":
    main()
