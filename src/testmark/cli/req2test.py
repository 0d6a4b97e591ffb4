"""`req2test`: build a benchmark from Gherkin projects, run agents on it, judge what they wrote."""

from __future__ import annotations

from pathlib import Path

import click

from testmark import __version__
from testmark.cli.common import (
    FOLDER,
    GATE_FAILED,
    Command,
    choose_sandbox,
    common_options,
    emit,
    emit_leaks,
    gated,
    load_or_assume,
)
from testmark.cli.completion import complete_agents, complete_definitions
from testmark.cli.shared import add_shared_verbs


@click.group(cls=Command, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__)
def main() -> None:
    """From a Gherkin Requirement to its step definitions: build the benchmark and judge agents on it.

    \b
    A benchmark of a project (here the shipped example), and an agent judged on it:
      req2test build examples/behave-library --out bench/library
      req2test run bench/library --agent always-pass --out runs/always-pass
      req2test evaluate bench/library runs/always-pass --out results/always-pass

    Exit codes: 0 done, 1 a gate failed or a verdict is `infra`, 2 wrong usage or input, 3 a tool is missing,
    4 interrupted, the same command goes on.
    """


@main.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--name", help="The project's name (default: from its metadata).")
@click.option("--force", is_flag=True, help="Write over an existing testmark.toml.")
@click.option("--stdout", is_flag=True, help="Print the definition instead of writing it.")
@common_options("json")
def init(folder: Path, name: str | None, *, force: bool, stdout: bool, as_json: bool) -> int:
    """Look at the checkout FOLDER and write its testmark.toml, commented.

    \b
    Examples:
      req2test init examples/behave-library --stdout
      req2test init ~/code/shop
    """
    from testmark.engine.files import write_text
    from testmark.errors import UserError
    from testmark.projects import init as looking

    report = looking.init(folder, name=name)
    place = folder / "testmark.toml"
    if not stdout:
        if place.exists() and not force:
            raise UserError(f"{place}: exists already; edit it, or write over it with --force")
        write_text(place, report.text)
    value = {
        "written": None if stdout else str(place),
        "definition": report.text,
        "assumptions": report.assumptions,
        "problems": report.problems,
    }
    emit(value, as_json=as_json, text=report.text.rstrip("\n") if stdout else f"wrote {place}")
    for line in report.assumptions:
        click.echo(f"  assumed: {line}", err=True)
    for line in report.problems:
        click.echo(f"  problem: {line}", err=True)
    return GATE_FAILED if report.problems else 0


@main.command()
@click.argument("definition", shell_complete=complete_definitions)
@common_options("sandbox", "json")
def scan(definition: str, sandbox: str, *, as_json: bool) -> int:
    """Features, Scenarios, Outlines and pickles of DEFINITION, and what would be built.

    DEFINITION is a testmark.toml, a folder, or a shipped definition's name.

    \b
    Examples:
      req2test scan examples/behave-library
      req2test scan python-docx
    """
    from testmark.req2test.scan import scan as run_scan

    report = run_scan(load_or_assume(definition), choose_sandbox(sandbox))
    counts = {
        "features": report.features,
        "scenarios": report.scenarios,
        "outlines": report.outlines,
        "instances": len(report.ready),
        "pickles": report.pickles,
        "dropped": [drop.model_dump() for drop in report.dropped],
        "readings": [vars(reading) for reading in report.readings],
    }
    lines = [
        (
            f"{report.features} features, {report.scenarios} Scenarios, {report.outlines} Scenario Outlines, "
            f"{report.pickles} pickles; {len(report.ready)} Scenarios can be built"
        ),
        *(f"dropped {drop.id}: {drop.rule}{': ' + drop.detail if drop.detail else ''}" for drop in report.dropped),
        *(f"note {reading.id}: {reading.detail}" for reading in report.readings),
    ]
    emit(counts, as_json=as_json, text="\n".join(lines))
    return GATE_FAILED if report.disagreements else 0


