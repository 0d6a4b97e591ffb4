"""What the events of a run say, whatever their order."""

from __future__ import annotations

import pytest

from testmark.runtimes.maven import worker_wire as wire
from testmark.runtimes.maven.worker_verdict import Events

TOKEN = "token"


def frame(kind: int, *texts: str) -> wire.Writer:
    writer = wire.Writer().number(kind).text(TOKEN)
    for text in texts:
        writer.text(text)
    return writer


def started(key: str, method: str = "m") -> wire.Writer:
    return frame(wire.STARTED, key, "T", method, key)


def passed(key: str) -> wire.Writer:
    return frame(wire.FINISHED, key).number(0)


def failed(key: str) -> wire.Writer:
    return frame(wire.FINISHED, key).number(2).text("E").text("why")


def skipped(key: str, method: str = "m") -> wire.Writer:
    return frame(wire.SKIPPED, key, "T", method, key, "no")


def broken() -> wire.Writer:
    return frame(wire.BROKEN, "T", "", "T").number(1).text("E").text("why")


def ended() -> wire.Writer:
    return frame(wire.ENDED, "").number(1).real(0.1).real(0.1).number(4).raw(b"").number(0)


def status(*frames: wire.Writer, methods: tuple[str, ...] = ("m",)) -> str:
    events = Events(TOKEN)
    for one in (frame(wire.BEGUN), *frames):
        events.take(one.frame()[4:])
    return events.outcome(methods).status


@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        ([started("a"), passed("a"), ended()], "passed"),
        ([started("a"), failed("a"), ended()], "failed"),
        ([started("a"), failed("a"), passed("a"), ended()], "failed"),
        ([started("a"), failed("a"), skipped("a"), ended()], "failed"),
        ([started("a"), skipped("a"), passed("a"), ended()], "skipped"),
        ([started("a"), skipped("a"), failed("a"), ended()], "failed"),
        ([started("a"), failed("a"), started("a"), passed("a"), ended()], "failed"),
        ([started("a"), passed("a"), started("b"), failed("b"), ended()], "failed"),
        ([started("a"), passed("a"), skipped("b"), ended()], "skipped"),
        ([started("a"), passed("a"), broken(), ended()], "failed"),
        ([started("a"), ended()], "failed"),
        ([skipped("T", ""), ended()], "skipped"),
        ([started("a", "other"), passed("a"), ended()], "not-found"),
        ([ended()], "not-found"),
        ([started("a"), passed("a")], "failed"),
        ([started("a"), passed("a"), frame(wire.EXITING)], "failed"),
        ([started("a"), frame(wire.LIMIT, "cpu").real(2.0).real(2.0)], "timeout"),
        ([passed("a"), ended()], "failed"),
        ([frame(99), ended()], "failed"),
        ([started("a"), passed("a"), frame(wire.LOST, "our fault")], "infra"),
    ],
)  # fmt: skip
def test_a_run_passes_only_when_nothing_speaks_against_it(frames: list[wire.Writer], expected: str) -> None:
    assert status(*frames) == expected


def test_nothing_counts_that_has_not_the_token_of_the_run() -> None:
    events = Events("another")
    events.take(started("a").frame()[4:])
    assert events.outcome(("m",)).status == "failed"


def test_a_jvm_that_is_lost_before_the_test_began_is_no_verdict() -> None:
    assert Events(TOKEN).outcome(("m",)).status == "infra"


def test_every_named_method_must_have_run() -> None:
    assert status(started("a"), passed("a"), ended(), methods=("m", "n")) == "not-found"
    assert status(started("a"), passed("a"), started("b", "n"), passed("b"), ended(), methods=("m", "n")) == "passed"
    assert status(ended(), methods=()) == "not-found"
