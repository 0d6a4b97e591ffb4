"""What an agent works in: a repository of two commits, with the old test file or none, and no later history."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from testmark.engine.files import owned
from testmark.errors import InfraError
from testmark.leaks.contents import Contents
from testmark.leaks.found import Finding
from testmark.leaks.walk import walk
from testmark.records.builds import BuiltModule
from testmark.records.evokit import EvoKit
from testmark.records.slugs import slug
from testmark.testevo.bench import EvoBench, Selection, open_bench
from testmark.testevo.leak_answers import TEST, Answers
from testmark.testevo.prompts import task_prompt

TASK_FILE = "TASK.md"
_BUILT = "target"
_CODE = (".java", ".kt", ".groovy", ".scala")
"""What the build reads, as it does poms: with an older text in its place it might fail."""
_PERSON = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "testmark"), ("EMAIL", "testmark@localhost"), ("DATE", "2000-01-01T00:00:00+0000"))
}


def write_workspace(bench: EvoBench, task_id: str, folder: Path, cache: Path) -> None:
    """Lay out one task in `folder`, which must not exist.

    The new commit has the new production code and the test file of the old revision, at its new place; in the track of
    generation what of that file is new is not there, and a new file is absent. A document that quotes the developer's
    test, a change log say, is there as the old revision has it.
    """
    kit, view = bench.kit(task_id), bench.view(task_id)
    folder.mkdir(parents=True)
    _git(folder, "init", "--quiet", "--initial-branch=main", "--template=")
    old = bench.files(kit.old, cache)
    _lay(old, folder, kit.old.build.modules)
    _commit(folder, "old")
    _clear(folder)
    _lay(bench.files(kit.new, cache), folder, kit.new.build.modules)
    _put_old_test(kit, folder)
    _put_old_documents(kit, folder, old)
    _commit(folder, "new")
    (folder / TASK_FILE).write_text(task_prompt(view), encoding="utf-8")


def prepare(bench_folder: Path, out: Path, selection: Selection, cache: Path) -> int:
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
            write_workspace(bench, row.task_id, part, cache)
            part.rename(place)
    return len(chosen)


def _put_old_test(kit: EvoKit, folder: Path) -> None:
    place = folder / kit.test_file
    place.unlink(missing_ok=True)
    if kit.old_text is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(kit.old_text, encoding="utf-8", newline="")


def _put_old_documents(kit: EvoKit, folder: Path, old: Path) -> None:
    contents = Contents(Answers([kit]))
    for entry in list(walk(folder, own_history=(".git",))):
        if isinstance(entry, Finding) or entry.path.suffix in _CODE or entry.path.name == "pom.xml":
            continue
        data = contents.read(entry.relative, entry.path)
        if data is not None and any(found.kind == TEST for found in contents.search(entry.relative, data)):
            entry.path.unlink()
            if (old / entry.relative).is_file():
                shutil.copy(old / entry.relative, entry.path)


def _lay(tree: Path, folder: Path, modules: Sequence[BuiltModule]) -> None:
    """The sources of a built tree: what the build made of them holds the compiled reference."""
    made = {tree / path for path in built_folders(tree, modules)}

    def ignore(place: str, names: list[str]) -> list[str]:
        return [name for name in names if Path(place, name) in made or (Path(place) == tree and name == ".git")]

    shutil.copytree(tree, folder, symlinks=True, dirs_exist_ok=True, ignore=ignore)


def built_folders(tree: Path, modules: Sequence[BuiltModule]) -> frozenset[str]:
    """Folders that builds make, as far as they are there, by their paths: `target` beside each pom, and a module's own.

    A module may be built elsewhere; the folder around its classes is then its build's, unless its sources are in there.
    """
    found = {pom.parent / _BUILT for pom in tree.rglob("pom.xml")}
    for module in modules:
        classes, test_classes = tree / module.classes, tree / module.test_classes
        found |= {classes, test_classes}
        around = classes.parent
        sources = [tree / module.path, tree / module.main_root, tree / module.test_root]
        if around == test_classes.parent and not any(source.is_relative_to(around) for source in sources):
            found.add(around)
    return frozenset(place.relative_to(tree).as_posix() for place in found if place.is_dir() and place != tree)


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
