"""A mutant as a changed text and as a diff."""

from __future__ import annotations

from testmark.errors import TaskError
from testmark.records.kit import Mutant


def _checked(source: str, mutant: Mutant) -> bytes:
    data = source.encode("utf-8")
    if data[mutant.start_byte : mutant.end_byte] != mutant.before.encode("utf-8"):
        raise TaskError(
            f"{mutant.path}:{mutant.line}: the text that mutant {mutant.mutant_id} replaces does not stand there; "
            "the file differs from the one the mutant was made of, so build the kit again"
        )
    return data


def apply(source: str, mutant: Mutant) -> str:
    """The text with the mutant's edit; raises `TaskError` when `before` does not stand at the mutant's span."""
    data = _checked(source, mutant)
    changed = data[: mutant.start_byte] + mutant.after.encode("utf-8") + data[mutant.end_byte :]
    return changed.decode("utf-8")


def mutated_lines(mutant: Mutant) -> range:
    """The 1-based lines of the original that the edited span touches."""
    return range(mutant.line, mutant.end_line + 1)


def _lines(text: str) -> list[str]:
    """Lines with their ends: split at line feeds only, as `patch` does, so that other white space stays inside."""
    parts = text.split("\n")
    lines = [part + "\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def diff(source: str, mutant: Mutant, *, context: int = 3) -> str:
    """The mutant as a unified diff of one hunk with `a/` and `b/` paths, which `patch -p1` and `git apply` take.

    Raises `TaskError` as `apply` does.
    """
    old, new = _lines(source), _lines(apply(source, mutant))
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    start = max(0, head - context)
    before, after = old[start:head], old[len(old) - tail : len(old) - tail + context]
    removed, added = old[head : len(old) - tail], new[head : len(new) - tail]
    hunk = (
        [" " + line for line in before]
        + ["-" + line for line in removed]
        + ["+" + line for line in added]
        + [" " + line for line in after]
    )
    body = "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in hunk)
    kept = len(before) + len(after)
    ranges = f"@@ -{_range(start, kept + len(removed))} +{_range(start, kept + len(added))} @@"
    return f"--- a/{mutant.path}\n+++ b/{mutant.path}\n{ranges}\n{body}"


def _range(start: int, length: int) -> str:
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"
