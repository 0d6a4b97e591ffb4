"""A mutant as text and as diff."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from testmark.errors import TaskError
from testmark.mutants import apply, diff, generate, mutated_lines

SOURCES = {
    "plain": "".join(f"x{number} = {number}\n" for number in range(12)),
    "no last newline": "x = 1\ny = 2",
    "windows": "x = 1\r\ny = f(\r\n    a,\r\n    b)\r\nz = 3\r\n",
    "form feed": "x = 1\n\x0cy = 2\n",
    "deleted lines": "def f():\n    g(\n        a,\n        b,\n    )\n    return 1\n",
    "one line": "x = 1",
}


@pytest.mark.parametrize("name", SOURCES)
def test_git_applies_every_diff(name: str, tmp_path: Path) -> None:
    source = SOURCES[name]
    target = tmp_path / "p" / "m.py"
    target.parent.mkdir()
    for one in generate("p/m.py", source):
        target.write_bytes(source.encode())
        subprocess.run(
            ["git", "apply", "--whitespace=nowarn", "-"],
            input=diff(source, one).encode(),
            cwd=tmp_path,
            check=True,
            env={"PATH": "/usr/bin:/bin:/usr/local/bin", "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)},
        )
        assert target.read_bytes() == apply(source, one).encode()


def test_diff_shows_the_line_and_its_context() -> None:
    source = SOURCES["plain"]
    one = next(one for one in generate("m.py", source) if one.before == "5")
    assert (
        diff(source, one, context=1) == "--- a/m.py\n+++ b/m.py\n@@ -5,3 +5,3 @@\n x4 = 4\n-x5 = 5\n+x5 = 6\n x6 = 6\n"
    )


def test_another_text_is_refused() -> None:
    one = generate("p/m.py", "x = 1\n")[0]
    with pytest.raises(TaskError, match=r"p/m\.py:1: .*build the kit again"):
        apply("y = 20 + z\n", one)
    with pytest.raises(TaskError):
        diff("", one)


def test_mutated_lines_span_the_edit() -> None:
    source = SOURCES["deleted lines"]
    one = next(one for one in generate("m.py", source) if one.after == "pass")
    assert mutated_lines(one) == range(2, 6)
