"""From a definition's `[source]` to a snapshot on disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from testmark.errors import UserError
from testmark.projects import snapshot
from testmark.projects.archive import unpack
from testmark.projects.gitsource import export_commit
from testmark.projects.load import check_layout
from testmark.projects.sdist import download_sdist
from testmark.projects.store import locked, publish

if TYPE_CHECKING:
    from testmark.projects.load import LoadedDefinition


_FILE_BYTES = 256 << 20


@dataclass(frozen=True)
class Checkout:
    """A project's files as they are measured: never changed, only copied or mounted read-only."""

    folder: Path
    tree_hash: str
    """SHA-256 over the files; what results are keyed by."""
    notes: tuple[str, ...] = ()
    """One sentence each on files that were left out and on submodules."""


def materialise(loaded: LoadedDefinition, cache: Path) -> Checkout:
    """Make the snapshot of a project, or find it in the cache.

    A snapshot in the cache that was changed by someone is made again. Raises `UserError` when the source or a folder of
    `[layout]` does not exist, `InfraError` when it cannot be fetched or written, `ToolMissingError` without git or pip.
    """
    source = loaded.definition.source
    root, notes = _raw_source(loaded, cache)
    exclude = [*loaded.definition.layout.exclude, *_own_files(loaded, root)]
    selection = snapshot.select(root, exclude=exclude, keep_egg_info=source.pypi is not None)
    if not selection.entries:
        raise UserError(f"{loaded.where('source')}: the source holds no files; correct [source] or `exclude`")
    _check_sizes(loaded, root, selection)
    digest = snapshot.tree_hash(root, selection)
    final = cache / "checkouts" / digest
    with locked(final):
        if not (final.is_dir() and _intact(final, digest)):
            publish(final, lambda part: snapshot.copy(root, selection, part))
    check_layout(loaded, final)
    return Checkout(folder=final, tree_hash=digest, notes=(*notes, *selection.notes))


def _check_sizes(loaded: LoadedDefinition, root: Path, selection: snapshot.Selection) -> None:
    """Every cold run and every workspace has a copy of its own of each file."""
    for entry in selection.entries:
        size = 0 if entry.link is not None else (root / entry.path).stat().st_size
        if size > _FILE_BYTES:
            raise UserError(
                f"{loaded.where('layout')}: {entry.path} has {size >> 20} MiB, and a file may have "
                f'{_FILE_BYTES >> 20} MiB; leave it out with `exclude = ["{entry.path}"]` in [layout]'
            )


def _raw_source(loaded: LoadedDefinition, cache: Path) -> tuple[Path, tuple[str, ...]]:
    """The folder that the snapshot is taken from, and notes."""
    source = loaded.definition.source
    if source.path is not None:
        return (loaded.folder / source.path).resolve(), ()
    if source.git is not None and source.commit is not None:
        url = source.git
        if "://" not in url and (loaded.folder / url).exists():
            url = str((loaded.folder / url).resolve())
        return export_commit(url, source.commit, cache, where=loaded.where("source", "git"))
    if source.pypi is None or source.version is None or source.sha256 is None:
        raise UserError(f"{loaded.where('source')}: [source] needs `path`, `git` or `pypi`")
    archive = download_sdist(source.pypi, source.version, source.sha256, cache, where=loaded.where("source", "pypi"))
    raw = cache / "sources" / f"sdist-{source.sha256}"
    with locked(raw):
        if not raw.is_dir():
            publish(raw, lambda part: unpack(archive, part))
    return raw, ()


def _own_files(loaded: LoadedDefinition, root: Path) -> list[str]:
    """The definition itself: changing a cap in it does not change the project."""
    if loaded.path is None or not loaded.path.resolve().is_relative_to(root):
        return []
    relative = loaded.path.resolve().relative_to(root).as_posix()
    return ["".join(f"[{char}]" if char in "*?[" else char for char in relative)]


def _intact(folder: Path, digest: str) -> bool:
    selection = snapshot.select(folder, keep_egg_info=True)
    return snapshot.tree_hash(folder, selection) == digest
