"""Build: from a project definition to a benchmark folder, stage by stage, each kept and found again by its inputs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from testmark.engine.cache import default_cache
from testmark.engine.files import digest, owned, sweep_parts, tree_hashes, write_text
from testmark.engine.pool import Gate, Pool
from testmark.engine.progress import Progress
from testmark.errors import UserError
from testmark.projects.load import LoadedDefinition
from testmark.records.kit import Dropped, KitProject
from testmark.req2test.assemble import assemble
from testmark.req2test.card import BenchSummary
from testmark.req2test.discovery import StepFiles, divide, is_module, reference_files
from testmark.req2test.instances import BuiltInstance, Material, build_instance
from testmark.req2test.mutation import FileMutants, engine_version, mutate_project
from testmark.req2test.production import Production
from testmark.req2test.runtime import OpenProject, open_project, runtime_of
from testmark.req2test.scanning import ScannedScenario, ScanReport, feature_paths, instance_id, selected
from testmark.req2test.survey import Survey, survey
from testmark.runtimes.protocol import RunOutcome, RunRequest, Runtime, RuntimeProject, Worker
from testmark.sandbox.confinement import Sandbox
from testmark.source.python import read_source
from testmark.source.steps import imported_modules

BUILD_VERSION = 1
"""Part of every stage's key: raise it when a stage's meaning changes."""


@dataclass(frozen=True)
class BuildOptions:
    """How to build; what is built follows from the definition and the seed alone."""

    sandbox: Sandbox
    seed: int = 0
    jobs: int | None = None
    only: tuple[str, ...] = ()
    limit: int | None = None
    cache: Path | None = None
    quiet: bool = False


@dataclass(frozen=True)
class BuildReport:
    """What was built and what was done anew."""

    bench: Path
    summary: BenchSummary
    built: int
    reused: int
    scan: ScanReport
    notes: tuple[str, ...] = ()
    """What of the source was left out, and why."""


def build(loaded: LoadedDefinition, out: Path, options: BuildOptions) -> BuildReport:
    """Build the benchmark of a project into `out`; run again it does only what its inputs changed.

    Raises `UserError` for a definition or folder that cannot be used, `InfraError` when this machine fails.
    """
    with owned(out, "benchmark"):
        sweep_parts(out)
        return _Build(loaded, out, options).run()


class _Build:
    def __init__(self, loaded: LoadedDefinition, out: Path, options: BuildOptions) -> None:
        self.loaded = loaded
        self.out = out
        self.options = options
        self.stages = out / ".build"
        self.jobs = options.jobs or os.cpu_count() or 1
        self.cache = options.cache or default_cache()
        self.runtime: Runtime = runtime_of(loaded.definition.project.framework)
        self.gate = Gate()

    def run(self) -> BuildReport:
        project = open_project(self.loaded, self.cache)
        base = project.runtime_project.base
        hashes = tree_hashes(base)
        whole = digest(BUILD_VERSION, hashes, project.environment.lock, project.environment.version, self._settings())
        definition = self.loaded.definition
        surveyed = survey(
            base,
            definition,
            stage=self.stages / "survey",
            key=whole,
            open_worker=lambda: self.runtime.worker(project.runtime_project, self.options.sandbox),
            jobs=self.jobs,
            quiet=self.options.quiet,
        )
        scan = surveyed.scan
        features = feature_paths(base, definition.layout.features)
        if not features:
            raise UserError(
                f"{self.loaded.where('layout', 'features')}: there are no .feature files; correct `features`"
            )
        files = divide(base, definition.layout, surveyed.definitions, features)
        ready, dropped = self._with_references(surveyed, files)
        production = Production(base, definition.layout.production_roots, definition.layout.import_paths)
        generated = mutate_project(
            production,
            stage=self.stages / "mutants",
            interpreter=project.environment.version,
            open_worker=lambda: self.runtime.worker(project.runtime_project, self.options.sandbox),
            jobs=self.jobs,
            quiet=self.options.quiet,
        )
        material = self._material(base, production, generated, files, scan)
        keys = self._keys(ready, material, project, hashes)
        warmed = replace(project.runtime_project, preload=surveyed.preload)
        built, made = self._build_all(ready, keys, material, warmed)
        kit_project = KitProject(
            definition=definition,
            preload=surveyed.preload,
            step_files=files.steps,
            production_modules=production.top_level_modules(),
            support_files=files.support,
        )
        summary = assemble(
            self.out,
            project=project,
            kit_project=kit_project,
            instances=built,
            dropped=[*scan.dropped, *dropped],
            generated=generated.values(),
            seed=self.options.seed,
        )
        return BuildReport(self.out, summary, made, len(built) - made, scan, project.notes)

    def _settings(self) -> list[object]:
        """What of the definition every result depends on; caps on the split are applied when assembling."""
        definition = self.loaded.definition
        caps = definition.caps.model_dump(exclude={"eval"})
        return [
            definition.layout.model_dump(mode="json"),
            [suite.model_dump(mode="json") for suite in definition.suite],
            definition.limits.model_dump(),
            dict(definition.runtime.environment),
            caps,
            self.options.seed,
        ]

    # -- what can be built ----------------------------------------------------------------------------------------

    def _with_references(
        self, surveyed: Survey, files: StepFiles
    ) -> tuple[list[tuple[ScannedScenario, tuple[str, ...]]], list[Dropped]]:
        """The Scenarios whose reference test was found, and those without."""
        ready, dropped = [], []
        for scanned in surveyed.scan.ready:
            name = self._name(scanned)
            feature = surveyed.matches[scanned.feature.path]
            found = reference_files(scanned, feature, files)
            if isinstance(found, str):
                detail = feature.problem or _first_step(scanned)
                dropped.append(Dropped(id=name, kind="scenario", rule=found, detail=detail))
            elif selected(name, self.options.only):
                ready.append((scanned, found))
        return ready[: self.options.limit], dropped

    def _name(self, scanned: ScannedScenario) -> str:
        return instance_id(self.loaded.definition.project.name, scanned.feature.path, scanned.scenario.line)

    # -- instances ----------------------------------------------------------------------------------------------

    def _material(
        self,
        base: Path,
        production: Production,
        generated: Mapping[str, FileMutants],
        files: StepFiles,
        scan: ScanReport,
    ) -> Material:
        return Material(
            definition=self.loaded.definition,
            production=production,
            mutants={path: found.kept for path, found in generated.items()},
            features={s.feature.path: (base / s.feature.path).read_bytes() for s in scan.ready},
            texts={path: read_source(base / path) for path in files.steps},
            support_files=files.support,
            seed=self.options.seed,
        )

    def _keys(
        self,
        ready: Sequence[tuple[ScannedScenario, tuple[str, ...]]],
        material: Material,
        project: OpenProject,
        hashes: Mapping[str, str],
    ) -> list[str]:
        """The hash of everything that an instance is built from: a changed step file touches only what uses it."""
        base = project.runtime_project.base
        features = set(material.features)
        steps = set(material.texts)
        common = digest(
            BUILD_VERSION,
            engine_version(),
            {path: value for path, value in hashes.items() if path not in steps and path not in features},
            project.environment.lock,
            project.environment.version,
            self._settings(),
            self.options.sandbox.name,
        )
        helpers = {path: _step_helpers(base, path, steps) for path in steps}
        keys = []
        for scanned, references in ready:
            used = set(references).union(*(helpers[path] for path in references))
            own = {path: hashes[path] for path in sorted({*used, scanned.feature.path})}
            keys.append(digest(common, self._name(scanned), own))
        return keys

    def _build_all(
        self,
        ready: Sequence[tuple[ScannedScenario, tuple[str, ...]]],
        keys: Sequence[str],
        material: Material,
        runtime_project: RuntimeProject,
    ) -> tuple[list[BuiltInstance], int]:
        paths = [self.stages / "instances" / f"{digest(self._name(s))[:32]}.json" for s, _ in ready]
        built: list[BuiltInstance | None] = [_stored(path, key) for path, key in zip(paths, keys, strict=True)]
        todo = [number for number, instance in enumerate(built) if instance is None]

        def cold(request: RunRequest) -> RunOutcome:
            return self.runtime.run_cold(runtime_project, self.options.sandbox, request)

        def work(number: int, worker: Worker) -> BuiltInstance:
            scanned, references = ready[number]
            return build_instance(material, scanned, references, keys[number], worker, cold, self.gate)

        with Progress("building instances", len(todo), quiet=self.options.quiet) as progress:

            def done(number: int, instance: BuiltInstance) -> None:
                built[number] = instance
                if instance.eval_rule != "infra":
                    write_text(paths[number], instance.to_json())
                progress.step(self._name(ready[number][0]))

            pool: Pool[int, BuiltInstance, Worker] = Pool(
                self.jobs, lambda: self.runtime.worker(runtime_project, self.options.sandbox)
            )
            pool.run(todo, work, done)
        return [instance for instance in built if instance is not None], len(todo)


def _stored(path: Path, key: str) -> BuiltInstance | None:
    """What an earlier build left, if it was built from the same inputs."""
    try:
        instance = BuiltInstance.from_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    return instance if instance.key == key else None


def _step_helpers(base: Path, path: str, steps: set[str]) -> set[str]:
    """The other step files that a step file imports, directly or through one another."""
    found: set[str] = set()
    todo = [path]
    while todo:
        current = todo.pop()
        names = imported_modules((base / current).read_text(encoding="utf-8", errors="replace"))
        new = {step for step in steps - found - {path} if any(is_module(step, name) for name in names)}
        found |= new
        todo += sorted(new)
    return found


def _first_step(scanned: ScannedScenario) -> str:
    steps = [step for pickle in scanned.pickles for step in pickle.steps]
    return f"first step, line {steps[0].line}: {steps[0].text}" if steps else "no step"
