"""Agents: those that ship with testmark, and any command line. One file a variant."""

from __future__ import annotations

from testmark.agents.base import Agent
from testmark.agents.command import CommandAgent, CommandSettings
from testmark.agents.fixed import AlwaysFail, AlwaysPass, Empty, Reference, Unrefined
from testmark.errors import UserError

NAMES = ("reference", "empty", "always-pass", "always-fail", "unrefined", "command")


def make_agent(name: str, settings: CommandSettings | None = None) -> Agent:
    """The agent of that name; `command` needs settings. Raises `UserError` for an unknown one."""
    match name:
        case "reference":
            return Reference()
        case "unrefined":
            return Unrefined()
        case "empty":
            return Empty()
        case "always-pass":
            return AlwaysPass()
        case "always-fail":
            return AlwaysFail()
        case "command":
            if settings is None:
                raise UserError("the agent `command` needs a command line; give it with --command")
            return CommandAgent(settings)
    raise UserError(f"there is no agent `{name}`; choose one of {', '.join(NAMES)}")
