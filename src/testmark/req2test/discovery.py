"""Which step files each Scenario's steps come from, found by running every Feature with all of them loaded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from testmark.projects.globs import matches_any
from testmark.records.definition import LayoutTable, LimitsTable
from testmark.req2test.requests import time_limits
from testmark.req2test.scanning import ScannedScenario
from testmark.runtimes.protocol import Matches, RunOutcome, RunRequest, Worker
from testmark.source.steps import imported_modules

_DISCOVERY_CPU_SECONDS = 60.0
_HOOK_ERROR = re.compile(r"HOOK-ERROR in (?:hook=)?(?!after_)\w.*")


@dataclass(frozen=True)
class FeatureMatches:
    """The matches of one Feature's run, or why there are none."""

    path: str
    matches: Matches | None
    problem: str
    """Why nothing was loaded, or which hook failed or skipped a Scenario."""


def discover(path: str, userdata: dict[str, str], limits: LimitsTable, worker: Worker) -> FeatureMatches:
    """Run one Feature file whole, all step files loaded; failing Scenarios do no harm here."""
    request = RunRequest(
        feature_path=path,
        line=None,
        files=(),
        remove=(),
        load=None,
        test_files=(),
        pickles=(),
        userdata=userdata,
        time=time_limits(limits, cpu_seconds=_DISCOVERY_CPU_SECONDS, wall_seconds=_DISCOVERY_CPU_SECONDS),
        matches=True,
    )
    outcome = worker.run(request)
    if outcome.matches is None:
        return FeatureMatches(path, None, outcome.reason)
    return FeatureMatches(path, outcome.matches, _failed_hook(outcome))


def _failed_hook(outcome: RunOutcome) -> str:
    """What is known of a hook that failed before any step; words for a reader, by which nothing is decided."""
    if outcome.reason.startswith("hook or clean-up"):
        return outcome.reason
    found = [" ".join(match[0].split()) for match in _HOOK_ERROR.finditer(outcome.output)]
    return max(found, key=len, default="")


@dataclass(frozen=True)
class StepFiles:
    """How the files below the test roots divide."""

    steps: tuple[str, ...]
    """Files that define steps."""
    support: tuple[str, ...]
    """All the others, and step files that support code needs."""


def divide(base: Path, layout: LayoutTable, definitions: Sequence[str], features: Sequence[str]) -> StepFiles:
    """Tell step files from support files: those that `[layout] support` names, or that support code imports, stay.

    Feature files are neither.
    """
    everything = set()
    for root in layout.test_roots:
        top = base / root
        for path in [top] if top.is_file() else top.rglob("*"):
            if path.is_file():
                everything.add(path.relative_to(base).as_posix())
    everything -= set(features)
    steps = {path for path in definitions if path in everything and not matches_any(path, layout.support)}
    support = everything - steps
    for name in sorted(support):
        if name.endswith(".py"):
            support |= {step for step in steps if _imports(base / name, step)}
    return StepFiles(tuple(sorted(steps - support)), tuple(sorted(support)))


def _imports(path: Path, step_file: str) -> bool:
    """Whether a file imports a step file, by its bare name or as part of a package."""
    names = imported_modules(path.read_text(encoding="utf-8", errors="replace"))
    return any(is_module(step_file, name) for name in names)


def is_module(path: str, name: str) -> bool:
    """Whether importing `name` can load the file: bare, as the steps folder is on the path, or in a package."""
    dotted = path.removesuffix(".py").replace("/", ".")
    bare = name.lstrip(".")
    return bool(bare) and (dotted == bare or dotted.endswith("." + bare))


def reference_files(scanned: ScannedScenario, feature: FeatureMatches, files: StepFiles) -> tuple[str, ...] | str:
    """The step files of a Scenario's reference test, or the rule that keeps the Scenario out."""
    matches = feature.matches
    if matches is None:
        return "tests-do-not-load"
    found: set[str] = set()
    for pickle in scanned.pickles:
        found |= set(matches.files.get(pickle.line, ()))
    if not found:
        return "stopped-by-hook" if feature.problem else "steps-undefined"
    if found & set(files.support):
        return "steps-in-support"
    if not found <= set(files.steps):
        return "steps-outside-test-roots"
    return tuple(sorted(found))
