"""`check-leaks`: proves that what agents of a benchmark can see holds nothing that is hidden from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from testmark.engine.cache import default_cache
from testmark.errors import TaskError
from testmark.records.kit import KitInstance, View
from testmark.req2test.bench import Bench, open_bench
from testmark.req2test.leaks import HiddenBody, Leak, Needles, check_tree, hidden_body
from testmark.req2test.runtime import open_project
from testmark.source.python import Declaration, declaration_at, declarations, module_name, read_source


def check_leaks(bench_folder: Path, *, cache: Path | None = None) -> list[Leak]:
    """All leaks of a benchmark's views and of the project's environment; empty when there are none."""
    bench = open_bench(bench_folder)
    instances = [bench.kit(row.instance_id) for row in bench.rows("full")]
    leaks: list[Leak] = []
    shared = Needles(hidden_bodies(bench, instances))
    leaks += check_tree(bench.folder / "kit/project", shared, label="project/", skip=_production(bench))
    for instance in instances:
        leaks += check_view(bench, instance, bench.view(instance.instance_id))
    leaks += check_environment(bench, shared, cache or default_cache())
    return list(dict.fromkeys(leaks))


def hidden_bodies(bench: Bench, instances: Iterable[KitInstance]) -> list[HiddenBody]:
    """What any of the instances hides, each function with its class: others may say the same in their own."""
    known: dict[str, tuple[Declaration, ...]] = {}
    bodies: dict[str, HiddenBody | None] = {}
    for file in (file for instance in instances for file in instance.hidden):
        if file.path in bodies:
            continue
        path, _, line = file.path.rpartition(":")
        if path not in known:
            known[path] = _declarations(bench, path, read_source(bench.folder / "kit/project" / path))
        original = declaration_at(known[path], int(line))
        bodies[file.path] = hidden_body(file.path, file.content, original.qualname if original is not None else "")
    return [body for body in bodies.values() if body is not None]


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
    shown = {
        file.path: _declarations(bench, file.path, file.content) for file in view.files if file.path.endswith(".py")
    }
    for hidden in instance.hidden:
        path, _, line = hidden.path.rpartition(":")
        source = read_source(bench.folder / "kit/project" / path)
        original = declaration_at(_declarations(bench, path, source), int(line))
        # Other functions may have the very same body, so the function itself is looked at and not the text.
        same = [
            d
            for d in shown.get(path, ())
            if original is not None and (d.key, d.generic) == (original.key, original.generic)
        ]
        if not same or any(declaration.has_code_to_hide for declaration in same):
            leaks.append(Leak("hidden body", label + path, f"the function at line {line} is not hidden"))
    leaks += [
        Leak("reference step", label + path, "the view holds the reference test")
        for path in instance.reference_files
        if path not in view.removed
    ]
    return leaks + _reference_copies(bench, instance, view)


def _declarations(bench: Bench, path: str, text: str) -> tuple[Declaration, ...]:
    return declarations(path, text, module_name(path, bench.project.definition.layout.import_paths))


def _reference_copies(bench: Bench, instance: KitInstance, view: View) -> list[Leak]:
    """Step definitions of the reference that stand in another test file of the view as well."""
    base = bench.folder / "kit/project"
    texts = [(path, _test_text(base / path)) for path in instance.reference_files]
    needles = Needles((), texts)
    leaks = []
    for path in (*bench.project.step_files, *bench.project.support_files):
        if path in view.removed or not path.endswith(".py"):
            continue
        text = _test_text(base / path)
        leaks += [Leak(kind, f"{instance.instance_id}: {path}", detail) for kind, detail in needles.in_text(text)]
    return leaks


def _test_text(path: Path) -> str:
    """A test file's text; one that cannot be decoded is still searched for what can be read of it."""
    try:
        return read_source(path)
    except TaskError:
        return path.read_text(encoding="utf-8", errors="replace")


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
