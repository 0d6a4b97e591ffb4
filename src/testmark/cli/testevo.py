"""`testevo`: benchmarks of test evolution over commit pairs of Maven projects."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from testmark import __version__
from testmark.cli.common import FOLDER, GATE_FAILED, Command, choose_sandbox, common_options, emit, emit_leaks, gated
from testmark.cli.completion import complete_agents
from testmark.cli.shared import add_shared_verbs
from testmark.cli.toolchains import doctor, toolchain

if TYPE_CHECKING:
    from testmark.testevo.bench import Selection

DATE = click.DateTime(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"])


@click.group(cls=Command, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__)
def main() -> None:
    """Test update, generation and refinement over real commit pairs of Maven projects.

    \b
    A benchmark of a repository's history:
      testevo mine ~/code/shop --out bench/shop --since 2024-01-01
      testevo run bench/shop --agent reference --out runs/reference
      testevo evaluate bench/shop runs/reference --out results/reference

    Exit codes: 0 done, 1 a gate failed or a verdict is `infra`, 2 wrong usage or input, 3 a tool is missing,
    4 interrupted, the same command goes on.
    """


@main.command()
@click.argument("repository")
@click.option("--out", required=True, type=FOLDER, metavar="BENCH", help="The benchmark folder to write.")
@click.option("--since", type=DATE, help="Commits from this date on (committer's date, UTC).")
@click.option("--after", type=DATE, help="The same, for live mining after a model's cut-off.")
@click.option("--until", type=DATE, help="Commits up to the end of this date.")
@click.option("--pairs", type=click.IntRange(min=1), metavar="N", help="At most N candidate pairs, oldest first.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Begin no more pairs once N tasks are found.")
@click.option("--max-hours", type=click.FloatRange(min=0), metavar="H", help="Begin no more pairs after H hours.")
@click.option("--url", help="The clone's URL for the rows (default: its origin).")
@click.option("--tag", help="End of the project's name in the rows (default: the branch).")
@click.option(
    "--mutator", type=click.Choice(["universal", "ast"]), default="universal", show_default=True,
    help="Universal Mutator, or our own operators on the syntax tree.",
)  # fmt: skip
@click.option("--report", is_flag=True, help="Draw the funnel.")
@common_options("jobs", "sandbox", "seed", "json", "quiet")
def mine(
    repository: str,
    out: Path,
    since: datetime | None,
    after: datetime | None,
    until: datetime | None,
    pairs: int | None,
    limit: int | None,
    max_hours: float | None,
    url: str | None,
    tag: str | None,
    mutator: str,
    jobs: int | None,
    sandbox: str,
    seed: int,
    *,
    report: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Mine REPOSITORY, a clone's folder or a URL, into a benchmark of three tracks.

    Run again it goes on where it was; with a later --until it only adds. Everything that leaves is in dropped.jsonl.

    \b
    Examples:
      testevo mine ~/code/shop --out bench/shop --since 2024-01-01 --report
      testevo mine ~/code/shop --out bench/new --after 2026-06-01
    """
    import os

    from testmark.testevo.funnel import funnel_counts, funnel_text
    from testmark.testevo.mine import MineOptions
    from testmark.testevo.mining import MiningOptions, mine_repository
    from testmark.testevo.window import window

    low, high = window(since, after, until)
    what = MineOptions(
        since=low,
        until=high,
        most_pairs=pairs,
        enough=limit,
        hours=max_hours,
        jobs=jobs or os.cpu_count() or 1,
        quiet=quiet,
    )
    options = MiningOptions(
        sandbox=choose_sandbox(sandbox),
        mine=what,
        url=url,
        tag=tag,
        mutator="ast" if mutator == "ast" else "universal",
        seed=seed,
    )
    found = mine_repository(repository, out, options)
    counts = found.summary.counts
    line = f"{out}: " + ", ".join(f"{track} {c.full} ({c.lite} in Lite)" for track, c in counts.items())
    text = f"{funnel_text(found.funnel)}\n{line}" if report else line
    value = {
        "out": str(out),
        "bench_id": found.summary.bench_id,
        "tracks": {track: vars(c) for track, c in counts.items()},
        "mutants": found.summary.mutants,
        "funnel": funnel_counts(found.funnel),
    }
    emit(value, as_json=as_json, text=text)
    if not any(c.full for c in counts.values()):
        hint = "" if report else "; --report counts the reasons"
        click.echo(f"no task was found: {out / 'dropped.jsonl'} says what left and why{hint}", err=True)
    tests = sum(test.reason == "infra" for pair in found.funnel.pairs for test in pair.tests)
    lost = sum(drop.reason == "infra" for drop in found.funnel.dropped)
    if tests or lost:
        click.echo(f"`infra` stopped {lost} pairs and {tests} tests; the same command tries them again", err=True)
    return GATE_FAILED if tests or lost else 0


