"""A project's own virtual environment: made once, found again by what it was made from.

The project itself is never installed, only what it depends on. So that `importlib.metadata` and entry points still
work, the environment holds a `.dist-info` with the project's name, version and entry points, and no code.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from testmark.errors import InfraError, UserError
from testmark.projects.checkout import materialise
from testmark.projects.interpreter import find_interpreter
from testmark.projects.makers import HostMaker, Maker, RootMaker
from testmark.projects.metadata import ProjectMetadata, read_metadata
from testmark.projects.pip import explain_failure
from testmark.projects.store import locked, remove_tree, write_atomically
from testmark.sandbox.roots import load_root

if TYPE_CHECKING:
    from testmark.projects.load import LoadedDefinition

_FORMAT = 1


@dataclass(frozen=True)
class Environment:
    """Where a project's tests run."""

    prefix: Path
    """The virtual environment; made in a root it runs only there, shown at `makers.SHOWN_AT`."""
    version: str
    """As in `3.11.7`."""
    lock: tuple[str, ...]
    """All that is installed, as `name==version`, sorted."""
    mounts: tuple[Path, ...]
    """Folders that must be visible, read-only and under the same path, for its Python to start."""
    root: Path | None
    """The Debian root that stands in for the host."""

    @property
    def python(self) -> Path:
        """Its Python; that of a root starts only there."""
        return self.prefix / "bin" / "python"


def ensure_environment(loaded: LoadedDefinition, cache: Path) -> Environment:
    """Find or make the environment; with a whole one in the cache nothing is fetched.

    A half-made or damaged one is made again. Raises `UserError` when the dependencies cannot be had as written,
    `InfraError` when the index cannot be reached or the disk is full, `ToolMissingError` without the interpreter.
    """
    maker = _maker(loaded, cache)
    metadata = read_metadata(materialise(loaded, cache).folder)
    name = metadata.name or loaded.definition.project.name
    version = metadata.version or loaded.definition.source.version or "0"
    key = {
        "format": _FORMAT,
        "interpreter": maker.identity,
        "requirements": _requirements_text(loaded),
        "project": [name, version, metadata.entry_points],
    }
    prefix = cache / "environments" / hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:32]
    with locked(prefix):
        lock = _whole(prefix, maker)
        if lock is None:
            lock = _make(loaded, prefix, maker, metadata, (name, version))
    # Scripts of an environment made on the host name its own path.
    own = () if maker.root is not None else (prefix,)
    return Environment(prefix, maker.version, lock, (*maker.folders, *own), maker.root)


def _maker(loaded: LoadedDefinition, cache: Path) -> Maker:
    """The Python of the root that the definition names, else one of the host."""
    runtime = loaded.definition.runtime
    if runtime.root is None:
        return HostMaker(find_interpreter(runtime.python, loaded.folder, where=loaded.where("runtime", "python")))
    where = loaded.where("runtime", "root")
    is_path = "/" in runtime.root or runtime.root.endswith(".toml")
    try:
        definition = load_root(str(loaded.folder / runtime.root) if is_path else runtime.root)
    except UserError as error:
        raise UserError(f"{where}: {error}") from error
    maker = RootMaker(definition, cache)
    if not f"{maker.version}.".startswith(f"{runtime.python}."):
        raise UserError(
            f"{loaded.where('runtime', 'python')}: `python` is {runtime.python}, but the root {definition.name} has "
            f"{maker.version}; correct one of them"
        )
    return maker


def _requirements_text(loaded: LoadedDefinition) -> str:
    runtime = loaded.definition.runtime
    if runtime.lock is not None:
        return (loaded.folder / runtime.lock).read_text(encoding="utf-8")
    if not runtime.dependencies:
        raise UserError(
            f'{loaded.where("runtime")}: [runtime] names no dependencies; write at least `dependencies = ["behave"]`'
        )
    return "".join(f"{line}\n" for line in runtime.dependencies)


