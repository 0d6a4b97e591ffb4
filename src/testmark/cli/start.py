"""Where the commands start: Ctrl-C is answered while their libraries are still being loaded, too."""

from __future__ import annotations

from importlib import import_module

from testmark.cli import interrupts


def req2test() -> None:
    """The command `req2test`."""
    _run("req2test")


def testevo() -> None:
    """The command `testevo`."""
    _run("testevo")


def _run(name: str) -> None:
    try:
        interrupts.install()
        import_module(f"testmark.cli.{name}").main()
    except KeyboardInterrupt:
        interrupts.leave()
