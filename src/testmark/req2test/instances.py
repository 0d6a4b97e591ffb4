"""One Scenario becomes an instance: reference runs, targets, hidden view, mutants, kill set, controls."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from testmark.engine.files import digest
from testmark.engine.pool import Gate
from testmark.mutants import controls as make_controls
from testmark.mutants import reach_lines, select
from testmark.records.base import FileText, Record
from testmark.records.dataset import FeaturePart, InstanceRow, ReferenceRow, ScenarioPart, TargetInterface
from testmark.records.definition import ProjectDefinition
from testmark.records.kit import Control, Dropped, KitInstance, Mutant, MutantVerdict, ReferenceFigures, View
from testmark.req2test.killing import (
    Run,
    compatible,
    controls_request,
    is_kill,
    mutant_request,
    mutant_verdict,
    noticed_without_steps,
    run_patiently,
)
from testmark.req2test.production import Production
from testmark.req2test.prompts import task_prompt
from testmark.req2test.references import DropInstance, ReferenceRuns, first_limits, run_reference
from testmark.req2test.requests import InstanceRuns, time_limits
from testmark.req2test.scanning import ScannedScenario, instance_id
from testmark.runtimes.protocol import RunOutcome, Trace, Worker
from testmark.source.gherkin import cut_feature
from testmark.source.python import Declaration, hide_bodies, source_lines

_SURVIVAL_RUNS = 2
_CONTROLS_KEPT = 2
"""Controls kept for each function, at the level of instructions and at the others together."""


class BuiltInstance(Record):
    """What building one Scenario gave; kept between builds under the hash of its inputs."""

    key: str
    row: InstanceRow | None
    reference: ReferenceRow | None
    kit: KitInstance | None
    view: View | None
    mutants: tuple[Mutant, ...]
    dropped: tuple[Dropped, ...]
    eval_rule: str
    """Why the instance cannot be in `eval`; empty when it can."""
    eval_detail: str = ""


@dataclass(frozen=True)
class Material:
    """What all instances of a project are built from."""

    definition: ProjectDefinition
    production: Production
    mutants: Mapping[str, tuple[Mutant, ...]]
    """Valid, distinct mutants of each production file."""
    features: Mapping[str, bytes]
    texts: Mapping[str, str]
    """Texts of all step files."""
    support_files: tuple[str, ...]
    seed: int


def build_instance(
    material: Material,
    scanned: ScannedScenario,
    reference_files: tuple[str, ...],
    key: str,
    worker: Worker,
    cold: Run,
    gate: Gate,
) -> BuiltInstance:
    """Build one instance; a Scenario that must leave comes back with its rule in `dropped` and no row."""
    name = instance_id(material.definition.project.name, scanned.feature.path, scanned.scenario.line)
    try:
        return _Builder(material, scanned, reference_files, key, name, worker, cold, gate).build()
    except DropInstance as drop:
        gone = Dropped(id=name, kind="scenario", rule=drop.rule, detail=drop.detail)
        return BuiltInstance(
            key=key, row=None, reference=None, kit=None, view=None, mutants=(), dropped=(gone,), eval_rule=drop.rule
        )


def hidden_texts(production: Production, hidden: Mapping[str, list[Declaration]]) -> tuple[FileText, ...]:
    """The whole text of each hidden function, under `path:line`."""
    texts = []
    for path, found in sorted(hidden.items()):
        lines = source_lines(production.source(path))
        texts += [FileText(path=f"{path}:{d.line}", content="".join(lines[d.line - 1 : d.end_line])) for d in found]
    return tuple(texts)


class _Builder:
    """The stages of one instance, in order."""

    def __init__(
        self,
        material: Material,
        scanned: ScannedScenario,
        reference_files: tuple[str, ...],
        key: str,
        name: str,
        worker: Worker,
        cold: Run,
        gate: Gate,
    ) -> None:
        self.material = material
        self.scanned = scanned
        self.key = key
        self.name = name
        self.worker = worker
        self.cold = cold
        self.gate = gate
        self.caps = material.definition.caps
        self.limits = material.definition.limits
        self.reference = tuple(FileText(path=path, content=material.texts[path]) for path in reference_files)
        self.dropped: list[Dropped] = []
        self.runs = InstanceRuns(
            feature_path=scanned.feature.path,
            line=scanned.scenario.line,
            feature_text=cut_feature(material.features[scanned.feature.path], scanned.feature, scanned.scenario),
            pickles=scanned.pickles,
            userdata=scanned.suite.userdata,
            reference_files=reference_files,
            support_files=material.support_files,
            originals={},
            time=first_limits(self.limits),
            cold_time=first_limits(self.limits),
        )

    def build(self) -> BuiltInstance:
        shown = run_reference(self.runs, self.reference, self.caps.runs, self.limits, self.worker, self.gate)
        self.runs = replace(self.runs, time=shown.time)
        targets = self.material.production.called(shown.trace.calls)
        hidden = self.material.production.to_hide(targets)
        eval_rule, eval_detail = self._why_not_eval(targets, hidden)
        chosen = self._choose_mutants(shown.trace, targets)
        self.runs = replace(
            self.runs, originals={path: self.material.production.source(path) for path in {m.path for m in chosen}}
        )
        verdicts = self._without_idle_kills(chosen, self._kill(chosen))
        kept = [mutant for mutant in chosen if mutant.mutant_id in verdicts]
        kill_set = tuple(m.mutant_id for m in kept if is_kill(verdicts[m.mutant_id]))
        if not eval_rule and not kill_set:
            eval_rule = "no-kill-set"
            eval_detail = f"the reference kills none of {len(kept)} mutants"
        controls = self._make_controls([m for m in kept if m.mutant_id in kill_set])
        original = self._run_cold_once()
        warm = self._prove_warm(kept, verdicts)
        kit = KitInstance(
            instance_id=self.name,
            feature_path=self.runs.feature_path,
            line=self.scanned.scenario.line,
            feature_text=self.runs.feature_text,
            suite=self.scanned.suite.name,
            userdata=self.scanned.suite.userdata,
            pickles=self.scanned.pickles,
            reference_files=self.runs.reference_files,
            hidden=hidden_texts(self.material.production, hidden),
            targets=_interfaces(targets),
            reference=_figures(shown, original, targets),
            mutants=tuple(mutant.mutant_id for mutant in kept),
            kill_set=kill_set,
            kill_verdicts=verdicts,
            controls=controls,
            warm=warm,
            allowed_flags=shown.flags,
        )
        row = self._row(targets)
        return BuiltInstance(
            key=self.key,
            row=row,
            reference=ReferenceRow(project=row.project, instance_id=self.name, files=self.reference, di_fragment=None),
            kit=kit,
            view=self._view(row, hidden),
            mutants=tuple(kept),
            dropped=tuple(self.dropped),
            eval_rule=eval_rule,
            eval_detail=eval_detail,
        )

    # -- population ---------------------------------------------------------------------------------------------

    def _why_not_eval(
        self, targets: Mapping[tuple[str, ...], Declaration], hidden: Mapping[str, list[Declaration]]
    ) -> tuple[str, str]:
        if not targets:
            return "no-action-or-check-call", "When and Then steps call no public production method directly"
        if not hidden:
            return "nothing-to-hide", "no target has code of its own"
        changed = self._hidden_sources(hidden)
        originals = {path: self.material.production.source(path) for path in changed}
        runs = replace(self.runs, originals=originals)
        outcome = run_patiently(runs.request(self.reference, changed=changed), self.worker.run, self.gate)
        if outcome.status == "infra":
            raise DropInstance("infra", outcome.reason)
        if outcome.status == "passed":
            return "passes-with-target-hidden", "the reference test passes although its target has no code"
        return "", ""

    def _hidden_sources(self, hidden: Mapping[str, list[Declaration]]) -> dict[str, str]:
        return {path: hide_bodies(self.material.production.source(path), found) for path, found in hidden.items()}

    # -- mutants ------------------------------------------------------------------------------------------------

    def _choose_mutants(self, trace: Trace, targets: Mapping[tuple[str, ...], Declaration]) -> list[Mutant]:
        """Valid, distinct mutants on lines that the reference's When and Then steps execute, targets first."""
        lines = trace.checked_lines or trace.step_lines
        candidates = []
        for path in sorted(lines):
            source = self.material.production.source(path)
            for mutant in self.material.mutants.get(path, ()):
                if mutant.function != "<module>" and reach_lines(source, mutant) & lines[path]:
                    candidates.append(mutant)  # noqa: PERF401 - the condition reads better on its own line
        places = {(target.path, target.line) for target in targets.values()}
        seed = int(digest(self.material.seed, self.name)[:12], 16)
        return list(select(candidates, limit=self.caps.mutants, seed=seed, targets=places))

    def _kill(self, chosen: Sequence[Mutant]) -> dict[str, MutantVerdict]:
        """The reference's verdict on each mutant, N times of N; unstable ones leave."""
        verdicts: dict[str, MutantVerdict] = {}
        for mutant in chosen:
            found = self._kill_one(mutant)
            if found is not None:
                verdicts[mutant.mutant_id] = found
        return verdicts

    def _kill_one(self, mutant: Mutant) -> MutantVerdict | None:
        request = mutant_request(self.runs, self.reference, mutant)
        seen: list[MutantVerdict] = []
        for number in range(self.caps.runs):
            if number >= _SURVIVAL_RUNS and not is_kill(seen[0]):
                # No kill is claimed for a survivor; a second look is enough to see that it is one.
                break
            seen.append(mutant_verdict(run_patiently(request, self.worker.run, self.gate)))
            if seen[-1] == "infra" or is_kill(seen[-1]) != is_kill(seen[0]):
                break
        unstable = len({is_kill(verdict) for verdict in seen}) > 1 or "infra" in seen
        if unstable:
            gone = f"{self.name}#{mutant.mutant_id}"
            self.dropped.append(Dropped(id=gone, kind="mutant", rule="unstable", detail=", ".join(seen)))
            return None
        return seen[0]

    def _without_idle_kills(
        self, chosen: Sequence[Mutant], verdicts: dict[str, MutantVerdict]
    ) -> dict[str, MutantVerdict]:
        """The verdicts without those of mutants that are noticed even if no step does anything."""
        killed = [mutant for mutant in chosen if is_kill(verdicts.get(mutant.mutant_id, "survived"))]
        noticed = noticed_without_steps(self.runs, killed, self.worker.run, self.gate)
        for name, reason in noticed.items():
            gone = f"{self.name}#{name}"
            self.dropped.append(Dropped(id=gone, kind="mutant", rule="killed-without-steps", detail=reason))
        return {name: verdict for name, verdict in verdicts.items() if name not in noticed}

    def _make_controls(self, killed: Sequence[Mutant]) -> tuple[Control, ...]:
        """Controls in every function that holds a mutant of the kill set; only those that the reference passes stay."""
        kept: list[Control] = []
        todo = [self._control_candidates(killed)]
        while todo:
            group = todo.pop()
            together = compatible(group)
            rest = [control for control in group if control not in together]
            if rest:
                todo.append(rest)
            if not together:
                continue
            request = controls_request(self.runs, self.reference, together, resident=False)
            outcome = run_patiently(request, self.worker.run, self.gate)
            if outcome.status == "passed":
                kept += together
            elif len(together) > 1:
                middle = len(together) // 2
                todo += [together[:middle], together[middle:]]
            else:
                gone = f"{self.name}#{together[0].mutant.mutant_id}"
                self.dropped.append(
                    Dropped(id=gone, kind="mutant", rule="control-not-equivalent", detail=outcome.reason)
                )
        return tuple(sorted(kept, key=lambda control: (control.level, control.mutant.mutant_id)))

    def _control_candidates(self, killed: Sequence[Mutant]) -> list[Control]:
        """For each function a few controls that look like real mutants, and a few of the other levels."""
        seed = int(digest(self.material.seed, self.name, "controls")[:12], 16)
        groups: dict[tuple[str, ...], list[Control]] = {}
        for path in sorted({mutant.path for mutant in killed}):
            source = self.material.production.source(path)
            lines = {mutant.function_line for mutant in killed if mutant.path == path}
            for control in make_controls(path, source, function_lines=lines, seed=seed):
                looks_real = str(control.level == "instructions")
                place = (path, str(control.mutant.function_line), looks_real)
                groups.setdefault(place, []).append(control)
        chooser = random.Random(seed)
        chosen = []
        for key in sorted(groups):
            found = groups[key]
            chosen += chooser.sample(found, min(_CONTROLS_KEPT, len(found)))
        return chosen

    def _run_cold_once(self) -> RunOutcome:
        """The reference passes in a fresh process too; from then on its cold time is known."""
        original = run_patiently(self.runs.cold(self.runs.request(self.reference)), self.cold, self.gate)
        if original.status == "infra":
            raise DropInstance("infra", original.reason)
        if original.status != "passed":
            raise DropInstance("reference-fails-cold", original.reason)
        found = time_limits(self.limits, cpu_seconds=original.cpu_seconds, wall_seconds=original.wall_seconds)
        self.runs = replace(self.runs, cold_time=found)
        return original

    def _prove_warm(self, kept: Sequence[Mutant], verdicts: Mapping[str, MutantVerdict]) -> bool:
        """Whether cold runs say the same as warm ones on a sample of the mutants."""
        if self.worker.how == "cold":
            return False
        sample = sorted(kept, key=lambda mutant: digest(self.material.seed, self.name, mutant.mutant_id))[:1]
        for mutant in sample:
            request = self.runs.cold(mutant_request(self.runs, self.reference, mutant))
            outcome = run_patiently(request, self.cold, self.gate)
            if mutant_verdict(outcome) != verdicts[mutant.mutant_id]:
                return False
        return True

    # -- what is published --------------------------------------------------------------------------------------

    def _row(self, targets: Mapping[tuple[str, ...], Declaration]) -> InstanceRow:
        project, scanned = self.material.definition.project, self.scanned
        feature, scenario = scanned.feature, scanned.scenario
        return InstanceRow(
            instance_id=self.name,
            project=project.name,
            language=project.language,
            framework=project.framework,
            repo_url=project.repo_url,
            base_commit=project.commit,
            feature_repo_url=project.feature_repo_url or project.repo_url,
            feature_commit=project.feature_commit or project.commit,
            feature=FeaturePart(
                file_path=feature.path,
                title=feature.title,
                narrative=feature.narrative,
                background=scenario.background,
            ),
            scenario=ScenarioPart(
                title=scenario.title,
                line=scenario.line,
                kind=scenario.kind,
                tags=scenario.tags,
                gherkin=scenario.gherkin,
            ),
            requirement_richness=feature.richness,
            target_interfaces=_interfaces(targets),
            target_interfaces_empty_reason=None if targets else "no_action_or_check_call",
            test_level=scanned.suite.level,
            test_level_class=scanned.suite.name,
            in_eval_split=False,
            gt_test_files=self.runs.reference_files,
        )

    def _view(self, row: InstanceRow, hidden: Mapping[str, list[Declaration]]) -> View:
        files = [FileText(path=self.runs.feature_path, content=self.runs.feature_text)]
        files += [FileText(path=path, content=text) for path, text in sorted(self._hidden_sources(hidden).items())]
        return View(
            instance_id=self.name,
            removed=self.runs.reference_files,
            files=tuple(files),
            prompt=task_prompt(row, self.material.definition.layout),
        )


def _interfaces(targets: Mapping[tuple[str, ...], Declaration]) -> tuple[TargetInterface, ...]:
    return tuple(TargetInterface(declaration=target.text, key=key) for key, target in targets.items())


def _figures(
    shown: ReferenceRuns, original: RunOutcome, targets: Mapping[tuple[str, ...], Declaration]
) -> ReferenceFigures:
    return ReferenceFigures(
        cpu_seconds=round(shown.cpu_seconds, 3),
        wall_seconds=round(shown.wall_seconds, 3),
        cold_cpu_seconds=round(original.cpu_seconds, 3),
        cold_wall_seconds=round(original.wall_seconds, 3),
        api=tuple(targets),
        scenario_lines={path: tuple(sorted(lines)) for path, lines in sorted(shown.trace.step_lines.items())},
    )
