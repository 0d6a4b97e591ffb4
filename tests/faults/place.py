"""A folder in which a fault is planted: a tiny project, its benchmark, a run of the reference agent, its results."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from testmark.engine.cache import default_cache
from tests.support import tiny

TOP = Path(__file__).resolve().parents[2]
ID = "tiny/features/adding.feature:3"
STEPS = "features/steps/adding_steps.py"
LARGE = 64 << 20
"""Contents of larger files are not compared, their times are."""
DEFINITION = """\
[project]
name = "tiny"
repo_url = "tiny"
commit = "0000000000000000000000000000000000000000"

[source]
path = "."

[runtime]
python = "3"
dependencies = ["behave==1.3.3"]
lock = "requirements.lock"

[layout]
features = ["features"]
test_roots = ["features"]
production_roots = ["src"]
import_paths = ["src"]

[caps]
mutants = 4
"""


@dataclass
class Place:
    """Where a fault is planted. Commands run in `top`, so that messages name paths relative to it."""

    top: Path
    undo: ExitStack = field(default_factory=ExitStack)
    """What must be undone in the end, as mounts."""

    def shell(self, line: str) -> subprocess.CompletedProcess[str]:
        """Run a line as somebody would type it there."""
        return subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=self.top,
            env=self.environment(),
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )

    def environment(self) -> dict[str, str]:
        """Of every command: a folder of its own for temporary files, which must be empty in the end."""
        (self.top / ".tmp").mkdir(exist_ok=True)
        return {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "TESTMARK_CACHE": str(default_cache()),
            "TMPDIR": str(self.top / ".tmp"),
        }

    def predictions(self, *lines: object, name: str = "predictions.jsonl") -> None:
        """Write a predictions file: strings and bytes as they are, all else as JSON."""
        data = b""
        for line in lines:
            text = line if isinstance(line, str | bytes) else json.dumps(line)
            data += (text.encode() if isinstance(text, str) else text) + b"\n"
        (self.top / name).write_bytes(data)

    def steps(self, text: str, **more: str) -> None:
        """Predict these step definitions, and other files by path."""
        files = {STEPS: text, **more}
        self.predictions(prediction(files=[{"path": path, "content": content} for path, content in files.items()]))

    def edit(self, path: str, before: str, after: str) -> None:
        """Replace a text that is there once."""
        place = self.top / path
        text = place.read_text(encoding="utf-8")
        assert text.count(before) == 1, f"{path} holds {before!r} {text.count(before)} times"
        place.write_text(text.replace(before, after), encoding="utf-8")

    def flip_bit(self, pattern: str) -> None:
        """Flip one bit in the middle of the one file that matches."""
        (victim,) = self.top.glob(pattern)
        data = bytearray(victim.read_bytes())
        data[len(data) // 2] ^= 1
        victim.write_bytes(data)

    def sparse(self, path: str, size: int, head: bytes = b"") -> None:
        """A file of that size that takes no room on the disk."""
        with (self.top / path).open("wb") as handle:
            handle.write(head)
            handle.truncate(size)

    def mount(self, path: str, options: str) -> None:
        """Mount a file system in memory there, until the fault is over."""
        place = self.top / path
        place.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], check=True)
        self.undo.callback(subprocess.run, ["umount", "--lazy", str(place)], check=False)

    def state(self) -> dict[str, str]:
        """Every file by path with what must not change; folders of ours that hold nothing of the user's are left out."""
        found = {}
        for place in sorted(self.top.rglob("*")):
            path = place.relative_to(self.top).as_posix()
            if place.name != ".lock" and not path.startswith(".tmp"):
                found[path] = _state(place)
        return found


def _state(place: Path) -> str:
    status = place.lstat()
    if stat.S_ISREG(status.st_mode):
        if status.st_size > LARGE:
            return f"{status.st_size} bytes of {status.st_mtime_ns}"
        return sha256(place.read_bytes()).hexdigest()
    return f"link to {place.readlink()}" if stat.S_ISLNK(status.st_mode) else f"{stat.S_IFMT(status.st_mode):o}"


def prediction(instance_id: str = ID, **more: object) -> dict[str, object]:
    """One prediction; without `files` or `model_patch` it is the reference."""
    given = more or {"files": [{"path": STEPS, "content": tiny.STEPS}]}
    return {"instance_id": instance_id, "model_name_or_path": "m", **given}


def write_shared(top: Path) -> Path:
    """The folder that every fault starts with a copy of; built through the command line."""
    root = tiny.write_project(top)
    shutil.copy(TOP / "examples/behave-library/requirements.lock", root)
    (root / "testmark.toml").write_text(DEFINITION, encoding="utf-8")
    place = Place(top)
    for line in (
        "req2test build tiny --out bench --quiet",
        "req2test run bench --agent reference --out run --quiet",
        "req2test evaluate bench run --out results --no-cache --quiet",
    ):
        done = place.shell(line)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    return top
