"""What of a task's answer must not be found, and how it is recognised: as text, as byte code, as a report, as a record.

The developer's test is looked for method by method, without white space, with comments and without. A method is found
by its whole text, which has its name; by its body alone where that is long; and by the lines that are new in it where
they are long together, since a diff shows no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from testmark.leaks.found import Finding, Hit
from testmark.leaks.quoting import forms, unix_lines
from testmark.records.evokit import EvoKit, KitTarget

TEST, BYTE_CODE, REPORT, RECORD = "reference test", "byte code", "test report", "mined record"
_PIECES = ("the new code of", "the new body of", "new lines of")
"""What may be found of a test, that which says most first."""
_LONG_CHARACTERS = 100
_LONG_LINES = 3
_LONG_AT_LEAST = 60
_COMMENT = re.compile(r'(?P<kept>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|//[^\n]*|/\*.*?\*/', re.DOTALL)
_CLASS_FILE = b"\xca\xfe\xba\xbe"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_HEAD = 8192


@dataclass(frozen=True)
class _Needle:
    """One run of characters without white space."""

    hit: Hit
    text: str


@dataclass(frozen=True)
class _Marks:
    """What names a target in files that are made of it."""

    task: str
    test_class: str
    method: str

    @property
    def constants(self) -> tuple[bytes, bytes]:
        """The names of the class and of the method as a class file holds them."""
        return _utf8(self.test_class.replace(".", "/")), _utf8(self.method)

    @property
    def says(self) -> str:
        return f"{self.test_class}#{self.method}"


class Answers:
    """The answers of many tasks; called with a content it gives what that holds of them (`leaks.contents.Look`)."""

    def __init__(self, kits: Iterable[EvoKit]) -> None:
        self._plain: list[_Needle] = []
        self._bare: list[_Needle] = []
        self._marks: list[_Marks] = []
        self._tasks: list[str] = []
        for kit in kits:
            self._tasks.append(kit.task_id)
            for target in kit.targets:
                marks = _Marks(kit.task_id, target.test_class, target.method)
                self._marks.append(marks)
                for what, code in _pieces(kit, target):
                    hit = Hit(TEST, kit.task_id, f"{what} {marks.says}")
                    self._plain.append(_Needle(hit, _squeezed(code)))
                    self._bare.append(_Needle(hit, _squeezed(_uncommented(code))))

    def __call__(self, name: str, data: bytes, packed: bool) -> Iterator[Hit]:  # noqa: FBT001 - the form of `Look`
        """Hits in a content, its archive's members aside."""
        if data.startswith(_CLASS_FILE):
            for marks in self._marks:
                if all(constant in data for constant in marks.constants):
                    yield Hit(BYTE_CODE, marks.task, f"compiled code of {marks.says}")
            return
        if packed and b"\0" in data[:_HEAD]:
            return
        for text in _readings(data):
            yield from self._in_text(name, unix_lines(text))

    def _in_text(self, name: str, text: str) -> Iterator[Hit]:
        for form in dict.fromkeys((text, *forms(name, text))):
            for needles, page in ((self._plain, _squeezed(form)), (self._bare, _squeezed(_uncommented(form)))):
                yield from (needle.hit for needle in needles if needle.text in page)
        for task in self._tasks:
            if task in text:
                yield Hit(RECORD, task, "it names the task")
        for marks in self._marks:
            if marks.test_class in text and ("<testcase" in text or f"Test set: {marks.test_class}" in text):
                yield Hit(REPORT, marks.task, f"results of {marks.test_class}")


def _pieces(kit: EvoKit, target: KitTarget) -> Iterator[tuple[str, str]]:
    """What is looked for of a target, in words and as it stands in the new file."""
    code = unix_lines(target.code)
    yield _PIECES[0], code
    body = code[code.find("{") + 1 : code.rfind("}")]
    if _is_long(body):
        yield _PIECES[1], body
    old, new = unix_lines(kit.old_text or "").split("\n"), code.split("\n")
    for kind, _, _, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        added = "\n".join(new[start:end])
        if kind != "equal" and _is_long(added):
            yield _PIECES[2], added


def strongest(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Without those that say less of a test than another does of the same file."""
    said: set[tuple[str, str, str]] = set()
    for found in sorted(findings, key=lambda one: _rank(one.detail)):
        what = next((words for words in _PIECES if found.detail.startswith(words)), "")
        key = (found.kind, found.path, found.detail.removeprefix(what))
        if key not in said:
            said.add(key)
            yield found


def _rank(detail: str) -> int:
    return next((rank for rank, words in enumerate(_PIECES) if detail.startswith(words)), 0)


def _is_long(code: str) -> bool:
    lines = [squeezed for line in _uncommented(code).split("\n") if (squeezed := _squeezed(line))]
    size = sum(map(len, lines))
    return size >= _LONG_CHARACTERS or (size >= _LONG_AT_LEAST and len(lines) >= _LONG_LINES)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _uncommented(code: str) -> str:
    return _COMMENT.sub(lambda found: found["kept"] or "", code)


def _utf8(text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    return b"\x01" + len(data).to_bytes(2, "big") + data


def _readings(data: bytes) -> Iterator[str]:
    """The text of a file; where it is not UTF-8, also as it reads in Latin-1."""
    if data.startswith(_UTF16):
        yield data.decode("utf-16", "replace")
        return
    try:
        yield data.decode("utf-8-sig")
    except UnicodeDecodeError:
        yield data.decode("utf-8-sig", "replace")
        if b"\0" not in data[:_HEAD]:
            yield data.decode("latin-1")