SELECTION = (
    click.option("--track", "tracks", multiple=True, type=click.Choice(["update", "generation", "refinement"]),
                 help="Only this track; may be repeated."),
    click.option("--lite", is_flag=True, help="Only the tasks of Lite."),
    click.option("--since", type=DATE, help="Only tasks whose new revision is of this date or later."),
    click.option("--until", type=DATE, help="Only tasks whose new revision is not later."),
)  # fmt: skip


def selection_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that choose tasks."""
    for option in reversed(SELECTION):
        function = option(function)
    return common_options("only", "limit")(function)


def selected(
    tracks: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    only: tuple[str, ...],
    limit: int | None,
    *,
    lite: bool,
) -> Selection:
    """What the options choose."""
    from testmark.records.tasks import TRACKS
    from testmark.testevo.bench import Selection
    from testmark.testevo.window import window

    low, high = window(since, None, until)
    return Selection(
        tracks=tuple(track for track in TRACKS if not tracks or track in tracks),
        part="lite" if lite else "full",
        only=only,
        limit=limit,
        since=low,
        until=high,
    )


@main.command("check-leaks")
@click.argument("bench", type=FOLDER)
@common_options("json")
def check_leaks(bench: Path, *, as_json: bool) -> int:
    """Prove that BENCH's workspaces hold no developer's test, nothing that is made of one, and no later history.

    \b
    Example:
      testevo check-leaks bench/shop
    """
    from testmark.testevo.bench import open_bench
    from testmark.testevo.leakcheck import check_leaks as run_check

    open_bench(bench).verify()
    return emit_leaks(bench, run_check(bench), as_json=as_json)


@main.command()
@click.argument("bench", type=FOLDER)
@click.option("--out", required=True, type=FOLDER, metavar="DIR", help="Where the workspaces are written.")
@selection_options
@common_options("json")
def prepare(
    bench: Path,
    out: Path,
    tracks: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    only: tuple[str, ...],
    limit: int | None,
    *,
    lite: bool,
    as_json: bool,
) -> None:
    """Write the workspace of each task of BENCH: a repository of two commits, with the prompt in TASK.md.

    \b
    Example:
      testevo prepare bench/shop --out work --track update
    """
    from testmark.engine.cache import default_cache
    from testmark.testevo.workspace import prepare as run_prepare

    chosen = selected(tracks, since, until, only, limit, lite=lite)
    count = run_prepare(bench, out, chosen, default_cache())
    emit({"out": str(out), "workspaces": count}, as_json=as_json, text=f"{out}: {count} workspaces")


@main.command()
@click.argument("bench", type=FOLDER)
@click.option(
    "--agent",
    required=True,
    metavar="NAME",
    shell_complete=complete_agents,
    help="reference, unrefined, empty, always-pass, always-fail or command.",
)
@click.option("--command", metavar="LINE", help="The command line of `--agent command`.")
@click.option("--out", required=True, type=FOLDER, metavar="RUN", help="The run folder to write.")
@click.option("--timeout", type=float, default=3600.0, show_default=True, help="Seconds for each task.")
@click.option("--network", is_flag=True, help="Let the agent use the network.")
@click.option("--env", "variables", multiple=True, metavar="NAME", help="Pass this environment variable to the agent.")
@click.option("--retry-failed", is_flag=True, help="Run tasks again in which the agent failed.")
@selection_options
@common_options("jobs", "sandbox", "seed", "json", "quiet")
def run(
    bench: Path,
    agent: str,
    command: str | None,
    out: Path,
    timeout: float,
    variables: tuple[str, ...],
    tracks: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    only: tuple[str, ...],
    limit: int | None,
    jobs: int | None,
    sandbox: str,
    seed: int,
    *,
    network: bool,
    retry_failed: bool,
    lite: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Let an agent work on the tasks of BENCH; run again it goes on where it was.

    \b
    Examples:
      testevo run bench/shop --agent reference --out runs/reference
      testevo run bench/shop --agent command --command 'my-agent --task TASK.md' --network --out runs/mine
    """
    from testmark.agents.runs import RunOptions
    from testmark.testevo.agent_runs import run_agent

    options = RunOptions(
        agent=agent,
        sandbox=choose_sandbox(sandbox),
        command=command,
        timeout=timeout,
        network=network,
        variables=variables,
        retry_failed=retry_failed,
        jobs=jobs,
        seed=seed,
        quiet=quiet,
    )
    report = run_agent(bench, out, selected(tracks, since, until, only, limit, lite=lite), options)
    emit(report.as_dict(), as_json=as_json, text=report.text())
    return GATE_FAILED if report.infra else 0


