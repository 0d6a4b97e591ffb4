"""behave: a cold runner, a warm fork server, and one reading of what both report."""

from __future__ import annotations

from testmark.runtimes.behave.runtime import BehaveRuntime

RUNTIME = BehaveRuntime()
