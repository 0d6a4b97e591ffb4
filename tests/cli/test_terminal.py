"""On a terminal a bar and colours, elsewhere plain lines; NO_COLOR is respected."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reports.synthetic import row, write_results

PROGRESS = (
    "from testmark.engine.progress import Progress\n"
    "with Progress('judging', 3) as progress:\n"
    "    for name in ('a', 'b', '[c]'):\n"
    "        progress.step(name)\n"
)
COLOUR = re.compile(r"\x1b\[(?:[0-9]+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]")


def on_terminal(command: list[str], **variables: str) -> str:
    """What a program writes to a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key not in {"NO_COLOR", "FORCE_COLOR", "CI"}}
    environment |= {"TERM": "xterm-256color", "COLUMNS": "100", **variables}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        written += part
    os.close(ours)
    assert process.wait() == 0, written
    return written.decode()


def test_progress_is_a_bar_on_a_terminal() -> None:
    text = on_terminal([sys.executable, "-c", PROGRESS])
    assert "━" in text
    assert "judging [c]" in text, "brackets are no markup"
    assert "3/3" in text
    assert "\x1b[2K" in text, "the bar is taken away at the end"
    assert text.endswith("judging: 3/3\r\n")
    assert COLOUR.search(text)


def test_progress_has_no_colour_with_no_color() -> None:
    text = on_terminal([sys.executable, "-c", PROGRESS], NO_COLOR="1")
    assert "━" in text
    assert not COLOUR.search(text)


def test_progress_is_plain_lines_on_standard_error_elsewhere() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRESS], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "judging: 3/3\n")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_results(tmp_path_factory.mktemp("results") / "r", count=4, verdict="passed")


def show(results: Path) -> list[str]:
    return [sys.executable, "-m", "testmark", "show", str(results), row(1).instance_id]


def test_show_has_colours_on_a_terminal_only_and_none_with_no_color(results: Path) -> None:
    assert COLOUR.search(on_terminal(show(results)))
    plain = on_terminal(show(results), NO_COLOR="1")
    assert "features/steps/cart.py" in plain
    assert not COLOUR.search(plain)
    piped = subprocess.run(show(results), capture_output=True, text=True, check=True).stdout
    assert "features/steps/cart.py" in piped
    assert "\x1b" not in piped


@pytest.mark.parametrize("verb", ["report", "--help"])
def test_other_verbs_have_no_colour_with_no_color(results: Path, verb: str) -> None:
    command = [sys.executable, "-m", "testmark", verb, *([str(results)] if verb == "report" else [])]
    assert not COLOUR.search(on_terminal(command, NO_COLOR="1"))
