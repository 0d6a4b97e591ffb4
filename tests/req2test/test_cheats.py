"""Cheating does not pay: every attack ends in its verdict, reaches no kill, and leaves nothing behind."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
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
from testmark.req2test.runtime import open_project, runtime_of
from tests.req2test.cheats import CHEATS, HONEST, Cheat

pytestmark = pytest.mark.xdist_group("example")
Court = Callable[[Cheat], TaskResult]


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
    source = (runtime_project.base / "src/library/catalogue.py").read_bytes()

    def run(cheat: Cheat) -> TaskResult:
        text = cheat.steps().replace("{digest}", hashlib.sha256(source).hexdigest()).replace("{size}", str(len(source)))
        files = [FileText(path="features/steps/german_steps.py", content=text)]
        runners = Runners(worker.run, lambda asked: runtime.run_cold(runtime_project, sandbox, asked))
        return judge(row, kit, files, cheat.name, context, runners)

    yield run
    worker.close()


def processes() -> set[str]:
    names = [path.name for path in Path("/proc").iterdir()]
    return {name for name in names if name.isdigit() and "sleep" in _command(name)}


def _command(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.name)
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


def test_cheats_leave_nothing_behind(bench: Path, court: Court) -> None:
    before = tree_hashes(bench)
    left = processes()
    wanted = ("a process that outlives", "kill the parent", "write outside", "many processes", "disk")
    for cheat in [cheat for cheat in CHEATS if cheat.name in wanted]:
        court(cheat)
    assert tree_hashes(bench) == before
    assert processes() <= left
    assert not Path("/usr/escaped").exists()
    assert court(HONEST[0]).metrics.kill_complete_at_1 == 1.0


def test_there_are_enough_of_them() -> None:
    assert len(CHEATS) >= 60
    assert len({cheat.name for cheat in CHEATS}) == len(CHEATS)
