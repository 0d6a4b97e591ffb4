"""`check-leaks`: proves that no workspace of a benchmark holds the developers' tests, what is made of them, or history.

Each task is laid out as `prepare` does, and looked through. What the older commit says already is no secret: a test
that was moved there from another class, say.
"""

from __future__ import annotations

import posixpath
import shutil
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from testmark.engine.cache import default_cache
from testmark.leaks.contents import Contents
from testmark.leaks.found import Finding, Leak
from testmark.leaks.walk import walk
from testmark.records.evokit import EvoKit, KitSide
from testmark.sandbox.scratch import scratch_folder
from testmark.testevo.bench import open_bench
from testmark.testevo.leak_answers import BYTE_CODE, TEST, Answers, strongest
from testmark.testevo.leak_history import check_history, old_contents
from testmark.testevo.workspace import write_workspace

_OLDER = "HEAD~1:"
_REPORTS = frozenset({"surefire-reports", "failsafe-reports"})


def check_leaks(bench_folder: Path, *, cache: Path | None = None) -> list[Leak]:
    """All leaks of a benchmark's workspaces and of the store that agents get with them; empty when there are none."""
    bench = open_bench(bench_folder)
    place = cache or default_cache()
    kits = [bench.kit(name) for name in bench.names()]
    checker = WorkspaceChecker(kits)
    leaks: list[Leak] = []
    with scratch_folder("testmark-leaks-") as scratch:
        for kit in kits:
            folder = scratch / "workspace"
            write_workspace(bench, kit.task_id, folder, place)
            leaks += checker.check(folder, kit)
            shutil.rmtree(folder)
    if kits:
        leaks += checker.check_store(bench.store(place), kits)
    return list(dict.fromkeys(leaks))


class WorkspaceChecker:
    """Looks through workspaces of one benchmark; what they have in common is searched once."""

    def __init__(self, kits: Sequence[EvoKit]) -> None:
        self._contents = Contents(Answers(kits))

    @property
    def notes(self) -> list[str]:
        """What could not be looked into."""
        return self._contents.notes

    def check(self, folder: Path, kit: EvoKit) -> list[Leak]:
        """Leaks of one task's workspace."""
        findings = list(check_history(folder))
        known: set[tuple[str, str]] = set()
        paths: list[str] = []
        for path, data in old_contents(folder):
            paths.append(path)
            for found in self._contents.search(path, data):
                if found.kind not in {TEST, BYTE_CODE}:
                    findings.append(replace(found, path=f"{_OLDER}{path}"))
                elif found.owner == kit.task_id:
                    known.add((found.kind, found.detail))
        findings += _by_place(paths, kit.old, _OLDER)
        paths.clear()
        for entry in walk(folder, own_history=(".git",)):
            if isinstance(entry, Finding):
                findings.append(entry)
                continue
            paths.append(entry.relative)
            data_now = self._contents.read(entry.relative, entry.path)
            findings += self._contents.search(entry.relative, data_now) if data_now is not None else ()
        findings += _by_place(paths, kit.new)
        own = [one for one in findings if one.belongs_to({kit.task_id}) and (one.kind, one.detail) not in known]
        return [found.leak(f"{kit.task_id}: ") for found in strongest(own)]

    def check_store(self, store: Path, kits: Sequence[EvoKit]) -> list[Leak]:
        """Leaks of the offline store: jars that hold the tests themselves, compiled or as source."""
        outer = {target.test_class.replace(".", "/").split("$")[0] for kit in kits for target in kit.targets}
        leaks = []
        for jar in sorted(store.rglob("*.jar")):
            for name, data in _members_of(jar, outer):
                leaks += [
                    Leak(found.kind, f"store/{jar.relative_to(store).as_posix()}", f"{found.detail}, in {name}")
                    for found in self._contents.search(name, data)
                ]
        return leaks


def _members_of(jar: Path, outer: set[str]) -> Iterator[tuple[str, bytes]]:
    """Files of a jar that belong to one of these classes, by their names."""
    if not zipfile.is_zipfile(jar):
        return
    with zipfile.ZipFile(jar) as archive:
        for name in archive.namelist():
            stem, _, ending = name.rpartition(".")
            if ending in {"class", "java"} and stem.split("$")[0] in outer:
                yield name, archive.read(name)


def _by_place(paths: Sequence[str], side: KitSide, label: str = "") -> Iterator[Finding]:
    """Files that are where only builds and runs put them."""
    poms = {posixpath.dirname(path) for path in paths if posixpath.basename(path) == "pom.xml"}
    made = {posixpath.join(folder, "target") for folder in poms}
    made |= {place for module in side.build.modules for place in (module.classes, module.test_classes)}
    for path in paths:
        parts = path.split("/")[:-1]
        if _REPORTS & set(parts):
            yield Finding("test report", label + path, "a report of Surefire")
        elif any(path.startswith(f"{folder}/") for folder in made):
            yield Finding("build output", label + path, "made by a build")
