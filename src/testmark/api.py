"""The verbs as functions, for notebooks and programs: typed records come back, and errors are `testmark.errors`.

Paths may be strings. `sandbox` is `auto`, `bubblewrap`, `podman`, `docker` or `none`; `only` holds globs over instance
identifiers; `jobs` is the number of runs side by side, by default the number of cores. Nothing is printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from testmark.sandbox import choose

if TYPE_CHECKING:
    from testmark.records.results import Summary
    from testmark.reports.auditing import AuditReport
    from testmark.reports.compare import Comparison
    from testmark.reports.load import LoadedResults
    from testmark.req2test.agent_runs import RunReport
    from testmark.req2test.build import BuildReport
    from testmark.req2test.leaks import Leak
    from testmark.req2test.scanning import ScanReport


def scan(definition: str | Path, *, sandbox: str = "auto") -> ScanReport:
    """What a definition file, a folder or a shipped definition holds: Scenarios that can be built, and all others."""
    from testmark.projects.init import load_or_assume
    from testmark.req2test.scan import scan as run_scan

    loaded, _ = load_or_assume(definition)
    return run_scan(loaded, choose(sandbox))


def build(
    definition: str | Path,
    out: str | Path,
    *,
    only: Sequence[str] = (),
    limit: int | None = None,
    seed: int = 0,
    jobs: int | None = None,
    sandbox: str = "auto",
) -> BuildReport:
    """Build the benchmark of a definition file, a folder or a shipped definition into the folder `out`."""
    from testmark.projects.init import load_or_assume
    from testmark.req2test.build import BuildOptions
    from testmark.req2test.build import build as run_build

    loaded, _ = load_or_assume(definition)
    options = BuildOptions(sandbox=choose(sandbox), only=_globs(only), limit=limit, seed=seed, jobs=jobs, quiet=True)
    return run_build(loaded, Path(out), options)


def check_leaks(bench: str | Path) -> list[Leak]:
    """What an agent could find in a benchmark's views and runtime and must not; empty when they are clean."""
    from testmark.req2test.bench import open_bench
    from testmark.req2test.leakcheck import check_leaks as run_check

    open_bench(Path(bench)).verify()
    return run_check(Path(bench))


def prepare(bench: str | Path, out: str | Path, *, only: Sequence[str] = (), limit: int | None = None) -> int:
    """Write the workspace of each instance below `out`, with its prompt in `TASK.md`; gives their number."""
    from testmark.req2test.workspace import prepare as run_prepare

    return run_prepare(Path(bench), Path(out), only=_globs(only), limit=limit)


def run(
    bench: str | Path,
    agent: str,
    out: str | Path,
    *,
    command: str | None = None,
    timeout: float = 3600.0,
    network: bool = False,
    env: Sequence[str] = (),
    only: Sequence[str] = (),
    limit: int | None = None,
    jobs: int | None = None,
    sandbox: str = "auto",
) -> RunReport:
    """Let an agent write predictions for a benchmark into the run folder `out`.

    `timeout` is in seconds for each task; `env` names variables that the agent gets.
    """
    from testmark.req2test.agent_runs import RunOptions, run_agent

    options = RunOptions(
        agent=agent,
        command=command,
        timeout=timeout,
        network=network,
        variables=tuple(env),
        only=_globs(only),
        limit=limit,
        jobs=jobs,
        sandbox=choose(sandbox),
        quiet=True,
    )
    return run_agent(Path(bench), Path(out), options)


def evaluate(
    bench: str | Path,
    predictions: str | Path,
    out: str | Path,
    *,
    only: Sequence[str] = (),
    limit: int | None = None,
    seed: int = 0,
    jobs: int | None = None,
    sandbox: str = "auto",
) -> Summary:
    """Judge a predictions file or run folder on a benchmark; the results folder `out` holds every verdict.

    The summary is not `complete` when a verdict is `infra`: evaluate again into the same folder.
    """
    from testmark.req2test.evaluate import EvaluateOptions
    from testmark.req2test.evaluate import evaluate as run_evaluate

    options = EvaluateOptions(sandbox=choose(sandbox), only=_globs(only), limit=limit, seed=seed, jobs=jobs, quiet=True)
    return run_evaluate(Path(bench), Path(predictions), Path(out), options)


def audit(
    results: str | Path, *, share: float = 0.02, seed: int = 0, jobs: int | None = None, sandbox: str = "auto"
) -> AuditReport:
    """Run a share of an evaluation's warm verdicts again, cold."""
    from testmark.req2test.audit import AuditOptions
    from testmark.req2test.audit import audit as run_audit

    options = AuditOptions(sandbox=choose(sandbox), share=share, seed=seed, jobs=jobs, quiet=True)
    return run_audit(Path(results), options)


def load_results(results: str | Path) -> LoadedResults:
    """An evaluation to look into: `summary`, `rows` (the instances), `task(instance_id)`, `tasks()` and `diffs`."""
    from testmark.reports import load_results as load

    return load(Path(results))


def compare(*results: str | Path) -> list[Comparison]:
    """Every metric of each evaluation after the first against the first's, by a paired test."""
    from testmark.reports.compare import compare as run_compare
    from testmark.reports.load import load_runs

    return run_compare(load_runs([Path(folder) for folder in results]))


def report(*results: str | Path, kind: str = "table") -> str:
    """The report of one or several evaluations as `table`, `json`, `md`, `html` or `junit`."""
    from testmark.reports import render

    return render(kind, [Path(folder) for folder in results])


def _globs(only: Sequence[str]) -> tuple[str, ...]:
    # One glob may be given without a list around it.
    return (only,) if isinstance(only, str) else tuple(only)
