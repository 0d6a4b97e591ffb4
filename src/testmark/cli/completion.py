"""What a shell can complete besides options and paths: definitions, agents, instances and mutants."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from testmark.errors import TestmarkError


def complete_definitions(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Names of shipped definitions; paths as soon as none begins with what was typed."""
    from testmark.projects.load import shipped_names

    names = [CompletionItem(name) for name in shipped_names() if name.startswith(typed)]
    return names or [CompletionItem(typed, type="file")]


def complete_agents(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Names of the agents that ship."""
    from testmark.agents import NAMES

    return [CompletionItem(name) for name in NAMES if name.startswith(typed)]


def complete_instances(context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Identifiers in the results folder that was named."""
    from testmark.reports import load_results

    try:
        instances = load_results(Path(context.params["results"])).instances
    except (KeyError, TypeError, TestmarkError):
        return []
    return [CompletionItem(name) for name in instances if name.startswith(typed)]


def complete_mutants(context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Identifiers of the mutants of the instance that was named, each with its verdict."""
    from testmark.reports import load_results

    try:
        task = load_results(Path(context.params["results"])).shown(context.params["instance_id"])
    except (KeyError, TypeError, TestmarkError):
        return []
    return [CompletionItem(m.name, help=m.verdict) for m in task.mutants if m.name.startswith(typed)]
