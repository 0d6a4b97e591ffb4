"""Figures of mutation on a folder of Python sources: mutants a family, validity, byte-code duplicates, controls, speed.

    python bench/mutants.py SRC [INTERPRETER ...]

Nothing of SRC runs: each INTERPRETER (this one by default) only compiles.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from testmark.mutants import apply, controls, digest, generate, is_swappable
from testmark.mutants.language import load_language, parse_source
from testmark.mutants.scopes import all_functions
from testmark.records.kit import Mutant

Generated = list[tuple[str, str, tuple[Mutant, ...]]]


def _generate(root: Path) -> Generated:
    started = time.process_time()
    found: Generated = []
    for file in sorted(root.rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        path = file.relative_to(root).as_posix()
        found.append((path, source, generate(path, source)))
    spent = time.process_time() - started
    total = sum(len(mutants) for *_, mutants in found)
    rates = f"{len(found) / spent:.1f} files and {total / spent:.0f} mutants a CPU second"
    print(f"{total} mutants of {len(found)} files, {rates}")
    families = Counter(one.family for *_, mutants in found for one in mutants)
    for family, count in families.most_common():
        print(f"  {family:24}{count:7}")
    swappable = sum(is_swappable(source, one) for _, source, mutants in found for one in mutants)
    print(f"{100 * swappable / total:.1f} % can be swapped in as one code object")
    return found


def _compile(interpreter: str, found: Generated) -> None:
    """Validity and duplicates as one interpreter sees them."""
    command = [interpreter, "-I", digest.__file__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("no pipes")

        def ask(source: str, path: str) -> str | None:
            process.stdin.write(json.dumps([source, path]) + "\n")
            process.stdin.flush()
            answer: str | None = json.loads(process.stdout.readline())
            return answer

        counts: Counter[str] = Counter()
        for path, source, mutants in found:
            original, seen = ask(source, path), set()
            for one in mutants:
                answer = ask(apply(source, one), path)
                if answer is None:
                    counts["invalid"] += 1
                elif answer == original:
                    counts["equal to the original"] += 1
                elif answer in seen:
                    counts["equal to another"] += 1
                else:
                    counts["distinct"] += 1
                    seen.add(answer)
        process.stdin.close()
    print(f"{interpreter}: {dict(counts)}")


def _controls(found: Generated) -> None:
    language = load_language("python")
    started = time.process_time()
    levels: Counter[str] = Counter()
    functions = 0
    for path, source, _ in found:
        lines = {one.line for one in all_functions(parse_source(path, source, "python"), language)}
        functions += len(lines)
        levels.update(one.level for one in controls(path, source, function_lines=lines, seed=1))
    spent = time.process_time() - started
    print(f"controls of {functions} functions in {spent:.1f} CPU seconds (generation again included): {dict(levels)}")


def main() -> None:
    """Print the figures."""
    if len(sys.argv) == 1:
        sys.exit("usage: python bench/mutants.py SRC [INTERPRETER ...]")
    found = _generate(Path(sys.argv[1]))
    for interpreter in sys.argv[2:] or [sys.executable]:
        _compile(interpreter, found)
    _controls(found)


if __name__ == "__main__":
    main()
