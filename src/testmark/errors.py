"""The one exception root and its branches; each branch owns the exit code of the command line.

Exit codes: 1 a gate failed or our machine did, 2 wrong usage or input, 3 a tool is missing,
4 interrupted and can go on.
"""

from __future__ import annotations


class TestmarkError(Exception):
    """Anything testmark reports in one sentence instead of a traceback."""

    __test__ = False  # pytest collects classes whose name starts with "Test"
    exit_code: int = 1


class UserError(TestmarkError):
    """Wrong usage or input: the message names the file, the line and the remedy."""

    exit_code = 2


class TaskError(TestmarkError):
    """One instance cannot be built or judged; the others go on."""


class AgentError(TestmarkError):
    """The agent under test failed (its command could not be run, or ended badly)."""


class InfraError(TestmarkError):
    """Our fault or the machine's: the run is incomplete and says so."""


class ToolMissingError(TestmarkError):
    """A tool that the command needs is not installed; the message holds the line that installs it."""

    exit_code = 3


class InterruptedRunError(TestmarkError):
    """Stopped by Ctrl-C or a signal; the same command goes on from here."""

    exit_code = 4
