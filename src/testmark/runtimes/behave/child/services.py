"""What the judge asks of the project's interpreter besides runs; as a program it answers one question and ends."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

import features
import tools


def digests(request: dict[str, Any], root: str) -> list[str]:
    """A digest of each source's code; `` for one that does not compile."""
    # Loaded by `tools` under this name.
    import digest

    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path, source in request["sources"]:
            try:
                found.append(digest.code_digest(source, os.path.join(root, path)))
            except (SyntaxError, ValueError):
                found.append("")
    return found


def parse(request: dict[str, Any], root: str) -> dict[str, Any]:
    """What behave's own parser makes of each feature file."""
    return {path: features.pickles(os.path.join(root, path)) for path in request["paths"]}


SERVICES: dict[str, Callable[[dict[str, Any], str], Any]] = {"digests": digests, "parse": parse}


def main() -> None:
    """The request on standard input, the answer on standard output."""
    tools.load(sys.argv[1:])
    request = json.load(sys.stdin)
    json.dump(SERVICES[request["kind"]](request, os.getcwd()), sys.stdout)


if __name__ == "__main__":
    main()