@main.command()
@click.argument("definition", shell_complete=complete_definitions)
@click.option("--out", required=True, type=FOLDER, metavar="BENCH", help="The benchmark folder to write.")
@common_options("only", "limit", "jobs", "sandbox", "seed", "json", "quiet")
def build(
    definition: str,
    out: Path,
    only: tuple[str, ...],
    limit: int | None,
    jobs: int | None,
    sandbox: str,
    seed: int,
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    """Build a benchmark from DEFINITION: a testmark.toml, a folder, or a shipped definition's name.

    A folder without a testmark.toml is looked at, and what is assumed is said. A second build does only what changed;
    a build that was stopped goes on.

    \b
    Examples:
      req2test build examples/behave-library --out bench/library
      req2test build python-docx --out bench/python-docx
    """
    from testmark.req2test.build import BuildOptions
    from testmark.req2test.build import build as run_build
    from testmark.req2test.gates import nothing_built
    from testmark.req2test.leakcheck import check_leaks as run_check

    options = BuildOptions(sandbox=choose_sandbox(sandbox), seed=seed, jobs=jobs, only=only, limit=limit, quiet=quiet)
    report = run_build(load_or_assume(definition), out, options)
    leaks = run_check(out)
    summary = report.summary
    lost = summary.dropped.get("scenario: infra", 0)
    value = {
        "bench": str(out),
        "bench_id": summary.bench_id,
        "full": summary.full,
        "eval": summary.eval,
        "pairs": summary.mutants,
        "killed": summary.killed,
        "controls": summary.controls,
        "cold_only": summary.cold_only,
        "dropped": summary.dropped,
        "built": report.built,
        "reused": report.reused,
        "leaks": [str(leak) for leak in leaks],
        "notes": list(report.notes),
    }
    lines = [
        (
            f"{out}: full {summary.full}, eval {summary.eval}, "
            f"{summary.mutants} pairs of a `full` instance and a mutant, {summary.killed} in kill sets, "
            f"{summary.controls} controls ({report.built} built, {report.reused} reused)"
        ),
        *(
            f"  dropped {count:5} {rule}" + (f", e.g. {summary.examples[rule]}" if rule in summary.examples else "")
            for rule, count in summary.dropped.items()
        ),
        *(f"  note: {note}" for note in report.notes),
        *(f"  LEAK {leak}" for leak in leaks),
        *(["  a run was lost on this machine; the same command tries those Scenarios again"] if lost else []),
    ]
    emit(value, as_json=as_json, text="\n".join(lines))
    nothing = nothing_built(report)
    if nothing:
        click.echo(f"error: {nothing}", err=True)
    return GATE_FAILED if leaks or lost or nothing else 0


@main.command("check-leaks")
@click.argument("bench", type=FOLDER)
@common_options("json")
def check_leaks(bench: Path, *, as_json: bool) -> int:
    """Prove that BENCH's views and runtime hold no hidden code, no reference steps and no history.

    \b
    Example:
      req2test check-leaks bench/library
    """
    from testmark.req2test.bench import open_bench
    from testmark.req2test.leakcheck import check_leaks as run_check

    open_bench(bench).verify()
    return emit_leaks(bench, run_check(bench), as_json=as_json)


@main.command()
@click.argument("bench", type=FOLDER)
@click.option("--out", required=True, type=FOLDER, metavar="DIR", help="Where the workspaces are written.")
@common_options("only", "limit", "json")
def prepare(bench: Path, out: Path, only: tuple[str, ...], limit: int | None, *, as_json: bool) -> None:
    """Write the workspace of each instance of BENCH, with its prompt in TASK.md.

    \b
    Example:
      req2test prepare bench/library --out work --only '*isbn*'
    """
    from testmark.req2test.workspace import prepare as run_prepare

    count = run_prepare(bench, out, only=only, limit=limit)
    emit({"out": str(out), "workspaces": count}, as_json=as_json, text=f"{out}: {count} workspaces")


@main.command()
@click.argument("bench", type=FOLDER)
@click.option(
    "--agent",
    required=True,
    metavar="NAME",
    shell_complete=complete_agents,
    help="reference, empty, always-pass, always-fail or command.",
)
@click.option("--command", metavar="LINE", help="The command line of `--agent command`.")
@click.option("--out", required=True, type=FOLDER, metavar="RUN", help="The run folder to write.")
@click.option("--timeout", type=float, default=3600.0, show_default=True, help="Seconds for each task.")
@click.option("--network", is_flag=True, help="Let the agent use the network.")
@click.option("--env", "variables", multiple=True, metavar="NAME", help="Pass this environment variable to the agent.")
@click.option("--retry-failed", is_flag=True, help="Run tasks again in which the agent failed.")
@common_options("only", "limit", "jobs", "sandbox", "seed", "json", "quiet")
def run(
    bench: Path,
    agent: str,
    command: str | None,
    out: Path,
    timeout: float,
    variables: tuple[str, ...],
    only: tuple[str, ...],
    limit: int | None,
    jobs: int | None,
    sandbox: str,
    seed: int,
    *,
    network: bool,
    retry_failed: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Let an agent write tests for BENCH's instances; a run that was stopped goes on.

    \b
    Examples:
      req2test run bench/library --agent reference --out runs/reference
      req2test run bench/library --agent command --command 'my-agent TASK.md' --network --env MY_KEY --out runs/mine
    """
    from testmark.req2test.agent_runs import RunOptions, run_agent

    report = run_agent(
        bench,
        out,
        RunOptions(
            agent=agent,
            command=command,
            timeout=timeout,
            network=network,
            variables=variables,
            retry_failed=retry_failed,
            only=only,
            limit=limit,
            jobs=jobs,
            seed=seed,
            sandbox=choose_sandbox(sandbox),
            quiet=quiet,
        ),
    )
    emit(report.as_dict(), as_json=as_json, text=report.text())
    return GATE_FAILED if report.infra else 0


@main.command()
@click.argument("bench", type=FOLDER)
@click.argument("predictions", type=FOLDER)
@click.option("--out", required=True, type=FOLDER, metavar="RESULTS", help="The results folder to write.")
@click.option(
    "--audit-share", type=click.FloatRange(0, 1), default=0.02, show_default=True, help="Warm verdicts run again, cold."
)
@common_options("only", "limit", "jobs", "sandbox", "seed", "cache", "json", "quiet")
def evaluate(
    bench: Path,
    predictions: Path,
    out: Path,
    audit_share: float,
    only: tuple[str, ...],
    limit: int | None,
    jobs: int | None,
    sandbox: str,
    seed: int,
    *,
    no_cache: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Judge PREDICTIONS (a predictions.jsonl, a preds.json or a run folder) on BENCH by running them.

    An evaluation that was stopped goes on. Exit code 1 when a verdict is `infra`, so that the evaluation is incomplete,
    or when a run of an agent that ships does not score what it must.

    \b
    Example:
      req2test evaluate bench/library runs/reference --out results/reference
    """
    from testmark.reports import render
    from testmark.req2test.evaluate import EvaluateOptions
    from testmark.req2test.evaluate import evaluate as run_evaluate
    from testmark.req2test.gates import GATES

    options = EvaluateOptions(
        sandbox=choose_sandbox(sandbox),
        only=only,
        limit=limit,
        jobs=jobs,
        seed=seed,
        audit_share=audit_share,
        use_cache=not no_cache,
        quiet=quiet,
    )
    summary = run_evaluate(bench, predictions, out, options)
    emit(summary.model_dump(mode="json"), as_json=as_json, text="" if as_json else render("table", [out]).rstrip("\n"))
    return gated(predictions, summary, GATES)


@main.command()
@click.argument("results", type=FOLDER)
@click.option("--bench", type=FOLDER, help="The benchmark that was evaluated, if it has moved.")
@click.option(
    "--share", type=click.FloatRange(0, 1), default=0.02, show_default=True, help="Share of the warm verdicts."
)
@common_options("only", "limit", "jobs", "sandbox", "seed", "json", "quiet")
def audit(
    results: Path,
    bench: Path | None,
    share: float,
    only: tuple[str, ...],
    limit: int | None,
    jobs: int | None,
    sandbox: str,
    seed: int,
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    """Run a share of the warm verdicts of RESULTS again, cold, and name those that differ.

    \b
    Example:
      req2test audit results/reference --share 1
    """
    from testmark.req2test.audit import AuditOptions
    from testmark.req2test.audit import audit as run_audit

    options = AuditOptions(
        sandbox=choose_sandbox(sandbox),
        bench=bench,
        share=share,
        only=only,
        limit=limit,
        jobs=jobs,
        seed=seed,
        quiet=quiet,
    )
    found = run_audit(results, options)
    emit(found.as_dict(), as_json=as_json, text=found.text())
    return GATE_FAILED if found.disagreements or found.infra else 0


add_shared_verbs(main)
