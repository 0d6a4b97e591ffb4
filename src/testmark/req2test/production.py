"""The project's production code as text: declarations by place, and API keys of traced calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from testmark.errors import TaskError
from testmark.runtimes.protocol import Call
from testmark.source.python import Declaration, declaration_at, declarations, module_name, read_source


class Production:
    """Reads each production file at most once."""

    def __init__(self, base: Path, roots: Sequence[str], import_paths: Sequence[str]) -> None:
        self._base = base
        self._roots = tuple(roots)
        self._import_paths = tuple(import_paths)
        self._sources: dict[str, str] = {}
        self._declarations: dict[str, tuple[Declaration, ...]] = {}

    def paths(self) -> list[str]:
        """All production Python files, sorted."""
        found = set()
        for root in self._roots:
            top = self._base / root
            for path in [top] if top.is_file() else top.rglob("*.py"):
                if path.suffix == ".py" and path.is_file() and not path.is_symlink():
                    found.add(path.relative_to(self._base).as_posix())
        return sorted(found)

    def top_level_modules(self) -> tuple[str, ...]:
        """The names that `import` begins with, sorted."""
        return tuple(sorted({module_name(path, self._import_paths).partition(".")[0] for path in self.paths()}))

    def source(self, path: str) -> str:
        """The file's text; raises `TaskError` when it cannot be decoded."""
        if path not in self._sources:
            try:
                self._sources[path] = read_source(self._base / path)
            except TaskError as error:
                # Said of the project's file: where the snapshot is kept tells a reader nothing.
                raise TaskError(str(error).replace(f"{self._base}/", "", 1)) from error
        return self._sources[path]

    def declarations(self, path: str) -> tuple[Declaration, ...]:
        """The file's functions and methods; none for a file that cannot be parsed."""
        if path not in self._declarations:
            try:
                found = declarations(path, self.source(path), module_name(path, self._import_paths))
            except TaskError:
                found = ()
            self._declarations[path] = found
        return self._declarations[path]

    def called(self, calls: Iterable[Call]) -> dict[tuple[str, ...], Declaration]:
        """The public functions among traced calls, by key, in order of key.

        Private names never count. An overload registered with a generic function counts as that function.
        """
        found: dict[tuple[str, ...], Declaration] = {}
        for call in calls:
            known = self.declarations(call.path)
            declaration = declaration_at(known, call.line)
            if declaration is not None and declaration.generic is not None:
                declaration = next((d for d in known if d.qualname == declaration.generic), None)
            if declaration is not None and declaration.public and not declaration.is_nested:
                found[declaration.key] = declaration
        return dict(sorted(found.items()))

    def to_hide(self, targets: Mapping[tuple[str, ...], Declaration]) -> dict[str, list[Declaration]]:
        """By path, the declarations whose bodies a view hides: the targets and the overloads of generic ones."""
        hidden: dict[str, list[Declaration]] = {}
        for target in targets.values():
            for declaration in self.declarations(target.path):
                same = declaration.line == target.line
                overload = declaration.generic is not None and declaration.generic == target.qualname
                if (same or overload) and declaration.has_code_to_hide:
                    hidden.setdefault(target.path, []).append(declaration)
        return hidden
