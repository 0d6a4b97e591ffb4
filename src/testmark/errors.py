"""The one exception root and its branches; each branch owns the exit code of the command line.

Exit codes: 1 a gate failed or our machine did, 2 wrong usage or input, 3 a tool is missing,
4 interrupted and can go on.
"""

from __future__ import annotations

import errno
import os
import re


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


def system_sentence(error: OSError) -> str:
    """What the system said about which file, and the remedy: for errors that no one foresaw."""
    place, words = error.filename or "this machine", error.strerror
    if words is None:
        # `shutil.Error` holds a list of files, each with its error's text.
        found = error.args[0] if error.args else ""
        if isinstance(found, list) and found and isinstance(found[0], tuple):
            place, found = found[0][1], str(found[0][2])
        words = re.sub(r"^\[Errno \d+\] ", "", str(found)).partition(": ")[0]
    full = error.errno in {errno.ENOSPC, errno.EDQUOT} or words == os.strerror(errno.ENOSPC)
    remedy = "free some space" if full else "mend that"
    return f"{os.fsdecode(place)}: {words}; {remedy} and run the same command again"
