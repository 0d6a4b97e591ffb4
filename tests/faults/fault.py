"""One row of the table: what is wrong, the command that meets it, and what it must answer."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.faults.place import Place

_FIRST_REFUSAL = 2
EVALUATE = "req2test evaluate bench predictions.jsonl --out judged --no-cache --quiet"


def nothing(_place: Place) -> None:
    """The fault lies in the command itself."""


def anywhere() -> str:
    """Every machine can carry it out."""
    return ""


def as_root() -> str:
    """What is missing where the fault needs root's rights."""
    return "" if os.geteuid() == 0 else "needs root's rights (mounts, device files)"


@dataclass(frozen=True)
class Fault:
    """A fault, how it is planted, and what must come of it."""

    name: str
    command: str
    exit_code: int
    says: str
    """Found in the one sentence, as a regular expression."""
    plant: Callable[[Place], None] = nothing
    told_by: str = ""
    """The command that tells the sentence, where `command` has done its work and a verdict is meant."""
    writes: tuple[str, ...] = ()
    """What the command may make; all else must stay as it was, byte for byte."""
    after: str = ""
    """What must succeed afterwards, as the same command once the fault is mended."""
    needs: Callable[[], str] = anywhere

    def complaints(self, answer: Answer) -> list[str]:
        """Everything in which the answer is not what it must be."""
        found = list(answer.harmed)
        if answer.exit_code != self.exit_code:
            found.append(f"exit code {answer.exit_code}, not {self.exit_code}")
        if not re.search(self.says, answer.sentence):
            found.append(f"says `{answer.sentence}`, not `{self.says}`")
        if "Traceback" in answer.printed:
            found.append("prints a traceback")
        if self.exit_code >= _FIRST_REFUSAL and len(answer.error_lines) != 1:
            found.append(f"not one sentence but {len(answer.error_lines)} lines: {answer.error_lines}")
        return found


@dataclass(frozen=True)
class Answer:
    """What the commands answered, and what they did."""

    exit_code: int
    sentence: str
    error_lines: tuple[str, ...]
    """What `command` wrote on standard error."""
    printed: str
    harmed: tuple[str, ...]
    """What changed and must not have, what was left in the folder for temporary files, and commands that must succeed."""


def carry_out(fault: Fault, shared: Path, top: Path) -> Answer:
    """Plant the fault in a copy of `shared` and give the command."""
    shutil.copytree(shared, top, symlinks=True)
    place = Place(top)
    place.edit("results/run.json", str(shared / "bench"), str(top / "bench"))
    with place.undo:
        fault.plant(place)
        before = place.state()
        done = place.shell(fault.command)
        printed = [done.stderr + done.stdout]
        harmed = []
        if fault.told_by:
            told = place.shell(fault.told_by)
            printed.append(told.stderr + told.stdout)
            if told.returncode != 0:
                harmed.append(f"`{fault.told_by}` exits {told.returncode}: {told.stderr}")
        harmed += _changes(before, place.state(), fault.writes)
        harmed += [f"left behind: {found.name}" for found in (top / ".tmp").iterdir()]
        if fault.after:
            again = place.shell(fault.after)
            if again.returncode != 0:
                harmed.append(f"`{fault.after}` exits {again.returncode}: {again.stderr}{again.stdout}")
    printed = [text.replace(f"{top}/", "") for text in printed]
    return Answer(
        done.returncode,
        _sentence(fault, printed[-1]),
        tuple(done.stderr.splitlines()),
        "".join(printed),
        tuple(harmed),
    )


def _sentence(fault: Fault, printed: str) -> str:
    """The line that says what is expected, or else the last one."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return next((line for line in lines if re.search(fault.says, line)), lines[-1] if lines else "")


def _changes(before: dict[str, str], after: dict[str, str], may_change: tuple[str, ...]) -> list[str]:
    free = tuple(f"{name}/" for name in may_change)
    paths = [path for path in {**before, **after} if not f"{path}/".startswith(free)]
    return [f"changed: {path}" for path in paths if before.get(path) != after.get(path)]
