"""From a source text to its mutants: one walk for what is skipped, one for the operators."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from tree_sitter import Node, Tree

from testmark.mutants.language import Captures, Language, Operator, load_language, parse_source
from testmark.mutants.rules import RULES, Edit, fill, text
from testmark.mutants.rules_java import JAVA_RULES
from testmark.mutants.scopes import MODULE, enclosing, innermost_function
from testmark.records.kit import Mutant

_RULES = {**RULES, **JAVA_RULES}
_QUOTES = ('"', "'", "\\", "#", "\n")


class Positions:
    """Lines and columns of byte offsets."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._starts = [0, *(match.end() for match in re.finditer(b"\n", data))]

    def point(self, offset: int) -> tuple[int, int]:
        """0-based row and 0-based column in bytes, as tree-sitter counts."""
        row = bisect_right(self._starts, offset) - 1
        return row, offset - self._starts[row]

    def offset(self, line: int, column: int) -> int:
        """The byte offset of a 1-based line and a 0-based column in bytes, as Python's `ast` counts."""
        return self._starts[line - 1] + column

    def slice(self, start: int, end: int) -> str:
        """The text of a span."""
        return self._data[start:end].decode("utf-8")

    def place(self, offset: int) -> tuple[int, int]:
        """1-based line and 0-based column in characters, as people and records count."""
        row, _ = self.point(offset)
        return row + 1, len(self._data[self._starts[row] : offset].decode("utf-8"))


def mutant_id(path: str, start: int, end: int, after: str) -> str:
    """The first 12 hexadecimal digits of SHA-256 over path, span and replacement, NUL between them."""
    return hashlib.sha256(f"{path}\0{start}\0{end}\0{after}".encode()).hexdigest()[:12]


