"""`check-leaks`: proves that what agents of a benchmark can see holds nothing that is hidden from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from testmark.engine.cache import default_cache
from testmark.records.kit import KitInstance, View
from testmark.req2test.bench import Bench, open_bench
from testmark.req2test.leaks import HiddenBody, Leak, Needles, check_file, check_tree, hidden_body
from testmark.req2test.runtime import open_project


def check_leaks(bench_folder: Path, *, cache: Path | None = None) -> list[Leak]:
    """All leaks of a benchmark's views and of the project's environment; empty when there are none."""
    bench = open_bench(bench_folder)
    instances = [bench.kit(row.instance_id) for row in bench.rows("full")]
    leaks: list[Leak] = []
    shared = Needles(_bodies(instances))
    leaks += check_tree(bench.folder / "kit/project", shared, label="project/", skip=_production(bench))
    for instance in instances:
        leaks += check_view(bench, instance, bench.view(instance.instance_id))
    leaks += check_environment(bench, shared, cache or default_cache())
    return list(dict.fromkeys(leaks))


def _bodies(instances: Iterable[KitInstance]) -> list[HiddenBody]:
    found = (hidden_body(file.path, file.content) for instance in instances for file in instance.hidden)
    return [body for body in found if body is not None]


def _production(bench: Bench) -> Callable[[str], bool]:
    """Whether a path is production code: its own text is compared view by view, not searched."""
    roots = tuple(root.rstrip("/") for root in bench.project.definition.layout.production_roots)

    def inside(path: str) -> bool:
        return path.endswith(".py") and any(path == root or path.startswith(root + "/") for root in roots)

    return inside


def check_view(bench: Bench, instance: KitInstance, view: View) -> list[Leak]:
    """Leaks of one view: hidden functions that are not hidden, reference files that are still there, in copies too."""
    leaks = []
    label = f"{instance.instance_id}: "
    needles = Needles(_bodies([instance]))
    shown = {file.path for file in view.files}
    for file in view.files:
        leaks += [
            Leak(kind, label + file.path, detail)
            for kind, detail in check_file(file.path, file.content.encode("utf-8", "surrogateescape"), needles)
        ]
    for hidden in instance.hidden:
        path = hidden.path.rpartition(":")[0]
        if path not in shown:
            leaks.append(Leak("hidden body", label + path, "the view shows this file as it is"))
    for path in instance.reference_files:
        if path not in view.removed:
            leaks.append(Leak("reference step", label + path, "the view holds the reference test"))
    return leaks + _reference_copies(bench, instance, view)


def _reference_copies(bench: Bench, instance: KitInstance, view: View) -> list[Leak]:
    """Step definitions of the reference that stand in another test file of the view as well."""
    base = bench.folder / "kit/project"
    texts = [(path, (base / path).read_text(encoding="utf-8", errors="replace")) for path in instance.reference_files]
    needles = Needles((), texts)
    leaks = []
    for path in (*bench.project.step_files, *bench.project.support_files):
        if path in view.removed or not path.endswith(".py"):
            continue
        text = (base / path).read_text(encoding="utf-8", errors="replace")
        leaks += [Leak(kind, f"{instance.instance_id}: {path}", detail) for kind, detail in needles.in_text(text)]
    return leaks


def check_environment(bench: Bench, needles: Needles, cache: Path) -> list[Leak]:
    """Leaks of the environment that agents get with their workspace: installed copies, and ways to a checkout."""
    environment = open_project(bench.definition(), cache).environment
    leaks = []
    for site in sorted(environment.prefix.glob("lib*/python*/site-packages")):
        for name in bench.project.production_modules:
            leaks += [
                Leak("installed copy", f"environment/{place.name}", f"the module {name} is installed")
                for place in (site / name, site / f"{name}.py")
                if place.exists() and not bench_has_namespace(bench, name)
            ]
        for pattern in ("*.egg-link", "__editable__*", "*.dist-info/direct_url.json"):
            leaks += [
                Leak("editable install", f"environment/{place.relative_to(site)}", "points at a checkout")
                for place in sorted(site.glob(pattern))
            ]
        leaks += check_tree(
            site,
            needles,
            label="environment/",
            skip=lambda path: not path.endswith((".py", ".pyc", ".whl", ".zip", ".egg")),
        )
    return leaks


def bench_has_namespace(bench: Bench, name: str) -> bool:
    """Whether the project's package is a namespace that installed packages may share."""
    base = bench.folder / "kit/project"
    paths = bench.project.definition.layout.import_paths or ("",)
    return any((base / path / name).is_dir() and not (base / path / name / "__init__.py").exists() for path in paths)
