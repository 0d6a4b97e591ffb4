"""Scan: every feature file of a project, read by the official parser and compared with the framework's own."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from testmark.projects.globs import matches_any
from testmark.records.definition import ProjectDefinition, SuiteTable
from testmark.records.kit import Dropped, ExpectedPickle, ExpectedStep
from testmark.records.tags import satisfies
from testmark.runtimes.protocol import Worker
from testmark.source.gherkin import FeatureScan, FeatureSyntaxError, PickleScan, ScenarioScan, scan_feature


@dataclass(frozen=True)
class ScannedScenario:
    """A Scenario that may become an instance."""

    feature: FeatureScan
    scenario: ScenarioScan
    suite: SuiteTable
    pickles: tuple[ExpectedPickle, ...]


@dataclass(frozen=True)
class Reading:
    """A Scenario of which the framework reads some words otherwise than the official parser: its reading is judged."""

    id: str
    detail: str


@dataclass(frozen=True)
class ScanReport:
    """What the features of a project hold."""

    features: int
    scenarios: int
    outlines: int
    pickles: int
    ready: tuple[ScannedScenario, ...]
    dropped: tuple[Dropped, ...]
    readings: tuple[Reading, ...] = ()

    @property
    def disagreements(self) -> tuple[Dropped, ...]:
        """Scenarios of which the framework's parser and the official one do not see the same steps."""
        return tuple(drop for drop in self.dropped if drop.rule == "parsers-disagree")


def instance_id(project: str, feature_path: str, line: int) -> str:
    """The card's stable key."""
    return f"{project}/{feature_path}:{line}"


def feature_paths(base: Path, places: Sequence[str]) -> list[str]:
    """All `.feature` files at or below the given places, relative to `base`, sorted."""
    found = set()
    for place in places:
        top = base / place
        candidates = [top] if top.is_file() else top.rglob("*.feature")
        found |= {path.relative_to(base).as_posix() for path in candidates if path.is_file()}
    return sorted(found)


def scan_project(base: Path, definition: ProjectDefinition, worker: Worker | None) -> ScanReport:
    """Scan all features; with a worker the framework parses them too. One bad file never stops the others."""
    features: list[FeatureScan] = []
    dropped: list[Dropped] = []
    for path in feature_paths(base, definition.layout.features):
        try:
            features.append(scan_feature(path, (base / path).read_bytes()))
        except FeatureSyntaxError as error:
            where = "; ".join(f"line {line}: {message}" for line, message in error.problems)
            dropped.append(Dropped(id=path, kind="feature", rule="feature-syntax-error", detail=where))
    theirs = worker.parse([feature.path for feature in features]) if worker is not None else None
    ready: list[ScannedScenario] = []
    readings: list[Reading] = []
    for feature in features:
        for scenario in feature.scenarios:
            name = instance_id(definition.project.name, feature.path, scenario.line)
            found = _candidate(name, feature, scenario, definition.suite)
            if isinstance(found, Dropped):
                dropped.append(found)
                continue
            if theirs is not None:
                seen = _as_framework_reads(found.pickles, theirs[feature.path])
                if isinstance(seen, str):
                    dropped.append(Dropped(id=name, kind="scenario", rule="parsers-disagree", detail=seen))
                    continue
                readings += [Reading(name, detail) for detail in _other_words(found.pickles, seen)]
                found = replace(found, pickles=seen)
            ready.append(found)
    everything = [scenario for feature in features for scenario in feature.scenarios]
    return ScanReport(
        features=len(features),
        scenarios=sum(scenario.kind == "scenario" for scenario in everything),
        outlines=sum(scenario.kind == "outline" for scenario in everything),
        pickles=sum(len(scenario.pickles) for scenario in everything),
        ready=tuple(ready),
        dropped=tuple(dropped),
        readings=tuple(readings),
    )


def _candidate(
    name: str, feature: FeatureScan, scenario: ScenarioScan, suites: Sequence[SuiteTable]
) -> ScannedScenario | Dropped:
    """The Scenario with its suite and expected pickles, or why it stays out."""

    def out(rule: str, detail: str = "") -> Dropped:
        return Dropped(id=name, kind="scenario", rule=rule, detail=detail)

    if not scenario.pickles:
        return out("no-examples" if scenario.kind == "outline" else "no-steps")
    pickles = tuple(expected_pickle(pickle) for pickle in scenario.pickles)
    if not any(pickle.steps for pickle in pickles):
        return out("no-steps")
    suites = [suite for suite in suites if matches_any(feature.path, suite.features)]
    if not suites:
        return out("no-suite", "no suite's `features` match the file")
    suite = next((suite for suite in suites if not _outside(suite, scenario)), None)
    if suite is None:
        return out("no-suite", "; ".join(_why_outside(suite, scenario) for suite in suites))
    return ScannedScenario(feature, scenario, suite, pickles)


def _outside(suite: SuiteTable, scenario: ScenarioScan) -> list[PickleScan]:
    """The Scenario's pickles whose tags, those of their Examples table too, do not satisfy the suite's expression."""
    if suite.tags is None:
        return []
    return [pickle for pickle in scenario.pickles if not satisfies(pickle.tags, suite.tags)]


def _why_outside(suite: SuiteTable, scenario: ScenarioScan) -> str:
    outside = _outside(suite, scenario)
    if len(outside) == len(scenario.pickles):
        return f"its tags do not satisfy `{suite.tags}` of {suite.name}"
    # An Outline is one Requirement and stays whole.
    return f"the Examples row at line {outside[0].line} does not satisfy `{suite.tags}` of {suite.name}"


def expected_pickle(pickle: PickleScan) -> ExpectedPickle:
    """The pickle's line and steps as the judge expects them."""
    return ExpectedPickle(
        line=pickle.line, steps=tuple(ExpectedStep(line=step.line, text=step.text) for step in pickle.steps)
    )


def _as_framework_reads(
    ours: Iterable[ExpectedPickle], theirs: Sequence[ExpectedPickle] | str
) -> tuple[ExpectedPickle, ...] | str:
    """The same pickles with the framework's texts; in one line why, when it does not see the same steps.

    Texts may differ where a table escapes: the official parser makes a line end of a backslash and an n in a cell,
    behave does not.
    """
    if isinstance(theirs, str):
        return f"the framework cannot parse the file: {theirs}"
    by_line = {pickle.line: pickle for pickle in theirs}
    seen = []
    for pickle in ours:
        other = by_line.get(pickle.line)
        if other is None:
            return f"line {pickle.line}: the framework finds no Scenario or row here"
        if [step.line for step in other.steps] != [step.line for step in pickle.steps]:
            return f"line {pickle.line}: the framework reads other steps"
        seen.append(other)
    return tuple(seen)


def _other_words(ours: Iterable[ExpectedPickle], theirs: Iterable[ExpectedPickle]) -> list[str]:
    return [
        f"line {pickle.line}: the framework reads {other.text!r}, the official parser {step.text!r}"
        for pickle, seen in zip(ours, theirs, strict=True)
        for step, other in zip(pickle.steps, seen.steps, strict=True)
        if step.text != other.text
    ]


def selected(name: str, only: Sequence[str]) -> bool:
    """Whether an instance is asked for: no globs mean all."""
    return not only or any(fnmatch.fnmatchcase(name, pattern) for pattern in only)
