"""Single modules of the judge's other rooms that run inside the project's interpreter too, loaded from their files."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterable


def load(paths: Iterable[str]) -> None:
    """Import each file under its bare name, without a look at its neighbours."""
    for path in paths:
        name = os.path.basename(path)[: -len(".py")]
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ImportError(path)
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


def own_modules() -> tuple[str, ...]:
    """Names of all loaded modules of the judge's: those beside this one, and the tools."""
    own, tools = os.path.dirname(os.path.abspath(__file__)) + "/", frozenset(sys.argv[1:])
    loaded = [(name, getattr(module, "__file__", None) or "") for name, module in list(sys.modules.items())]
    return tuple(name for name, path in loaded if path.startswith(own) or path in tools)
