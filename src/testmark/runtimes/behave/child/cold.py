"""A cold run's main program: the request on standard input, events on standard output, the test's own output on error.

Everything is as `python -m behave` would have it: ordinary imports from disk, no byte code kept, a fresh process.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
import types


def main() -> None:
    """Prepare the workspace and run the test; a fault before it begins is printed, and no event bears it out."""
    try:
        import tools

        tools.load(sys.argv[1:])
        import job
        import workspace

        request = json.load(sys.stdin)
        root = os.getcwd()
        # Listed before the prediction is written: what is there now is the project's own.
        files = frozenset(project_files(root))
        workspace.apply_changes(root, request)
        events = os.dup(1)
        os.dup2(2, 1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        sys.path[0:1] = [root, *(os.path.join(root, path) for path in request["import_paths"])]
        for name in tools.own_modules():
            del sys.modules[name]
        sys.modules["__main__"] = types.ModuleType("__main__")
    except Exception:
        traceback.print_exc()
        os._exit(1)
    try:
        job.run_job(request, events, files)
    finally:
        os._exit(0)


def project_files(root: str) -> list[str]:
    """All Python files below `root`, relative to it."""
    found = []
    for folder, _, names in os.walk(root):
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names if name.endswith(".py")]
    return found


if __name__ == "__main__":
    main()
