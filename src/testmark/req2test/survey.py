"""Survey: features scanned, the framework's parser compared, and every Scenario's step files found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from testmark.engine.files import digest, write_text
from testmark.engine.pool import Pool
from testmark.engine.progress import Progress
from testmark.records.base import Record
from testmark.records.definition import ProjectDefinition
from testmark.req2test.discovery import FeatureMatches, discover
from testmark.req2test.scanning import ScanReport, scan_project
from testmark.runtimes.protocol import Matches, Worker


class SurveyRecord(Record):
    """What one Feature's run with all step files loaded showed; kept under the hash of the whole project."""

    key: str
    path: str
    problem: str
    files: dict[int, tuple[str, ...]] | None
    definitions: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Survey:
    """The scan, the matches of each Feature, and the third-party modules that the tests load."""

    scan: ScanReport
    matches: Mapping[str, FeatureMatches]
    preload: tuple[str, ...]

    @property
    def definitions(self) -> tuple[str, ...]:
        """All files that register step definitions."""
        found = {path for feature in self.matches.values() if feature.matches for path in feature.matches.definitions}
        return tuple(sorted(found))


def survey(
    base: Path,
    definition: ProjectDefinition,
    *,
    stage: Path,
    key: str,
    open_worker: Callable[[], Worker],
    jobs: int,
    quiet: bool,
) -> Survey:
    """Survey the project; Features whose record under `stage` bears `key` are not run again."""
    with closing(open_worker()) as worker:
        scan = scan_project(base, definition, worker)
    # Scenarios of one Feature may be in several suites; its step files are looked for with the last one's user data.
    suites = {scanned.feature.path: scanned.suite for scanned in scan.ready}
    found = {path: stored for path in suites if (stored := _stored(stage, path, key)) is not None}
    todo = [path for path in suites if path not in found]
    with Progress("finding step definitions", len(todo), quiet=quiet) as progress:

        def done(path: str, result: FeatureMatches) -> None:
            found[path] = result
            write_text(_place(stage, path), _record(key, result).to_json())
            progress.step(path)

        pool: Pool[str, FeatureMatches, Worker] = Pool(jobs, open_worker)
        pool.run(todo, lambda path, worker: discover(path, suites[path].userdata, definition.limits, worker), done)
    modules: dict[str, None] = {}
    for path in sorted(found):
        matches = found[path].matches
        if matches is not None:
            modules.update(dict.fromkeys(matches.modules))
    return Survey(scan, found, tuple(modules))


def _place(stage: Path, path: str) -> Path:
    return stage / f"{digest(path)[:32]}.json"


def _record(key: str, result: FeatureMatches) -> SurveyRecord:
    matches = result.matches
    if matches is None:
        return SurveyRecord(key=key, path=result.path, problem=result.problem, files=None)
    return SurveyRecord(
        key=key,
        path=result.path,
        problem=result.problem,
        files=dict(matches.files),
        definitions=matches.definitions,
        modules=matches.modules,
    )


def _stored(stage: Path, path: str, key: str) -> FeatureMatches | None:
    try:
        record = SurveyRecord.from_json(_place(stage, path).read_bytes())
    except (OSError, ValidationError):
        return None
    if record.key != key:
        return None
    matches = None if record.files is None else Matches(record.files, record.definitions, record.modules)
    return FeatureMatches(path, matches, record.problem)
