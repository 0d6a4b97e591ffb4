"""What an audit found: warm verdicts that a cold run does not confirm."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from testmark.agents.predictions import holds_agent_run
from testmark.engine.files import write_text
from testmark.errors import UserError
from testmark.records.results import AuditSummary, RunSettings, Summary


@dataclass(frozen=True)
class Disagreement:
    """A warm verdict that a cold run does not confirm."""

    instance_id: str
    mutant_id: str
    """Empty for the run on the real code."""
    warm: str
    cold: str
    detail: str


@dataclass(frozen=True)
class AuditReport:
    """How many warm verdicts were compared, and those that differ."""

    sampled: int
    disagreements: tuple[Disagreement, ...]
    infra: int
    infra_detail: str = ""
    """Why the first of those could not be run."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for `--json`."""
        return {
            "sampled": self.sampled,
            "infra": self.infra,
            "infra_detail": self.infra_detail,
            "disagreements": [vars(found) for found in self.disagreements],
        }

    def text(self) -> str:
        """One line, and one for each disagreement."""
        lines = [f"audit: {self.sampled} warm verdicts run cold, {len(self.disagreements)} disagreements"]
        if self.infra:
            lines.append(f"  {self.infra} could not be run, one of them because of: {self.infra_detail}")
        lines += [
            f"  {found.instance_id} {found.mutant_id or 'real code'}: "
            f"warm {found.warm}, cold {found.cold} ({found.detail})"
            for found in self.disagreements
        ]
        return "\n".join(lines)


def settings_of(results: Path, command: str) -> RunSettings:
    """What an evaluation was asked to do; raises `UserError` for a folder that holds none."""
    try:
        return RunSettings.from_json((results / "run.json").read_bytes())
    except FileNotFoundError as error:
        raise UserError(
            f"{results}: not a results folder (it has no run.json); make one with `{command} evaluate`"
        ) from error
    except (OSError, ValidationError) as error:
        if holds_agent_run(results):
            raise UserError(f"{results}: holds the run of an agent; judge it with `{command} evaluate`") from error
        raise UserError(f"{results}/run.json: cannot be read; evaluate again") from error


def note(results: Path, report: AuditReport) -> None:
    """Put the audit's figures into the summary, so that reports show the larger audit."""
    place = results / "summary.json"
    try:
        summary = Summary.from_json(place.read_bytes())
    except (OSError, ValidationError):
        return
    if report.sampled >= summary.audit.sampled or report.disagreements:
        found = AuditSummary(sampled=report.sampled, disagreements=len(report.disagreements))
        write_text(place, summary.model_copy(update={"audit": found}).to_json(indent=1) + "\n")
