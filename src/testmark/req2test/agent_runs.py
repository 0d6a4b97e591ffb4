"""`req2test run`: an agent on the instances of a benchmark, each in its own runnable workspace."""

from __future__ import annotations

from pathlib import Path

from testmark.agents import make_agent
from testmark.agents.base import AgentTaskView
from testmark.agents.command import CommandSettings
from testmark.agents.runs import RunOptions, RunReport, has_command, run_tasks, variables_of
from testmark.agents.steps import failing_steps, idle_steps
from testmark.engine.cache import default_cache
from testmark.errors import UserError
from testmark.records.base import FileText
from testmark.req2test.bench import Bench, open_bench
from testmark.req2test.requests import step_texts, steps_folder
from testmark.req2test.runtime import open_project
from testmark.req2test.workspace import write_workspace
from testmark.sandbox.confinement import Mount

__all__ = ["RunOptions", "RunReport", "run_agent"]


def run_agent(bench_folder: Path, out: Path, options: RunOptions) -> RunReport:
    """Let the agent work on every selected instance; run again it goes on where it was.

    Raises `UserError` for a folder of another run, `ToolMissingError` when the sandbox is missing.
    """
    bench = open_bench(bench_folder)
    bench.verify()
    names = [row.instance_id for row in bench.select(options.only, options.limit)]
    if options.agent == "unrefined":
        raise UserError("the agent `unrefined` hands in a test's older revision, which Req2Test has not")
    agent = make_agent(options.agent, _command_settings(bench, options))
    references = {row.instance_id: row.files for row in bench.references()} if agent.name == "reference" else {}
    return run_tasks(
        out,
        names,
        lambda _: agent,
        lambda name, log: _task_view(bench, name, references, log),
        options,
        bench.manifest.bench_id,
    )


def _command_settings(bench: Bench, options: RunOptions) -> CommandSettings | None:
    variables = variables_of(options)
    if not has_command(options) or options.command is None:
        return None
    opened = open_project(bench.definition(), options.cache or default_cache())
    project = opened.runtime_project
    prefix = str(project.prefix)
    return CommandSettings(
        command=options.command,
        sandbox=options.sandbox,
        timeout=options.timeout,
        network=options.network,
        environment={
            "PATH": f"{prefix}/bin:/usr/local/bin:/usr/bin:/bin",
            "HOME": "/tmp",  # noqa: S108 - inside the sandbox
            "LANG": "C.UTF-8",
            "PYTHONPATH": ":".join(f"/workspace/{path}" for path in project.import_paths),
            **project.environment,
            **variables,
        },
        mounts=(*project.interpreter_mounts, Mount(project.prefix, prefix)),
        root=project.root,
    )


def _task_view(bench: Bench, name: str, references: dict[str, tuple[FileText, ...]], log: Path) -> AgentTaskView:
    kit, view = bench.kit(name), bench.view(name)
    texts, folder = step_texts(kit.pickles), steps_folder(kit.reference_files)
    return AgentTaskView(
        instance_id=name,
        prompt=view.prompt,
        test_roots=bench.project.definition.layout.test_roots,
        write_workspace=lambda folder: write_workspace(bench, view, folder),
        reference=lambda: references[name],
        idle=lambda: (idle_steps(texts, folder),),
        failing=lambda: (failing_steps(texts, folder),),
        unrefined=lambda: (),
        log=log,
    )
