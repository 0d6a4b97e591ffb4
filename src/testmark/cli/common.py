"""What both commands share: error handling with exit codes, common options, JSON output."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from testmark.cli import interrupts
from testmark.errors import TestmarkError, system_sentence

if TYPE_CHECKING:
    from testmark.agents.gates import Gates
    from testmark.leaks.found import Leak
    from testmark.projects.load import LoadedDefinition
    from testmark.records.results import Summary
    from testmark.sandbox.confinement import Sandbox

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

GATE_FAILED = 1
FOLDER = click.Path(path_type=Path)


class Command(click.Group):
    """A group whose errors are one sentence with the exit code of their kind."""

    def main(self, *arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401 - click's own signature
        """Run; exit 0 done, 1 a gate failed or an `infra`, 2 usage, 3 a tool is missing, 4 interrupted."""
        keywords["standalone_mode"] = False
        interrupts.install()
        try:
            result = super().main(*arguments, **keywords)
        except click.exceptions.Exit as stop:
            sys.exit(stop.exit_code)
        except click.ClickException as error:
            error.show()
            sys.exit(2)
        except TestmarkError as error:
            _say(str(error))
            sys.exit(error.exit_code)
        except (KeyboardInterrupt, click.Abort):
            interrupts.leave()
        except BrokenPipeError:
            # The reader of our output left, as `head` does: not an error of ours.
            sys.stderr.close()
            sys.exit(0)
        except OSError as error:
            _say(system_sentence(error))
            sys.exit(1)
        sys.exit(result if isinstance(result, int) else 0)


def _say(message: str) -> None:
    click.echo(f"error: {message}", err=True)


def emit(value: dict[str, Any], *, as_json: bool, text: str) -> None:
    """One JSON object on standard output with `--json`, else the text."""
    click.echo(json.dumps(value, ensure_ascii=False) if as_json else text)


def emit_leaks(bench: Path, leaks: Sequence[Leak], *, as_json: bool) -> int:
    """What `check-leaks` says, and its exit code."""
    text = "\n".join(f"LEAK {leak}" for leak in leaks) or f"{bench}: no leaks"
    emit({"leaks": [str(leak) for leak in leaks]}, as_json=as_json, text=text)
    return GATE_FAILED if leaks else 0


def gated(predictions: Path, summary: Summary, gates: Gates) -> int:
    """The exit code of an evaluation; says on standard error what a shipped agent does not score."""
    from testmark.agents.gates import failed_gates

    failed = failed_gates(predictions, summary, gates)
    for sentence in failed:
        click.echo(sentence, err=True)
    return 0 if summary.complete and not failed else GATE_FAILED


def common_options(*names: str) -> Callable[[Decorated], Decorated]:
    """The options of that name that several verbs share."""

    def decorate(function: Decorated) -> Decorated:
        for name in reversed(names):
            function = _OPTIONS[name](function)
        return function

    return decorate


_OPTIONS: dict[str, Callable[[Any], Any]] = {
    "only": click.option(
        "--only", multiple=True, metavar="GLOB", help="Only instances whose id matches; may be repeated."
    ),
    "limit": click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N instances."),
    "jobs": click.option(
        "--jobs", type=click.IntRange(min=1), metavar="N", help="Runs side by side (default: all cores)."
    ),
    "sandbox": click.option(
        "--sandbox",
        type=click.Choice(["auto", "bubblewrap", "podman", "docker", "none"]),
        default="auto",
        show_default=True,
        help="How project and agent code is confined.",
    ),
    "seed": click.option("--seed", type=int, default=0, show_default=True, help="Seed of every sample and order."),
    "cache": click.option("--no-cache", is_flag=True, help="Judge again what was judged before."),
    "json": click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output."),
    "quiet": click.option("--quiet", is_flag=True, help="No progress."),
}


def load_or_assume(ref: str) -> LoadedDefinition:
    """The definition that `ref` means; a folder without one is looked at, and what is assumed is said."""
    from testmark.projects.init import assume
    from testmark.projects.load import find_definition, load_definition

    if Path(ref).is_dir() and find_definition(ref) is None:
        loaded, assumptions = assume(Path(ref))
        click.echo(f"{ref} has no testmark.toml; assuming:", err=True)
        for line in assumptions:
            click.echo(f"  - {line}", err=True)
        return loaded
    return load_definition(ref)


def choose_sandbox(name: str) -> Sandbox:
    """The sandbox asked for, ready to use; raises `ToolMissingError` when it is not."""
    from testmark.sandbox import choose

    return choose(name)