def _make(
    loaded: LoadedDefinition,
    prefix: Path,
    maker: Maker,
    metadata: ProjectMetadata,
    identity: tuple[str, str],
) -> tuple[str, ...]:
    runtime = loaded.definition.runtime
    where = loaded.where("runtime", "lock" if runtime.lock is not None else "dependencies")
    try:
        maker.make(prefix)
        requirements = prefix / "requirements.in"
        requirements.write_text(_requirements_text(loaded), encoding="utf-8")
        options = ["--require-hashes"] if runtime.lock is not None else ["--prefer-binary"]
        _install(maker, prefix, where, *options, "--requirement", f"{maker.inside(prefix)}/{requirements.name}")
        site = _site_packages(prefix)
        lock = _installed(site)
        if not any(_canonical(line.partition("==")[0]) == "behave" for line in lock):
            _refuse_without_behave(where)
        _write_dist_info(site, *identity, metadata)
        _write_scripts(prefix, maker.inside(prefix), metadata)
        write_atomically(prefix / "resolved.lock", "".join(f"{line}\n" for line in lock).encode())
        marker = {"lock": lock, "fingerprint": _fingerprint(prefix)}
        write_atomically(prefix / "environment.json", json.dumps(marker).encode())
    except OSError as error:
        remove_tree(prefix)
        raise InfraError(f"the environment {prefix} cannot be written: {error.strerror}") from error
    except BaseException:
        remove_tree(prefix)
        raise
    return lock


def _install(maker: Maker, prefix: Path, where: str, *arguments: str) -> None:
    failed, output = maker.pip(prefix, "install", *arguments)
    if failed:
        raise explain_failure(output, where, "installing the dependencies")


def _whole(prefix: Path, maker: Maker) -> tuple[str, ...] | None:
    """The lock of a finished environment in which no file is missing or has another size, and whose Python starts."""
    try:
        marker = json.loads((prefix / "environment.json").read_text(encoding="utf-8"))
        lock, fingerprint = tuple(marker["lock"]), marker["fingerprint"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return lock if _fingerprint(prefix) == fingerprint and maker.starts(prefix) else None


def _fingerprint(prefix: Path) -> str:
    """A hash over the paths, kinds and sizes of all files but byte code and our own marker."""
    lines = []
    for folder, names, files in os.walk(prefix):
        names[:] = sorted(name for name in names if name != "__pycache__")
        for name in sorted(files):
            path = Path(folder, name)
            if name != "environment.json" and not name.endswith(".part"):
                lines.append(f"{path.relative_to(prefix)} {path.is_symlink()} {path.lstat().st_size}")
    return hashlib.sha256("\n".join(sorted(lines)).encode("utf-8", "surrogateescape")).hexdigest()


def _installed(site: Path) -> tuple[str, ...]:
    found = {(dist.metadata["Name"], dist.version) for dist in importlib.metadata.distributions(path=[str(site)])}
    return tuple(sorted((f"{name}=={version}" for name, version in found), key=str.lower))


def _refuse_without_behave(where: str) -> None:
    raise UserError(f"{where}: behave is not among what is installed; add `behave` to it")


def _site_packages(prefix: Path) -> Path:
    return next(prefix.glob("lib/python3*/site-packages"))


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _write_dist_info(site: Path, name: str, version: str, metadata: ProjectMetadata) -> None:
    """A `.dist-info` without code; one of the same name that a dependency brought is left alone."""
    if any(
        _canonical(path.name.rpartition("-")[0]) == _canonical(name)
        for path in (p.with_suffix("") for p in site.glob("*.dist-info"))
    ):
        return
    folder = site / f"{re.sub(r'[^A-Za-z0-9.]+', '_', name)}-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    (folder / "INSTALLER").write_text("testmark\n", encoding="utf-8")
    lines = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in sorted(points.items()))
        for group, points in sorted(metadata.entry_points.items())
    ]
    if lines:
        (folder / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    (folder / "RECORD").write_text(
        "".join(f"{folder.name}/{path.name},,\n" for path in sorted(folder.iterdir())), encoding="utf-8"
    )


def _write_scripts(prefix: Path, inside: str, metadata: ProjectMetadata) -> None:
    """The project's commands, as installing it would give: they find the project on the module search path."""
    for name, target in metadata.entry_points.get("console_scripts", {}).items():
        module, _, attribute = target.partition("[")[0].strip().partition(":")
        script = prefix / "bin" / name
        if not re.fullmatch(r"[\w.-]+", name) or not re.fullmatch(r"[\w.]+", module + attribute) or script.exists():
            continue
        call = f"{attribute.split('.')[0]}{attribute[len(attribute.split('.')[0]) :]}()" if attribute else "None"
        text = (
            f"#!{inside}/bin/python\nimport sys\n\nfrom {module} import {attribute.split('.')[0]}\n\nsys.exit({call})\n"
        )
        script.write_text(text, encoding="utf-8")
        script.chmod(0o755)
