"""A project whose Python is that of a Debian root: built and judged there, warm and cold."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from testmark.projects.load import load_definition
from testmark.req2test.agent_runs import RunOptions, run_agent
from testmark.req2test.audit import AuditOptions, audit
from testmark.req2test.bench import open_bench
from testmark.req2test.build import BuildOptions, build
from testmark.req2test.evaluate import EvaluateOptions, evaluate

from .conftest import EXAMPLE


@pytest.mark.slow
@pytest.mark.network
def test_a_project_on_the_python_of_an_older_debian(tmp_path: Path, sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("mmdebstrap") is None:
        pytest.skip("mmdebstrap is not installed: apt-get install mmdebstrap")
    monkeypatch.setenv("TESTMARK_CACHE", str(tmp_path / "cache"))
    project = tmp_path / "project"
    shutil.copytree(EXAMPLE, project)
    definition = project / "testmark.toml"
    text = definition.read_text(encoding="utf-8")
    definition.write_text(text.replace('python = "3"', 'python = "3.9"\nroot = "bullseye-python"', 1), encoding="utf-8")
    out = tmp_path / "bench"
    try:
        build(load_definition(project), out, BuildOptions(sandbox=sandbox, only=("*/isbn.feature:14",), quiet=True))
        bench = open_bench(out)
        assert bench.manifest.interpreter.startswith("3.9.")
        assert [row.instance_id for row in bench.rows()] == ["behave-library/features/isbn.feature:14"]
        run_agent(out, tmp_path / "run", RunOptions(agent="reference", sandbox=sandbox, quiet=True))
        options = EvaluateOptions(sandbox=sandbox, audit_share=0.0, use_cache=False, quiet=True)
        summary = evaluate(out, tmp_path / "run", tmp_path / "results", options)
        assert {name: metric.value for name, metric in summary.metrics.items()} == dict.fromkeys(summary.metrics, 1.0)
        report = audit(tmp_path / "results", AuditOptions(sandbox=sandbox, share=0.3, quiet=True))
        assert report.sampled > 0
        assert (report.disagreements, report.infra) == ((), 0)
    finally:
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)
