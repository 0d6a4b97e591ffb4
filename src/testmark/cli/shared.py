"""The verbs that both commands have: what is installed, what is shipped, and reports of results."""

from __future__ import annotations

from pathlib import Path

import click

from testmark.cli.common import FOLDER, GATE_FAILED, common_options, emit
from testmark.cli.completion import complete_instances, complete_mutants
from testmark.errors import UserError

KINDS = ("table", "json", "md", "html", "junit")


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
@click.option("--format", "kind", type=click.Choice(KINDS), help="The form of the report (default: table).")
@click.option("--out", type=FOLDER, metavar="FILE", help="Write to a file instead of standard output.")
@common_options("json")
def report(results: tuple[Path, ...], kind: str | None, out: Path | None, *, as_json: bool) -> int:
    """Report one or several RESULTS folders; several are compared with a paired test.

    An evaluation that was stopped is reported as far as it came. Exit code 1 when one is incomplete.
    `--json` is `--format json`; with `--out` it says what was written.

    \b
    Examples:
      req2test report results/reference results/always-pass
      req2test report results/reference --format html --out report.html
    """
    from testmark.engine.files import write_text
    from testmark.reports import report as make_report

    if as_json and out is None and kind not in {None, "json"}:
        raise UserError(f"--json prints JSON; leave out `--format {kind}`, or write that to a file with --out")
    kind = kind or ("json" if as_json else "table")
    made = make_report(results, kind)
    if out is not None:
        write_text(out, made.text)
        value = {"out": str(out), "format": kind, "incomplete": list(made.incomplete)}
        emit(value, as_json=as_json, text=f"wrote {out}")
    else:
        click.echo(made.text, nl=False)
    if made.incomplete and (out is not None or kind != "table"):
        click.echo("\n".join(made.incomplete), err=True)
    return GATE_FAILED if made.incomplete else 0


@click.command()
@click.argument("results", type=FOLDER)
@click.argument("instance_id", shell_complete=complete_instances)
@click.argument("mutant_id", required=False, shell_complete=complete_mutants)
@common_options("json")
def show(results: Path, instance_id: str, mutant_id: str | None, *, as_json: bool) -> None:
    """One result of RESULTS: its Requirement, prediction, steps and mutants, down to one mutant's diff.

    \b
    Example:
      req2test show results/reference behave-library/features/isbn.feature:6
    """
    from testmark.reports import find_shown, render_show

    if as_json:
        emit(find_shown(results, instance_id, mutant_id), as_json=True, text="")
    else:
        click.echo(render_show(results, instance_id, mutant_id), nl=False)


def add_shared_verbs(group: click.Group) -> None:
    """Give a command the verbs of this module."""
    for verb in (doctor, projects, report, show):
        group.add_command(verb)
