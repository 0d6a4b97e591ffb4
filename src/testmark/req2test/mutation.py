"""All mutants of a project, generated once a file and pruned of those that do not compile or change nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from pydantic import ValidationError

from testmark.engine.files import digest, write_text
from testmark.engine.pool import Pool
from testmark.engine.progress import Progress
from testmark.errors import TaskError
from testmark.mutants import apply, generate
from testmark.records.base import Record
from testmark.records.kit import Dropped, Mutant
from testmark.req2test.production import Production
from testmark.runtimes.protocol import Worker

_BATCH = 200


@cache
def engine_version() -> str:
    """A hash of the mutation engine and its tables: what they make is made anew when they change."""
    folder = Path(str(files("testmark.mutants")))
    found = sorted(path for path in folder.rglob("*") if path.suffix in {".py", ".toml"})
    return digest([[path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8")] for path in found])


class FileMutants(Record):
    """The mutants of one production file; kept between builds under the hash of its text and the interpreter."""

    key: str
    kept: tuple[Mutant, ...]
    dropped: tuple[Dropped, ...]


def mutate_project(
    production: Production,
    *,
    stage: Path,
    interpreter: str,
    open_worker: Callable[[], Worker],
    jobs: int,
    quiet: bool,
) -> dict[str, FileMutants]:
    """The pruned mutants of every production file; files whose record under `stage` is current are not done again."""
    keys: dict[str, str] = {}
    unread: dict[str, FileMutants] = {}
    for path in production.paths():
        try:
            keys[path] = digest(path, production.source(path), interpreter, engine_version())
        except TaskError as error:
            unread[path] = _not_parsed("", path, error)
    found = {path: stored for path, key in keys.items() if (stored := _stored(stage, path, key)) is not None}
    todo = [path for path in keys if path not in found]
    with Progress("mutating", len(todo), quiet=quiet) as progress:

        def work(path: str, worker: Worker) -> FileMutants:
            source = production.source(path)
            try:
                mutants = generate(path, source)
            except TaskError as error:
                return _not_parsed(keys[path], path, error)
            return _prune(keys[path], path, source, mutants, worker)

        def done(path: str, made: FileMutants) -> None:
            found[path] = made
            write_text(_place(stage, path), made.to_json())
            progress.step(path)

        pool: Pool[str, FileMutants, Worker] = Pool(jobs, open_worker)
        pool.run(todo, work, done)
    found |= unread
    return {path: found[path] for path in sorted(found)}


def _not_parsed(key: str, path: str, error: TaskError) -> FileMutants:
    gone = Dropped(id=path, kind="mutant", rule="file-not-parsed", detail=str(error))
    return FileMutants(key=key, kept=(), dropped=(gone,))


def _place(stage: Path, path: str) -> Path:
    return stage / f"{digest(path)[:32]}.json"


def _stored(stage: Path, path: str, key: str) -> FileMutants | None:
    try:
        found = FileMutants.from_json(_place(stage, path).read_bytes())
    except (OSError, ValidationError):
        return None
    return found if found.key == key else None


def _prune(key: str, path: str, source: str, mutants: Sequence[Mutant], worker: Worker) -> FileMutants:
    """Leave out mutants whose code does not compile, equals the original's, or equals an earlier mutant's."""
    texts = [(path, source), *((path, apply(source, mutant)) for mutant in mutants)]
    digests: list[str] = []
    for start in range(0, len(texts), _BATCH):
        digests += worker.digests(texts[start : start + _BATCH])
    first_with = {digests[0]: "the original"}
    kept: list[Mutant] = []
    dropped: list[Dropped] = []
    for mutant, code in zip(mutants, digests[1:], strict=True):
        place = f"{path}:{mutant.line}"
        if not code:
            dropped.append(
                Dropped(id=mutant.mutant_id, kind="mutant", rule="invalid", detail=f"{place} does not compile")
            )
        elif code in first_with:
            same = f"{place} has the byte code of {first_with[code]}"
            dropped.append(Dropped(id=mutant.mutant_id, kind="mutant", rule="duplicate", detail=same))
        else:
            first_with[code] = mutant.mutant_id
            kept.append(mutant)
    return FileMutants(key=key, kept=tuple(kept), dropped=tuple(dropped))
