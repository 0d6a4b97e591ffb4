"""Asks the Universal Mutator for the mutants of some lines. Runs as a program of its own; standard library only.

Its library prints as it goes and reads its rules as package data, so it gets a process of its own: the wheel's path is
the only argument. Standard input is a JSON object `{"texts": [[...], ...], "rules": [...]}`, each text its lines with
their ends; standard output is a JSON array that has for each text an array of `[line number from 1, mutated text of
that line, rule]`.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys


def main() -> None:
    """Read one request, write one answer."""
    sys.path.insert(0, sys.argv[1])
    from universalmutator import mutator

    request = json.load(sys.stdin)
    found = []
    with contextlib.redirect_stdout(io.StringIO()):
        for lines in request["texts"]:
            mutants = mutator.mutants_regexp(
                lines, ruleFiles=request["rules"], ignorePatterns=[], ignoreStringOnly=True
            )
            found.append([[line, text, rule[0]] for line, text, rule, _ in mutants])
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