@main.command()
@click.argument("bench", type=FOLDER)
@click.argument("predictions", type=FOLDER)
@click.option("--out", required=True, type=FOLDER, metavar="RESULTS", help="The results folder to write.")
@click.option(
    "--mutation-scope", "scope", type=click.Choice(["all", "changed"]), default="all", show_default=True,
    help="All production methods that the developers' test executes, or those that the pair changed.",
)  # fmt: skip
@selection_options
@common_options("jobs", "sandbox", "seed", "cache", "json", "quiet")
def evaluate(
    bench: Path,
    predictions: Path,
    out: Path,
    scope: str,
    tracks: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    only: tuple[str, ...],
    limit: int | None,
    jobs: int | None,
    sandbox: str,
    seed: int,
    *,
    lite: bool,
    no_cache: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Judge PREDICTIONS, a predictions.jsonl or a run folder, on BENCH.

    An evaluation that was stopped goes on. Exit code 1 when a verdict is `infra`, so that the evaluation is incomplete,
    or when a run of an agent that ships does not score what it must: `reference` Success 1, `unrefined`, `empty` and
    `always-fail` 0.

    \b
    Examples:
      testevo evaluate bench/shop runs/reference --out results/reference
      testevo evaluate bench/shop runs/mine --out results/mine --track update --since 2024-01-01
    """
    from testmark.reports import report as make_report
    from testmark.testevo.evaluate import EvoOptions
    from testmark.testevo.evaluate import evaluate as run_evaluate
    from testmark.testevo.gates import GATES

    options = EvoOptions(
        sandbox=choose_sandbox(sandbox),
        selection=selected(tracks, since, until, only, limit, lite=lite),
        jobs=jobs,
        seed=seed,
        changed_only=scope == "changed",
        use_cache=not no_cache,
        quiet=quiet,
    )
    summary = run_evaluate(bench, predictions, out, options)
    if as_json:
        emit(summary.model_dump(mode="json"), as_json=True, text="")
    else:
        click.echo(make_report([out]).text, nl=False)
    return gated(predictions, summary, GATES)


@main.command()
@click.argument("results", type=FOLDER)
@click.option("--bench", type=FOLDER, help="The benchmark that was evaluated, if it has moved.")
@click.option(
    "--share", type=click.FloatRange(0, 1), default=0.02, show_default=True, help="Share of the warm verdicts."
)
@common_options("jobs", "sandbox", "seed", "json", "quiet")
def audit(
    results: Path,
    bench: Path | None,
    share: float,
    jobs: int | None,
    sandbox: str,
    seed: int,
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    """Run a share of the warm verdicts of RESULTS again, by Maven, and name those that differ.

    \b
    Example:
      testevo audit results/reference --share 1
    """
    from testmark.testevo.audit import EvoAuditOptions
    from testmark.testevo.audit import audit as run_audit

    options = EvoAuditOptions(
        sandbox=choose_sandbox(sandbox), bench=bench, share=share, jobs=jobs, seed=seed, quiet=quiet
    )
    found = run_audit(results, options)
    emit(found.as_dict(), as_json=as_json, text=found.text())
    return GATE_FAILED if found.disagreements or found.infra else 0


add_shared_verbs(main)
main.add_command(doctor)
main.add_command(toolchain)
