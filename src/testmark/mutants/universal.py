"""Mutants of the Universal Mutator: regular expressions over lines, as the published benchmark has them.

It is a pinned tool and no dependency: its package asks for `comby`, which brings a `typing` package that shadows the
standard library's, and neither is needed for its rules. Its own program writes mutants over the source file in place;
here it never sees a file.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from testmark.errors import InfraError, ToolMissingError
from testmark.mutants.generation import Positions, make_mutant
from testmark.mutants.language import load_language, parse_source
from testmark.mutants.rules import Edit
from testmark.records.kit import Mutant

VERSION = "1.14.1"
_WHEEL = f"universalmutator-{VERSION}-py3-none-any.whl"
_SHA256 = "c2bb39fd143c22d905dd3f8c5d151308f5b7726887a1b3429f894b0e1ebf3b01"
_RULES = {"java": ("universal.rules", "java.rules", "c_like.rules")}
"""As its own program chooses them for a language."""
_FETCH_SECONDS = 300
_RUN_SECONDS = 300
_CHILD = Path(__file__).with_name("universal_child.py")


def universal_wheel(cache: Path | None = None) -> Path:
    """The pinned wheel, fetched by pip once; raises `ToolMissingError` when it cannot be had."""
    folder = (cache or _default_cache()) / _SHA256[:16]
    wheel = folder / _WHEEL
    if _is_right(wheel):
        return wheel
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as work:
        wanted = Path(work) / "wanted.txt"
        wanted.write_text(f"universalmutator=={VERSION} --hash=sha256:{_SHA256}\n", encoding="utf-8")
        command = [
            sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input",
            "--no-deps", "--only-binary", ":all:", "--require-hashes", "--dest", work, "--requirement", str(wanted),
        ]  # fmt: skip
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=_FETCH_SECONDS, stdin=subprocess.DEVNULL
            )
        except subprocess.TimeoutExpired as error:
            raise ToolMissingError(_missing(f"pip gave no answer within {_FETCH_SECONDS} s")) from error
        fetched = Path(work) / _WHEEL
        if not _is_right(fetched):
            words = done.stderr.strip().splitlines()
            raise ToolMissingError(_missing(words[-1] if words else f"pip ended with exit code {done.returncode}"))
        fetched.replace(wheel)
    return wheel


def _missing(why: str) -> str:
    return (
        f"the Universal Mutator {VERSION} cannot be fetched: {why}; connect to a package index and try again, or use "
        "`--mutator ast`, which needs nothing"
    )


def _is_right(wheel: Path) -> bool:
    try:
        return hashlib.sha256(wheel.read_bytes()).hexdigest() == _SHA256
    except FileNotFoundError:
        return False


def _default_cache() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("testmark") / "universalmutator"


def universal_mutants(
    path: str,
    source: str,
    groups: Sequence[Sequence[tuple[int, int]]],
    *,
    language: str = "java",
    cache: Path | None = None,
) -> list[tuple[Mutant, ...]]:
    """For each group of spans (1-based first and last line) every mutant that it makes of the lines in them.

    A group's mutants are in the order of the text and do not depend on the other groups. As many as two of three do not
    compile. The operator's name is the rule as it is written (`\\+ ==> -`), the family `universal`. The edit is the
    smallest that makes the mutated line of the original one. Comments are left alone as far as the tool itself does so.
    Raises `ToolMissingError` when it cannot be had, `InfraError` when it fails.
    """
    # Universal newlines, as its own program reads files, would move offsets: lines are cut at line feeds alone.
    lines = source.split("\n")
    texts = [_blanked(lines, spans) for spans in groups]
    lang = load_language(language)
    tree = parse_source(path, source, language)
    positions = Positions(source.encode("utf-8"))
    answers: list[tuple[Mutant, ...]] = []
    for asked, answer in zip(texts, _ask(texts, _RULES[language], cache), strict=True):
        found: dict[str, Mutant] = {}
        for number, text, rule in answer:
            for edit in _edit(positions, number, asked[number - 1], text):
                mutant = make_mutant(path, tree, lang, positions, edit, operator=rule, family="universal")
                found.setdefault(mutant.mutant_id, mutant)
        answers.append(tuple(sorted(found.values(), key=lambda one: (one.start_byte, one.end_byte, one.after))))
    return answers


def _blanked(lines: Sequence[str], spans: Sequence[tuple[int, int]]) -> list[str]:
    """The lines with their ends, those that no span holds empty."""
    wanted = {number for first, last in spans for number in range(first, min(last, len(lines)) + 1)}
    return [line.removesuffix("\r") + "\n" if at in wanted else "\n" for at, line in enumerate(lines, 1)]


def _ask(texts: Sequence[list[str]], rules: Sequence[str], cache: Path | None) -> list[list[tuple[int, str, str]]]:
    if not texts:
        return []
    request = json.dumps({"texts": texts, "rules": list(rules)})
    with tempfile.TemporaryDirectory(prefix="testmark-") as empty:
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-B", str(_CHILD), str(universal_wheel(cache))],
                input=request, capture_output=True, text=True, encoding="utf-8", check=False, timeout=_RUN_SECONDS,
                cwd=empty, env={"PATH": os.defpath},
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise InfraError(f"the Universal Mutator gave no answer within {_RUN_SECONDS} s") from error
    try:
        answer = json.loads(done.stdout)
    except ValueError as error:
        words = done.stderr.strip().splitlines()
        raise InfraError(f"the Universal Mutator failed: {words[-1] if words else done.returncode}") from error
    return [[(int(number), str(text), str(rule)) for number, text, rule in found] for found in answer]


def _edit(positions: Positions, number: int, before: str, after: str) -> Iterator[Edit]:
    """The smallest edit of the file that makes one line of the other; nothing when they are the same."""
    if before == after:
        return
    old, new = before.removesuffix("\n"), after.removesuffix("\n")
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    line_start = positions.offset(number, 0)
    start = line_start + len(old[:head].encode("utf-8"))
    end = line_start + len(old[: len(old) - tail].encode("utf-8"))
    if (start, new[head : len(new) - tail]) != (end, ""):
        yield Edit(start, end, new[head : len(new) - tail])


def _common(first: str, second: str) -> int:
    """How many characters two texts have in common at their start."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(first), len(second)))
