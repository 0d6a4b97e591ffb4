"""Cheating does not pay: every attack ends in its verdict, reaches no kill, and leaves nothing behind."""

from __future__ import annotations

import ctypes
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from testmark.engine.cache import default_cache
from testmark.engine.files import tree_hashes
from testmark.engine.pool import Gate
from testmark.records.base import FileText
from testmark.records.results import TaskResult
from testmark.req2test.bench import open_bench
from testmark.req2test.judge import JudgeContext, Runners, judge
from testmark.req2test.production import Production
from testmark.req2test.requests import of_one_size
from testmark.req2test.runtime import open_project, runtime_of
from testmark.sandbox import tree
from testmark.sandbox.scratch import regular_files, scratch_folder
from tests.req2test.cheats import CHEATS, HONEST, Cheat
from tests.req2test.cheats_inside import INSIDE

pytestmark = pytest.mark.xdist_group("example")
Court = Callable[..., TaskResult]


@pytest.fixture(scope="module")
def court(bench: Path, sandbox) -> Iterator[Court]:
    """Judges a step file for the German Scenario with one warm worker."""
    opened = open_bench(bench)
    project = opened.project
    runtime_project = open_project(opened.definition(), default_cache(), preload=project.preload).runtime_project
    runtime = runtime_of("behave")
    worker = runtime.worker(runtime_project, sandbox)
    layout = project.definition.layout
    production = Production(runtime_project.base, layout.production_roots, layout.import_paths)
    context = JudgeContext(project, production, opened.mutants, seed=0, audit_share=0.0, gate=Gate())
    row = next(row for row in opened.rows() if "suche" in row.instance_id)
    kit = opened.kit(row.instance_id)
    text = (runtime_project.base / "src/library/catalogue.py").read_text(encoding="utf-8")
    source = of_one_size(text, text).encode()

    def run(cheat: Cheat, others: Mapping[str, str] | None = None) -> TaskResult:
        text = cheat.steps().replace("{digest}", hashlib.sha256(source).hexdigest()).replace("{size}", str(len(source)))
        text = text.replace("{length}", str(len(source.rstrip(b"#\n"))))
        written = {"features/steps/german_steps.py": text, **(others or {})}
        files = [FileText(path=path, content=content) for path, content in written.items()]
        runners = Runners(worker.run, lambda asked: runtime.run_cold(runtime_project, sandbox, asked))
        return judge(row, kit, files, cheat.name, context, runners)

    yield run
    worker.close()


def processes() -> int:
    """How many processes of the warm worker there are below this one, to which its orphans come."""
    return sum("worker.py" in _command(pid) for pid in tree.descendants([os.getpid()]))


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


@pytest.fixture
def reaper() -> Iterator[None]:
    """Makes this process the one to which orphans of processes below it come (prctl(2))."""
    libc, child_subreaper = ctypes.CDLL(None), 36
    libc.prctl(child_subreaper, 1, 0, 0, 0)
    yield
    libc.prctl(child_subreaper, 0, 0, 0, 0)


@pytest.mark.parametrize("cheat", [*CHEATS, *INSIDE], ids=lambda cheat: cheat.name)
def test_a_cheat_gets_its_verdict_and_no_credit(cheat: Cheat, court: Court) -> None:
    result = court(cheat)
    assert (result.verdict, result.reason.startswith(cheat.reason)) == (cheat.verdict, True), result.reason
    if cheat.then != cheat.__dataclass_fields__["then"].default or result.verdict != "passed":
        assert result.metrics.kill_complete_at_1 == 0.0


@pytest.mark.parametrize("honest", HONEST, ids=lambda cheat: cheat.name)
def test_an_honest_test_is_not_refused(honest: Cheat, court: Court) -> None:
    result = court(honest)
    assert result.verdict == honest.verdict, result.reason
    assert result.metrics.kill_complete_at_1 == 1.0


@pytest.mark.usefixtures("reaper")
def test_cheats_leave_nothing_behind(bench: Path, court: Court) -> None:
    before = tree_hashes(bench)
    court(HONEST[0])
    usual = processes()
    assert usual > 0
    wanted = ("a process that outlives", "kill the parent", "write outside", "many processes", "disk")
    for cheat in [cheat for cheat in CHEATS if cheat.name in wanted]:
        court(cheat)
    assert tree_hashes(bench) == before
    assert processes() <= usual
    assert not Path("/usr/escaped").exists()
    assert court(HONEST[0]).metrics.kill_complete_at_1 == 1.0


def test_a_file_that_takes_an_hour_to_compile_and_is_never_loaded_hurts_nobody(court: Court) -> None:
    """Behave loads the steps folder alone; each `finally` in a `finally` doubles the byte code."""
    bomb = "".join(
        f"def f{number}():\n" + _nested_finally(depth=17, indent=1) + "\n"  # about a second each
        for number in range(300)
    )
    result = court(HONEST[0], {"features/steps/never/loaded.py": bomb})
    assert (result.verdict, result.metrics.kill_complete_at_1) == ("passed", 1.0), result.reason


def _nested_finally(*, depth: int, indent: int) -> str:
    space = " " * indent
    if depth == 0:
        return f"{space}x = 1\n"
    return f"{space}try:\n{space} x = 2\n{space}finally:\n{_nested_finally(depth=depth - 1, indent=indent + 1)}"


def test_what_a_cold_run_leaves_is_removed(tmp_path: Path) -> None:
    """Folders nested deeper than Python recurses, without rights, with links out of the workspace."""
    kept = tmp_path / "kept"
    kept.mkdir()
    with scratch_folder("testmark-") as folder:
        (folder / "link").symlink_to(kept)
        here = os.open(folder, os.O_RDONLY)
        for _ in range(1100):
            os.mkdir("d", dir_fd=here)
            below = os.open("d", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        os.fchmod(here, 0)
        os.close(here)
    assert not folder.exists()
    assert kept.is_dir()


def test_a_link_in_the_place_of_a_folder_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key.txt").write_text("private")
    (tmp_path / "work").mkdir()
    (tmp_path / "work/features").symlink_to(secret)
    (tmp_path / "work/own.txt").write_text("mine")
    assert list(regular_files(tmp_path / "work/features")) == []
    assert [path.name for path in regular_files(tmp_path / "work")] == ["own.txt"]


def test_there_are_enough_of_them() -> None:
    names = [cheat.name for cheat in (*CHEATS, *INSIDE)]
    assert len(names) >= 100
    assert len(set(names)) == len(names)