class _Regions:
    """Spans of a text, to ask whether one of them holds another."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        # Widest first at each start, nested ones dropped: what remains can be looked up by its start.
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, negative_end in sorted({(start, -end) for start, end in spans}):
            if not self._ends or -negative_end > self._ends[-1]:
                self._starts.append(start)
                self._ends.append(-negative_end)

    def hold(self, start: int, end: int) -> bool:
        """Whether one region holds all of `start:end`."""
        index = bisect_right(self._starts, start) - 1
        return index >= 0 and end <= self._ends[index]


class _Skipped:
    """The regions of one file that some or all families leave alone."""

    def __init__(self, tree: Tree, language: Language) -> None:
        everyone: list[tuple[int, int]] = []
        some: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for row, captures in language.skips.matches(tree.root_node):
            families = language.table.skips[row].families
            spans = [(node.start_byte, node.end_byte) for node in captures.get("skip", ())]
            for family in families:
                some[family] += spans
            if not families:
                everyone += spans
        self._everyone = _Regions(everyone)
        self._some = {family: _Regions(spans) for family, spans in some.items()}
        self._rows: set[int] = set()
        for node in _of_type(tree.root_node, language.table.comments):
            if language.table.no_mutate_comment.search(text(node)):
                self._rows.add(node.start_point.row)

    def covers(self, edit: Edit, family: str, rows: tuple[int, int]) -> bool:
        """Whether the edit stands in a region that this family leaves alone, or on a line so marked."""
        if any(row in self._rows for row in range(rows[0], rows[1] + 1)):
            return True
        own = self._some.get(family)
        return self._everyone.hold(edit.start, edit.end) or (own is not None and own.hold(edit.start, edit.end))


def _of_type(node: Node, kinds: Collection[str]) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if current.type in kinds:
            yield current
        waiting.extend(current.children)


def _edits(operator: Operator, captures: Captures) -> Iterator[Edit]:
    if operator.rule is not None:
        yield from _RULES[operator.rule](captures)
        return
    node = captures["edit"][0]
    if node.type in operator.unless:
        return
    if operator.mapping:
        texts = operator.mapping.get(" ".join(text(node).split()), ())
    else:
        texts = tuple(fill(template, captures) for template in operator.templates)
    for after in texts:
        yield Edit(node.start_byte, node.end_byte, after)


def _trimmed(data: bytes, edit: Edit) -> tuple[int, int, bytes]:
    """The edit as the smallest change: equal edits of different spans become the same."""
    before, after = data[edit.start : edit.end], edit.after.encode("utf-8")
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return edit.start + head, edit.end - tail, after[head : len(after) - tail]


def _embedded(node: Node, language: Language) -> bool:
    current: Node | None = node
    while current is not None:
        if current.type in language.table.embedded:
            return True
        current = current.parent
    return False


def _unit(tree: Tree, language: Language, data: bytes, edit: Edit) -> tuple[bytes, int, int, bytes]:
    """The smallest piece that parses as in the file: a statement of the module, or of a class behind its header.

    Its span, with what has to stand before and behind it.
    """
    path: list[Node] = []
    node: Node | None = enclosing(tree, edit.start, edit.end)
    while node is not None:
        path.append(node)
        node = node.parent
    path.reverse()
    head, tail, unit, start = b"", b"", path[min(1, len(path) - 1)], path[min(1, len(path) - 1)].start_byte
    for index in range(1, len(path) - 2):
        if path[index].type in language.table.classes:
            body = path[index + 1]
            if body != path[index].child_by_field_name("body"):
                break
            head += data[start : body.start_byte]
            if body.children[0].type == "{":
                head, tail = head + b"{ ", b"}" + tail
            unit, start = path[index + 2], path[index + 2].start_byte
        elif path[index].type != language.table.decorated and path[index - 1].type not in language.table.classes:
            break
    return head, unit.start_byte, unit.end_byte, tail


def parses(language: Language, tree: Tree, data: bytes, edit: Edit) -> bool:
    """Whether the text with the edit still parses; `tree` is that of `data`. Reads no more than one function.

    Where the text itself did not (see `tolerant`), the answer is left to the compiler.
    """
    head, start, end, tail = _unit(tree, language, data, edit)
    if tree.root_node.has_error and language.parse(head + data[start:end] + tail).root_node.has_error:
        return True
    changed = head + data[start : edit.start] + edit.after.encode("utf-8") + data[edit.end : end] + tail
    return not language.parse(changed).root_node.has_error


def _bytes_within(positions: Positions, source: str, spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """From the first line of the first span to the end of the last."""
    lines = source.count("\n") + 1
    first = min((first for first, _ in spans), default=1)
    last = max((last for _, last in spans), default=0)
    end = positions.offset(last + 1, 0) if last < lines else len(source.encode("utf-8"))
    return positions.offset(min(first, lines), 0), end


def _within(line: int, end_line: int, spans: Sequence[tuple[int, int]] | None) -> bool:
    return spans is None or any(first <= line and end_line <= last for first, last in spans)


def generate(
    path: str, source: str, *, language: str = "python", spans: Sequence[tuple[int, int]] | None = None
) -> tuple[Mutant, ...]:
    """Every mutant of one file, in the order of the text and then of the operator table.

    Only those of which all stands in one of `spans` (1-based first and last line), where they are given.

    `path` is relative to the project root and `/`-separated. Byte offsets count in the UTF-8 encoding of `source`,
    lines from 1, columns from 0 in characters. No two mutants give the same text, none gives the original, and each of
    them still parses. Raises `TaskError` when the source does not parse, `UserError` for an unknown language.
    """
    lang = load_language(language)
    data = source.encode("utf-8")
    tree = parse_source(path, source, language)
    positions = Positions(data)
    skipped = _Skipped(tree, lang)
    within = _bytes_within(positions, source, spans) if spans is not None else None
    rows = sorted(lang.operators.matches(tree.root_node, within), key=lambda match: match[0])
    seen: set[tuple[int, int, bytes]] = set()
    found: list[tuple[int, int, int, Mutant]] = []
    for row, captures in rows:
        operator = lang.table.operators[row]
        node = captures["edit"][0]
        for edit in _edits(operator, captures):
            lines = (positions.point(edit.start)[0], positions.point(edit.end)[0])
            if not _within(lines[0] + 1, lines[1] + 1, spans) or skipped.covers(edit, operator.family, lines):
                continue
            before = positions.slice(edit.start, edit.end)
            if _embedded(node, lang) and any(quote in edit.after and quote not in before for quote in _QUOTES):
                continue
            key = _trimmed(data, edit)
            if before == edit.after or key in seen or not parses(lang, tree, data, edit):
                continue
            seen.add(key)
            mutant = make_mutant(path, tree, lang, positions, edit, operator=operator.name, family=operator.family)
            found.append((edit.start, edit.end, len(found), mutant))
    return tuple(mutant for *_, mutant in sorted(found, key=lambda item: item[:3]))


def make_mutant(
    path: str,
    tree: Tree,
    language: Language,
    positions: Positions,
    edit: Edit,
    *,
    operator: str,
    family: str,
) -> Mutant:
    """The record of one edit of a parsed text."""
    function = innermost_function(enclosing(tree, edit.start, edit.end), language)
    line, column = positions.place(edit.start)
    end_line, end_column = positions.place(edit.end)
    return Mutant(
        mutant_id=mutant_id(path, edit.start, edit.end, edit.after),
        path=path,
        operator=operator,
        family=family,
        start_byte=edit.start,
        end_byte=edit.end,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        before=positions.slice(edit.start, edit.end),
        after=edit.after,
        function=function.qualname if function else MODULE,
        function_line=function.line if function else 1,
    )
