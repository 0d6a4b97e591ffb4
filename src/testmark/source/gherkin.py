"""Features as the official Gherkin parser reads them: Scenarios, pickles, and the text of each Requirement."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from testmark.errors import UserError

StepKind = Literal["given", "when", "then", "unknown"]
Richness = Literal["user_story", "prose", "title_only"]

_KINDS: Mapping[str, StepKind] = {"Context": "given", "Action": "when", "Outcome": "then"}
_USER_STORY = re.compile(r"\b(as an?|as the|in order to|so that|i want|i need|i would like)\b", re.IGNORECASE)
_STORY_LINE = re.compile(r"^\W*(as an?|as the|in order to|i want|i need|i would like)\b", re.IGNORECASE | re.MULTILINE)
_ERROR_PLACE = re.compile(r"^\((\d+):\d+\): (.*)$", re.DOTALL)


class FeatureSyntaxError(UserError):
    """A feature file that the official parser does not accept: `problems` holds (line, message) pairs."""

    def __init__(self, path: str, problems: Sequence[tuple[int, str]]) -> None:
        line, message = problems[0]
        others = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(f"{path}:{line}: {message}{others}")
        self.path = path
        self.problems = tuple(problems)


@dataclass(frozen=True)
class StepScan:
    """One step of a pickle, Examples values filled in."""

    line: int
    keyword: str
    text: str
    kind: StepKind
    """`And` and `But` inherit; `*` is unknown."""


@dataclass(frozen=True)
class PickleScan:
    """One run of a Scenario: `line` is its header's, or its Examples row's; Background steps come first."""

    line: int
    name: str
    tags: tuple[str, ...]
    steps: tuple[StepScan, ...]


@dataclass(frozen=True)
class ScenarioScan:
    """One Scenario or Scenario Outline."""

    title: str
    line: int
    kind: Literal["scenario", "outline"]
    tags: tuple[str, ...]
    """Tags of Feature, Rule and Scenario as written, with their `@`, each once; those of Examples tables are the
    pickles'."""
    gherkin: str
    """The text from the header through the last step or Examples row."""
    start_line: int
    """First line of its tags, or of its header."""
    end_line: int
    background: str | None
    """The Background blocks that run before it: the Feature's, then its Rule's."""
    rule: str | None
    pickles: tuple[PickleScan, ...]


@dataclass(frozen=True)
class FeatureScan:
    """One feature file."""

    path: str
    title: str
    line: int
    narrative: str | None
    background: str | None
    language: str
    richness: Richness
    scenarios: tuple[ScenarioScan, ...]


