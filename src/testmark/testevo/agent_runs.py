"""`testevo run`: an agent on the tasks of a benchmark, each in its own workspace with Maven and the offline store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from posixpath import dirname

from testmark.agents import make_agent
from testmark.agents.base import AgentTaskView
from testmark.agents.command import CommandSettings
from testmark.agents.javatests import java_test
from testmark.agents.runs import RunOptions, RunReport, has_command, run_tasks, variables_of
from testmark.engine.cache import default_cache
from testmark.errors import UserError
from testmark.records.base import FileText
from testmark.records.evokit import EvoKit
from testmark.runtimes.maven.protocol import STORE, Toolchain
from testmark.runtimes.maven.toolchains import placed
from testmark.sandbox.confinement import Mount
from testmark.testevo.bench import EvoBench, Selection, open_bench
from testmark.testevo.families import families
from testmark.testevo.prompts import task_prompt
from testmark.testevo.workshop import MavenWorkshop
from testmark.testevo.workspace import write_workspace


@dataclass(frozen=True)
class _Tools:
    """Where trees are unpacked, and with what they are built."""

    toolchains: tuple[Toolchain, ...]
    cache: Path


def run_agent(bench_folder: Path, out: Path, selection: Selection, options: RunOptions) -> RunReport:
    """Let the agent work on every selected task; run again it goes on where it was.

    Raises `UserError` for a folder of another run, `ToolMissingError` when the sandbox or Java is missing.
    """
    bench = open_bench(bench_folder)
    bench.verify()
    chosen = bench.select(selection)
    cache = options.cache or default_cache()
    tools = _Tools(MavenWorkshop(options.sandbox, cache).toolchains(), cache)
    agents = {}
    for java in sorted({row.java_version for _, row in chosen}):
        agents[java] = make_agent(options.agent, _command_settings(options, tools, java, bench))
    names = [row.task_id for _, row in chosen]
    versions = {row.task_id: row.java_version for _, row in chosen}
    return run_tasks(
        out,
        names,
        lambda name: agents[versions[name]],
        lambda name, log: _task_view(bench, name, tools, log),
        options,
        bench.manifest.bench_id,
    )


def _command_settings(options: RunOptions, tools: _Tools, java: int, bench: EvoBench) -> CommandSettings | None:
    variables = variables_of(options)
    if not has_command(options) or options.command is None:
        return None
    toolchain = next((one for one in tools.toolchains if one.jdk.major == java), None)
    if toolchain is None:
        raise UserError(
            f"{bench.folder}: Java {java} is not at hand, which tasks need; `testevo toolchain install` brings it"
        )
    where = placed(toolchain)
    store = bench.store(tools.cache)
    return CommandSettings(
        command=options.command,
        sandbox=options.sandbox,
        timeout=options.timeout,
        network=options.network,
        environment={
            "PATH": f"{where.java_home}/bin:{where.maven_home}/bin:/usr/local/bin:/usr/bin:/bin",
            "HOME": "/tmp",  # noqa: S108 - inside the sandbox
            "LANG": "C.UTF-8",
            "JAVA_HOME": where.java_home,
            "MAVEN_OPTS": f"-Dmaven.repo.local={STORE}",
            **variables,
        },
        mounts=(*where.mounts, Mount(store, STORE)),
        root=toolchain.root,
    )


def _task_view(bench: EvoBench, name: str, tools: _Tools, log: Path) -> AgentTaskView:
    kit, view = bench.kit(name), bench.view(name)
    return AgentTaskView(
        instance_id=name,
        prompt=task_prompt(view),
        test_roots=(dirname(kit.test_file),),
        write_workspace=lambda folder: write_workspace(bench, name, folder, tools.cache),
        reference=lambda: (FileText(path=kit.test_file, content=kit.new_text),),
        idle=lambda: (_made(kit, "idle"),),
        failing=lambda: (_made(kit, "failing"),),
        unrefined=lambda: () if kit.old_text is None else (FileText(path=kit.test_file, content=kit.old_text),),
        log=log,
    )


def _made(kit: EvoKit, kind: str) -> FileText:
    module = next((one for one in kit.new.build.modules if one.path == kit.new.module), None)
    # What a module has on its class path its Surefire may not run; what the developer wrote for, it does.
    frameworks: Sequence[str] = families(kit.new_text) or (module.frameworks if module is not None else ())
    return java_test(kit.test_file, [(target.test_class, target.method) for target in kit.targets], frameworks, kind)
