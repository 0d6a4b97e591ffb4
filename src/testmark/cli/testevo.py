"""`testevo`: benchmarks of test evolution over commit pairs of Maven projects."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from testmark import __version__
from testmark.cli.common import FOLDER, GATE_FAILED, Command, choose_sandbox, common_options, emit
from testmark.cli.shared import add_shared_verbs

DATE = click.DateTime(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"])


@click.group(cls=Command, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__)
def main() -> None:
    """Test update, generation and refinement over real commit pairs of Maven projects.

    \b
    A benchmark of a repository's history:
      testevo mine ~/code/shop --out bench/shop --since 2024-01-01

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
@click.option("--max-hours", type=click.FloatRange(min=0), metavar="H", help="Begin no more pairs after H hours.")
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
    max_hours: float | None,
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
    from testmark.testevo.window import end_of_day, latest

    window = MineOptions(
        since=latest(since, after),
        until=end_of_day(until),
        most_pairs=pairs,
        hours=max_hours,
        jobs=jobs or os.cpu_count() or 1,
        quiet=quiet,
    )
    options = MiningOptions(
        sandbox=choose_sandbox(sandbox), mine=window, tag=tag, mutator="ast" if mutator == "ast" else "universal",
        seed=seed,
    )  # fmt: skip
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
    infra = sum(test.reason == "infra" for pair in found.funnel.pairs for test in pair.tests)
    if infra:
        click.echo(f"{infra} tests could not be run (`infra`); the same command tries them again", err=True)
    return GATE_FAILED if infra else 0


add_shared_verbs(main)