def decode_feature(path: str, data: bytes) -> str:
    """The file's text: UTF-8 with or without a byte order mark, line ends normalised; raises `FeatureSyntaxError`."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FeatureSyntaxError(path, [(line, "is not UTF-8; save the file as UTF-8")]) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def scan_feature(path: str, data: bytes) -> FeatureScan:
    """Parse one feature file; raises `FeatureSyntaxError` naming every line that is wrong."""
    text = decode_feature(path, data)
    feature, pickles = _parse(path, text)
    lines = text.split("\n")
    narrative = _description(feature)
    scope = _Scope(
        tags=_tags(feature), backgrounds=(), rule=None, outline_keywords=_outline_keywords(feature["language"])
    )
    scenarios = tuple(_scenarios(feature["children"], scope, lines, _by_scenario(feature, pickles)))
    background = next((child["background"] for child in feature["children"] if "background" in child), None)
    return FeatureScan(
        path=path,
        title=feature["name"],
        line=feature["location"]["line"],
        narrative=narrative,
        background=_block(background, lines) if background is not None else None,
        language=feature["language"],
        richness=_richness(narrative),
        scenarios=scenarios,
    )


def cut_feature(data: bytes, scan: FeatureScan, scenario: ScenarioScan) -> str:
    """The Feature cut to one Requirement, all other lines blank: line numbers stay what they are.

    Kept are everything before the first Scenario or Rule (language, comments, tags, header, narrative, Background),
    the Scenario's own Rule header with its Background, and the Scenario with its tags. Comments directly above a
    Scenario or Rule go with it.
    """
    text = decode_feature(scan.path, data)
    feature, _ = _parse(scan.path, text)
    lines = text.split("\n")
    kept = set(range(1, _first_child(feature, lines)))
    for child in feature["children"]:
        rule = child.get("rule")
        if rule is not None and any(
            inner.get("scenario", {}).get("location", {}).get("line") == scenario.line for inner in rule["children"]
        ):
            kept |= set(range(_with_comments(_start(rule), lines), _first_child(rule, lines)))
    kept |= set(range(_with_comments(scenario.start_line, lines), scenario.end_line + 1))
    cut = [line if number in kept else "" for number, line in enumerate(lines, 1)]
    return "\n".join(cut).rstrip("\n") + "\n"


def _first_child(parent: dict[str, Any], lines: Sequence[str]) -> int:
    """The line where the first Scenario or Rule of a Feature or Rule begins, with its comments."""
    starts = (_start(_element(child)) for child in parent["children"] if "background" not in child)
    return min((_with_comments(start, lines) for start in starts), default=len(lines) + 1)


def _with_comments(start: int, lines: Sequence[str]) -> int:
    """The first of the comment lines that stand directly above line `start`."""
    while start > 1 and lines[start - 2].lstrip().startswith("#"):
        start -= 1
    return start


@dataclass(frozen=True)
class _Scope:
    """What a Scenario inherits."""

    tags: tuple[str, ...]
    backgrounds: tuple[str, ...]
    rule: str | None
    outline_keywords: frozenset[str]


def _outline_keywords(language: str) -> frozenset[str]:
    from gherkin.dialect import Dialect

    dialect = Dialect.for_name(language)
    return frozenset(dialect.scenario_outline_keywords if dialect is not None else ())


def _parse(path: str, text: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    from gherkin.errors import CompositeParserException, ParserError
    from gherkin.parser import Parser
    from gherkin.pickles.compiler import Compiler

    try:
        document: Any = Parser().parse(text)
    except CompositeParserException as error:
        raise FeatureSyntaxError(path, [_problem(str(one)) for one in error.errors]) from error
    except ParserError as error:
        raise FeatureSyntaxError(path, [_problem(str(error))]) from error
    if not document.get("feature"):
        raise FeatureSyntaxError(path, [(1, "holds no Feature")])
    document["uri"] = path
    compiled: Any = Compiler().compile(document)
    pickles: list[dict[str, Any]] = list(compiled)
    return document["feature"], pickles


def _problem(message: str) -> tuple[int, str]:
    found = _ERROR_PLACE.match(message)
    if found is None:
        return 1, " ".join(message.split())
    return int(found.group(1)), " ".join(found.group(2).split())


def _by_scenario(feature: dict[str, Any], pickles: Sequence[dict[str, Any]]) -> dict[str, list[PickleScan]]:
    nodes = dict(_nodes(feature))
    found: dict[str, list[PickleScan]] = {}
    for pickle in pickles:
        ids = pickle["astNodeIds"]
        steps = tuple(_step(step, nodes) for step in pickle["steps"])
        tags = tuple(tag["name"] for tag in pickle["tags"])
        line = nodes[ids[-1]]["location"]["line"]
        found.setdefault(ids[0], []).append(PickleScan(line, pickle["name"], tags, steps))
    return found


def _nodes(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:  # noqa: ANN401 - a JSON tree
    """Every node of the tree that has an identifier."""
    if isinstance(value, dict):
        if "id" in value and "location" in value:
            yield value["id"], value
        for inner in value.values():
            yield from _nodes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _nodes(inner)


def _step(step: dict[str, Any], nodes: Mapping[str, dict[str, Any]]) -> StepScan:
    node = nodes[step["astNodeIds"][0]]
    return StepScan(
        line=node["location"]["line"],
        keyword=node["keyword"].strip(),
        text=step["text"],
        kind=_KINDS.get(step.get("type", ""), "unknown"),
    )


def _scenarios(
    children: Sequence[dict[str, Any]], scope: _Scope, lines: Sequence[str], pickles: Mapping[str, list[PickleScan]]
) -> Iterator[ScenarioScan]:
    for child in children:
        if "background" in child:
            block = _block(child["background"], lines)
            scope = replace(scope, backgrounds=(*scope.backgrounds, block))
        elif "rule" in child:
            rule = child["rule"]
            inner = replace(scope, tags=(*scope.tags, *_tags(rule)), rule=rule["name"])
            yield from _scenarios(rule["children"], inner, lines, pickles)
        else:
            yield _scenario(child["scenario"], scope, lines, pickles)


def _scenario(
    node: dict[str, Any], scope: _Scope, lines: Sequence[str], pickles: Mapping[str, list[PickleScan]]
) -> ScenarioScan:
    line = node["location"]["line"]
    end = _end(node, lines)
    outline = bool(node["examples"]) or node["keyword"] in scope.outline_keywords
    # An Outline without Examples is a template of no pickle, though the compiler makes one with its placeholders.
    runs = () if outline and not node["examples"] else tuple(pickles.get(node["id"], ()))
    return ScenarioScan(
        title=node["name"],
        line=line,
        kind="outline" if outline else "scenario",
        tags=tuple(dict.fromkeys((*scope.tags, *_tags(node)))),
        gherkin="\n".join(lines[line - 1 : end]),
        start_line=_start(node),
        end_line=end,
        background="\n\n".join(scope.backgrounds) or None,
        rule=scope.rule,
        pickles=runs,
    )


def _element(child: dict[str, Any]) -> dict[str, Any]:
    (element,) = child.values()
    found: dict[str, Any] = element
    return found


def _tags(node: dict[str, Any]) -> tuple[str, ...]:
    return tuple(tag["name"] for tag in node["tags"])


def _start(node: dict[str, Any]) -> int:
    """First line of an element: its first tag's or its header's."""
    lines: list[int] = [node["location"]["line"], *(tag["location"]["line"] for tag in node.get("tags", ()))]
    return min(lines)


def _end(node: dict[str, Any], lines: Sequence[str]) -> int:
    """Last line of an element: of its description, steps, their arguments, or Examples rows."""
    last = _description_end(node, lines)
    for step in node["steps"]:
        last = max(last, step["location"]["line"])
        for row in step.get("dataTable", {}).get("rows", ()):
            last = max(last, row["location"]["line"])
        if "docString" in step:
            last = max(last, _doc_string_end(step["docString"], lines))
    for examples in node.get("examples", ()):
        last = max(last, _description_end(examples, lines))
        header = examples.get("tableHeader")
        for row in [*([header] if header else []), *examples.get("tableBody", ())]:
            last = max(last, row["location"]["line"])
    return last


def _description_end(node: dict[str, Any], lines: Sequence[str]) -> int:
    """The line of an element's header, or the last one of its description, which leaves comments out."""
    last: int = node["location"]["line"]
    number = last
    for text in (node.get("description") or "").split("\n"):
        while text.strip() and number < len(lines):
            number += 1
            if lines[number - 1].strip() == text.strip():
                last = number
                break
    return last


def _doc_string_end(doc_string: dict[str, Any], lines: Sequence[str]) -> int:
    start: int = doc_string["location"]["line"]
    for number in range(start + 1, len(lines) + 1):
        if lines[number - 1].strip().startswith(doc_string["delimiter"]):
            return number
    return start


def _block(node: dict[str, Any], lines: Sequence[str]) -> str:
    return "\n".join(lines[node["location"]["line"] - 1 : _end(node, lines)])


def _description(feature: dict[str, Any]) -> str | None:
    text: str = feature.get("description") or ""
    return text if text.strip() else None


def _richness(narrative: str | None) -> Richness:
    """`user_story` when a line begins like one ("As a …") and another of its phrases follows; else `prose`."""
    if narrative is None:
        return "title_only"
    phrases = {found.lower() for found in _USER_STORY.findall(narrative)}
    return "user_story" if len(phrases) > 1 and _STORY_LINE.search(narrative) else "prose"
