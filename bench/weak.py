"""Weak predictions made from a benchmark's reference tests, as runs that `evaluate` reads.

Each kind has its own way of being weak: `no-assertions` looks at nothing, `wrong-values` expects something else,
`partial` lacks its last step, `half-assertions` looks at every second thing only.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from testmark.records.base import FileText
from testmark.req2test.bench import Bench


def without_assertions(text: str) -> str:
    """Every assertion's expressions are still evaluated, and nothing is asserted."""
    return _replace_asserts(text, keep=lambda _number: False)


def with_half_the_assertions(text: str) -> str:
    """Every second assertion asserts nothing."""
    return _replace_asserts(text, keep=lambda number: number % 2 == 0)


def with_wrong_values(text: str) -> str:
    """The first number or text that each assertion compares with is another one."""
    edits = []
    for node in _asserts(text):
        constants = [n for n in ast.walk(node.test) if isinstance(n, ast.Constant) and type(n.value) in {int, str}]
        if constants:
            first = constants[0]
            edits.append((first, repr(first.value + 1 if isinstance(first.value, int) else f"{first.value}x")))
    return _edited(text, edits)


def without_last_step(text: str) -> str:
    """The last function is gone, with its decorators: a step is undefined."""
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    if not functions:
        return text
    last = functions[-1]
    first_line = min([last.lineno, *(decorator.lineno for decorator in last.decorator_list)])
    lines = text.split("\n")
    assert last.end_lineno is not None
    return "\n".join([*lines[: first_line - 1], *lines[last.end_lineno :]])


KINDS: dict[str, Callable[[str], str]] = {
    "no-assertions": without_assertions,
    "half-assertions": with_half_the_assertions,
    "wrong-values": with_wrong_values,
    "partial": without_last_step,
}


def write_run(bench: Bench, kind: str, ids: list[str], place: Path) -> None:
    """Write the weak predictions of `kind` for the instances `ids` as one JSONL file."""
    references = {row.instance_id: row.files for row in bench.references()}
    with place.open("w", encoding="utf-8") as handle:
        for name in ids:
            files = [_weakened(file, KINDS[kind]) for file in references[name]]
            handle.write(
                json.dumps({"instance_id": name, "model_name_or_path": kind, "files": files}, ensure_ascii=False) + "\n"
            )


def _weakened(file: FileText, weaken: Callable[[str], str]) -> dict[str, str]:
    return {"path": file.path, "content": weaken(file.content) if file.path.endswith(".py") else file.content}


def _asserts(text: str) -> Iterator[ast.Assert]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assert):
            yield node


def _replace_asserts(text: str, *, keep: Callable[[int], bool]) -> str:
    found = sorted(_asserts(text), key=lambda node: node.lineno)
    edits: list[tuple[ast.AST, str]] = [
        (node, f"({ast.unparse(node.test)})") for number, node in enumerate(found) if not keep(number)
    ]
    return _edited(text, edits)


def _edited(text: str, edits: list[tuple[ast.AST, str]]) -> str:
    """The text with each node's source replaced; columns of `ast` count UTF-8 bytes."""
    lines = [line.encode() for line in text.split("\n")]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    data = text.encode()
    for node, new in sorted(edits, key=lambda edit: (edit[0].lineno, edit[0].col_offset), reverse=True):  # type: ignore[attr-defined]
        start = starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        end = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
        data = data[:start] + new.encode() + data[end:]
    return data.decode()
