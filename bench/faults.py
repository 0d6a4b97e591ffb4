"""Plants every fault of tests/faults, and prints what the commands answer as a Markdown document.

Usage: python bench/faults.py [--only WORD] > docs/faults.md

Exits 1 when an answer is not the expected one.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.faults.fault import Answer, Fault, carry_out
from tests.faults.place import write_shared
from tests.faults.table import TABLE

HEADING = """\
# Faults

Each row was planted in a copy of a tiny project, its benchmark, a run and its results, and the command was given there;
beside exit code 0 stands what `req2test show`, or the command itself, says of the one instance.
`python bench/faults.py > docs/faults.md` printed this page, and the tests (`tests/faults`) plant the same faults:
nothing else changes, no temporary file is left, and the same command goes on once the fault is mended.\
"""


def main() -> None:
    """Print a table for each group of faults."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="Faults whose name or group holds this.")
    options = parser.parse_args()
    print(HEADING, flush=True)
    wrong = count = 0
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        shared = Path(folder) / "shared"
        shared.mkdir()
        write_shared(shared)
        for group, faults in TABLE.items():
            chosen = [fault for fault in faults if options.only in f"{group}: {fault.name}"]
            if not chosen:
                continue
            print(f"\n## {group}\n\n| fault | command | exit code | sentence |\n|---|---|---|---|", flush=True)
            for fault in chosen:
                missing = fault.needs()
                if missing:
                    print(f"| {fault.name} | | | not carried out: {missing} |")
                    continue
                count += 1
                answer = carry_out(fault, shared, Path(folder) / f"fault{count}")
                print(_row(fault, answer), flush=True)
                for complaint in fault.complaints(answer):
                    wrong += 1
                    print(f"{fault.name}: {complaint}", file=sys.stderr, flush=True)
    print(f"\n{count} faults planted, {wrong} answers are not what they must be.")
    sys.exit(int(wrong > 0))


def _row(fault: Fault, answer: Answer) -> str:
    cells = (fault.name, f"`{_cell(fault.command)}`", str(answer.exit_code), _cell(answer.sentence))
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """One line of a table: no bars, no runs of spaces, no names that every run has anew."""
    text = re.sub(r"\b[0-9a-f]{40,}\b", "…", re.sub(r"testmark-\w{8}\b", "testmark-…", text))
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


if __name__ == "__main__":
    main()
