"""The verbs that both commands have: what is installed, what is shipped, and reports of results."""

from __future__ import annotations

from pathlib import Path

import click

from testmark.cli.common import FOLDER, common_options, emit


@click.command()
@common_options("json")
def doctor(*, as_json: bool) -> int:
    """What is installed, what that allows, and the one line that installs the rest.

    \b
    Example:
      req2test doctor
    """
    from testmark.sandbox.doctor import inventory

    found = inventory()
    emit(found.as_dict(), as_json=as_json, text=found.text())
    return 0 if found.ready else 3


@click.command()
@common_options("json")
def projects(*, as_json: bool) -> None:
    """Shipped definitions and what each needs.

    \b
    Example:
      req2test projects
    """
    from testmark.projects.load import load_definition, shipped_names

    rows = []
    for name in shipped_names():
        definition = load_definition(name).definition
        rows.append(
            {
                "name": name,
                "language": definition.project.language,
                "framework": definition.project.framework,
                "python": definition.runtime.python,
                "commit": definition.project.commit,
                "licence": definition.project.licence,
            }
        )
    text = "\n".join(f"{r['name']}  {r['language']} {r['python']}, {r['framework']}, {r['licence']}" for r in rows)
    emit({"projects": rows}, as_json=as_json, text=text)


@click.command()
@click.argument("results", nargs=-1, required=True, type=FOLDER)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["table", "json", "md", "html", "junit"]),
    default="table",
    show_default=True,
)
@click.option("--out", type=FOLDER, metavar="FILE", help="Write to a file instead of standard output.")
def report(results: tuple[Path, ...], kind: str, out: Path | None) -> None:
    """Report one or several RESULTS folders; several are compared with a paired test.

    \b
    Examples:
      req2test report results/mine results/other
      req2test report results/mine --format html --out report.html
    """
    from testmark.engine.files import write_text
    from testmark.reports import render

    text = render(kind, list(results))
    if out is None:
        click.echo(text, nl=False)
    else:
        write_text(out, text)


@click.command()
@click.argument("results", type=FOLDER)
@click.argument("instance_id")
@click.argument("mutant_id", required=False)
def show(results: Path, instance_id: str, mutant_id: str | None) -> None:
    """One result of RESULTS: its Requirement, prediction, steps and mutants, down to one mutant's diff.

    \b
    Example:
      req2test show results/mine behave-library/features/fines.feature:12
    """
    from testmark.reports import render_show

    click.echo(render_show(results, instance_id, mutant_id), nl=False)


def add_shared_verbs(group: click.Group) -> None:
    """Give a command the verbs of this module."""
    for verb in (doctor, projects, report, show):
        group.add_command(verb)
