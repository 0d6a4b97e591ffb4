"""What an agent works in: a repository of two commits, with the old test file or none, and no later history."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from testmark.engine.files import owned
from testmark.errors import InfraError
from testmark.records.evokit import EvoKit
from testmark.records.slugs import slug
from testmark.runtimes.maven.protocol import Toolchain
from testmark.testevo.bench import EvoBench, Selection, open_bench
from testmark.testevo.prompts import task_prompt

TASK_FILE = "TASK.md"
_BUILT = ("target",)
_PERSON = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "testmark"), ("EMAIL", "testmark@localhost"), ("DATE", "2000-01-01T00:00:00+0000"))
}


def write_workspace(bench: EvoBench, task_id: str, folder: Path, toolchains: Sequence[Toolchain], cache: Path) -> None:
    """Lay out one task in `folder`, which must not exist.

    The new commit has the new production code and the test file of the old revision, at its new place; in the track of
    generation what of that file is new is not there, and a new file is absent.
    """
    kit, view = bench.kit(task_id), bench.view(task_id)
    folder.mkdir(parents=True)
    _git(folder, "init", "--quiet", "--initial-branch=main", "--template=")
    old = bench.tree(kit.old, toolchains, cache).tree
    new = bench.tree(kit.new, toolchains, cache).tree
    _lay(old, folder)
    _commit(folder, "old")
    _clear(folder)
    _lay(new, folder)
    _put_old_test(kit, folder)
    _commit(folder, "new")
    (folder / TASK_FILE).write_text(task_prompt(view), encoding="utf-8")


def prepare(bench_folder: Path, out: Path, selection: Selection, toolchains: Sequence[Toolchain], cache: Path) -> int:
    """Write the workspaces of the selected tasks below `out`, a folder each; those that are there stay."""
    bench = open_bench(bench_folder)
    bench.verify()
    chosen = bench.select(selection)
    with owned(out, "set of workspaces"):
        for _, row in chosen:
            place = out / slug(row.task_id)
            if place.exists():
                continue
            part = out / f".{slug(row.task_id)}.part"
            shutil.rmtree(part, ignore_errors=True)
            write_workspace(bench, row.task_id, part, toolchains, cache)
            part.rename(place)
    return len(chosen)


def _put_old_test(kit: EvoKit, folder: Path) -> None:
    place = folder / kit.test_file
    place.unlink(missing_ok=True)
    if kit.old_text is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(kit.old_text, encoding="utf-8", newline="")


def _lay(tree: Path, folder: Path) -> None:
    """The sources of a built tree: what the build made of them holds the compiled reference."""
    shutil.copytree(tree, folder, symlinks=True, dirs_exist_ok=True, ignore=_without_built(tree))


def _without_built(tree: Path) -> Callable[[str, list[str]], list[str]]:
    def ignore(place: str, names: list[str]) -> list[str]:
        beside_pom = (Path(place) / "pom.xml").is_file()
        return [name for name in names if (beside_pom and name in _BUILT) or (Path(place) == tree and name == ".git")]

    return ignore


def _clear(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name == ".git":
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _commit(folder: Path, message: str) -> None:
    _git(folder, "add", "--all", "--force")
    _git(folder, "commit", "--quiet", "--allow-empty", "--no-verify", "-m", message)


def _git(folder: Path, *arguments: str) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    settings = ("core.autocrlf=false", "core.hooksPath=/dev/null", "commit.gpgsign=false", "gc.auto=0")
    line = ["git", "-C", str(folder), *(word for setting in settings for word in ("-c", setting)), *arguments]
    done = subprocess.run(line, capture_output=True, text=True, check=False, env={**kept, **_PERSON, "LC_ALL": "C"})
    if done.returncode:
        words = done.stderr.strip().splitlines()
        raise InfraError(f"{folder}: git {arguments[0]} failed: {words[-1] if words else done.returncode}")
