"""javac for tests: many versions of one class, compiled and run in one confined JVM of the shipped root."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from testmark.errors import TestmarkError
from testmark.sandbox import choose
from testmark.sandbox.confinement import Confinement, Limits, Mount
from testmark.sandbox.process import run
from testmark.sandbox.roots import ensure_root, load_root

FOLDER = Path(__file__).parent / "java"
SAMPLE = (FOLDER / "Sample.java").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Answer:
    digest: str
    """Of the byte code without debug information; empty when it does not compile."""
    result: str


def judged(sources: Sequence[str], *, execute: bool) -> list[Answer]:
    try:
        sandbox, root = choose(), ensure_root(load_root("sid-java"))
    except TestmarkError as error:
        pytest.skip(str(error))
    word = "run" if execute else "compile"
    lines = [f"{word} {base64.b64encode(source.encode()).decode()}\n" for source in sources]
    confinement = Confinement(
        argv=("/usr/lib/jvm/java-21-openjdk-amd64/bin/java", "-Xmx1g", "/srv/Judge.java"),
        cwd="/tmp",
        env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
        mounts=(Mount(FOLDER, "/srv"),),
        root=root,
    )
    limits = Limits(
        cpu_seconds=600,
        wall_seconds=600,
        memory_mib=16384,
        processes=512,
        file_mib=64,
        output_bytes=64 << 20,
        disk_mib=64,
    )
    done = run(sandbox, confinement, limits, stdin="".join(lines).encode())
    answers = done.stdout.decode().splitlines()
    assert len(answers) == len(sources), done.stderr.decode()[-2000:]
    found = [answer.split(" ") for answer in answers]
    return [
        Answer("", "") if one == ["invalid"] else Answer(one[0], base64.b64decode(one[1]).decode()) for one in found
    ]
