"""The verbs as functions, for notebooks and programs: typed records come back, and errors are `testmark.errors`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from testmark.sandbox import choose

if TYPE_CHECKING:
    from testmark.records.results import Summary
    from testmark.req2test.agent_runs import RunReport
    from testmark.req2test.audit import AuditReport
    from testmark.req2test.build import BuildReport


def build(
    definition: str | Path, out: Path, *, seed: int = 0, jobs: int | None = None, sandbox: str = "auto"
) -> BuildReport:
    """Build the benchmark of a definition file, a folder or a shipped definition into `out`."""
    from testmark.projects.init import load_or_assume
    from testmark.req2test.build import BuildOptions
    from testmark.req2test.build import build as run_build

    loaded, _ = load_or_assume(definition)
    return run_build(loaded, out, BuildOptions(sandbox=choose(sandbox), seed=seed, jobs=jobs, quiet=True))


def run(bench: Path, agent: str, out: Path, *, command: str | None = None, sandbox: str = "auto") -> RunReport:
    """Let an agent write predictions for a benchmark into the run folder `out`."""
    from testmark.req2test.agent_runs import RunOptions, run_agent

    return run_agent(bench, out, RunOptions(agent=agent, command=command, sandbox=choose(sandbox), quiet=True))


def evaluate(
    bench: Path, predictions: Path, out: Path, *, seed: int = 0, jobs: int | None = None, sandbox: str = "auto"
) -> Summary:
    """Judge a predictions file or run folder on a benchmark; the results folder `out` holds every verdict."""
    from testmark.req2test.evaluate import EvaluateOptions
    from testmark.req2test.evaluate import evaluate as run_evaluate

    return run_evaluate(
        bench, predictions, out, EvaluateOptions(sandbox=choose(sandbox), seed=seed, jobs=jobs, quiet=True)
    )


def audit(results: Path, *, share: float = 0.02, sandbox: str = "auto") -> AuditReport:
    """Run a share of an evaluation's warm verdicts again, cold."""
    from testmark.req2test.audit import AuditOptions
    from testmark.req2test.audit import audit as run_audit

    return run_audit(results, AuditOptions(sandbox=choose(sandbox), share=share, quiet=True))
