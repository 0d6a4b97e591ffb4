"""Projects that nobody prepared: what their code and hooks do at import, and what the build then says."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from testmark.cli.req2test import main
from testmark.engine.pool import Gate
from testmark.errors import UserError
from testmark.projects.load import load_definition
from testmark.records.dataset import InstanceRow
from testmark.records.definition import LimitsTable
from testmark.records.kit import Dropped
from testmark.req2test.agent_runs import RunOptions, run_agent
from testmark.req2test.build import BuildOptions, build
from testmark.req2test.evaluate import EvaluateOptions, evaluate
from testmark.req2test.references import DropInstance, first_limits, run_reference
from testmark.req2test.requests import InstanceRuns
from testmark.runtimes.protocol import RunOutcome, RunRequest, Trace
from tests.support import tiny

from .conftest import EXAMPLE

REGISTERED = """\
import colorsys
from sums.core import add

if hasattr(colorsys, "sums"):
    raise ValueError("sums is registered")
colorsys.sums = add
"""


def write_project(folder: Path, extra: Mapping[str, str]) -> Path:
    """The tiny project with a definition that takes the example's environment."""
    root = tiny.write_project(folder, extra)
    runtime = tomllib.loads((EXAMPLE / "testmark.toml").read_text(encoding="utf-8"))["runtime"]
    shutil.copy(EXAMPLE / "requirements.lock", root)
    (root / "testmark.toml").write_text(
        '[project]\nname = "tiny"\nrepo_url = "unknown"\ncommit = "' + "0" * 40 + '"\n[source]\npath = "."\n'
        f"[runtime]\npython = {runtime['python']!r}\nlock = 'requirements.lock'\n"
        '[layout]\nproduction_roots = ["src/sums"]\n',
        encoding="utf-8",
    )
    return root


def dropped(bench: Path) -> list[Dropped]:
    lines = (bench / "dropped.jsonl").read_text(encoding="utf-8").splitlines()
    return [drop for drop in map(Dropped.from_json, lines) if drop.kind != "mutant"]


def test_code_that_registers_itself_at_import_is_built_and_judged(tmp_path: Path, sandbox) -> None:
    root = write_project(tmp_path, {"src/sums/__init__.py": REGISTERED})
    bench, run, results = tmp_path / "bench", tmp_path / "run", tmp_path / "results"
    build(load_definition(root), bench, BuildOptions(sandbox=sandbox, quiet=True))
    (line,) = (bench / "data/eval.jsonl").read_text(encoding="utf-8").splitlines()
    assert [target.key[-1] for target in InstanceRow.from_json(line).target_interfaces] == ["add"]
    run_agent(bench, run, RunOptions(agent="reference", sandbox=sandbox, quiet=True))
    summary = evaluate(bench, run, results, EvaluateOptions(sandbox=sandbox, audit_share=1.0, quiet=True))
    assert {name: metric.value for name, metric in summary.metrics.items()} == dict.fromkeys(summary.metrics, 1.0)
    assert (summary.audit.sampled > 1, summary.audit.disagreements) == (True, 0)


@pytest.mark.parametrize("hook", ["before_all(context)", "before_scenario(context, scenario)"])
def test_a_hook_that_fails_is_named(hook: str, tmp_path: Path, sandbox) -> None:
    text = f"def {hook}:\n    raise ConnectionError('no such host')\n"
    root = write_project(tmp_path, {"features/environment.py": text})
    bench = tmp_path / "bench"
    done = CliRunner().invoke(main, ["build", str(root), "--out", str(bench), "--quiet"])
    (gone,) = dropped(bench)
    assert (gone.id, gone.rule) == ("tiny/features/adding.feature:3", "stopped-by-hook")
    assert "before_all" in gone.detail or "no such host" in gone.detail
    assert f"dropped     1 scenario: stopped-by-hook, e.g. {gone.id}: {gone.detail}" in done.stdout
    assert done.exit_code == 1
    with pytest.raises(UserError, match=r"its `eval` has no instance; .*dropped\.jsonl names the reason"):
        run_agent(bench, tmp_path / "run", RunOptions(agent="reference", sandbox=sandbox, quiet=True))


class Losing:
    """A worker that loses some of its runs, and then passes all."""

    how = "warm"

    def __init__(self, lost: int) -> None:
        self.lost = lost

    def run(self, request: RunRequest) -> RunOutcome:
        self.lost -= 1
        if self.lost >= 0:
            return RunOutcome(status="infra", reason="the warm worker ended")
        trace = Trace(lines={}, step_lines={}, checked_lines={}, calls=()) if request.measure else None
        return RunOutcome(status="passed", reason="", trace=trace)


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_a_reference_run_that_was_lost_is_tried_once_more(lost: int) -> None:
    limits = LimitsTable()
    runs = InstanceRuns(
        feature_path=tiny.FEATURE_PATH,
        line=3,
        feature_text=tiny.FEATURE,
        pickles=tiny.PICKLES,
        userdata={},
        reference_files=(tiny.STEPS_PATH,),
        support_files=(),
        originals={},
        time=first_limits(limits),
        cold_time=first_limits(limits),
    )
    if lost == 2:
        with pytest.raises(DropInstance, match="infra: the warm worker ended"):
            run_reference(runs, (), 3, limits, Losing(lost), Gate())
    else:
        assert run_reference(runs, (), 3, limits, Losing(lost), Gate()).trace.calls == ()
