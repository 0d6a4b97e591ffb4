"""From a project definition to something that can run its tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from testmark.errors import UserError
from testmark.projects.checkout import materialise
from testmark.projects.environment import Environment, ensure_environment
from testmark.projects.load import LoadedDefinition
from testmark.runtimes.protocol import Runtime, RuntimeProject
from testmark.sandbox.confinement import Mount


@dataclass(frozen=True)
class OpenProject:
    """A project on this machine: its snapshot, its environment, and both as the runtimes want them."""

    loaded: LoadedDefinition
    tree_hash: str
    environment: Environment
    runtime_project: RuntimeProject
    notes: tuple[str, ...] = ()
    """What of the source was left out of the snapshot, and why."""


def open_project(loaded: LoadedDefinition, cache: Path, *, preload: Sequence[str] = ()) -> OpenProject:
    """Make or find the snapshot and the environment; raises what those raise."""
    checkout = materialise(loaded, cache)
    environment = ensure_environment(loaded, cache)
    layout = loaded.definition.layout
    runtime_project = RuntimeProject(
        name=loaded.definition.project.name,
        base=checkout.folder,
        prefix=environment.prefix,
        interpreter_mounts=tuple(Mount(folder, str(folder)) for folder in environment.mounts),
        root=environment.root,
        production_roots=layout.production_roots,
        import_paths=layout.import_paths,
        test_roots=layout.test_roots,
        environment=loaded.definition.runtime.environment,
        preload=tuple(preload),
        limits=loaded.definition.limits,
    )
    return OpenProject(loaded, checkout.tree_hash, environment, runtime_project, checkout.notes)


def runtime_of(framework: str) -> Runtime:
    """The room of a framework, by its entry point; raises `UserError` for one that is not installed."""
    for entry in entry_points(group="testmark.runtimes"):
        if entry.name == framework:
            runtime: Runtime = entry.load()
            return runtime
    known = ", ".join(sorted(entry.name for entry in entry_points(group="testmark.runtimes")))
    raise UserError(f"no runtime for the framework `{framework}`; installed: {known}")
