"""Reading predictions: JSONL, or the object keyed by identifier of mini-swe-agent; every fault with its line."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from testmark.errors import UserError
from testmark.records.results import AgentRun, Prediction

LINE_BYTES = 64 << 20
"""A line longer than this is no prediction."""
OBJECT_BYTES = 256 << 20
"""One JSON object is read at once, so it must not be as large as a file of lines may be."""
FILE_NAME = "predictions.jsonl"


@dataclass(frozen=True)
class PredictionSet:
    """The predictions of one agent and model, by instance."""

    path: Path
    predictions: dict[str, Prediction]
    model: str
    """`model_name_or_path` of all of them; empty when there are none."""
    lines: dict[str, int]

    def check_ids(self, known: Sequence[str]) -> None:
        """Raise `UserError` for a prediction of an instance that the benchmark does not have."""
        ids = set(known)
        for name, line in self.lines.items():
            if name not in ids:
                close = difflib.get_close_matches(name, known, n=1)
                hint = f"; did you mean `{close[0]}`?" if close else ""
                raise UserError(f"{self.path}:{line}: the benchmark has no instance `{name}`{hint}")


def read_predictions(path: Path) -> PredictionSet:
    """Read a predictions file, or a run folder's; raises `UserError` naming file, line and remedy."""
    place = path / FILE_NAME if path.is_dir() else path
    if not place.is_file():
        if holds_agent_run(path):
            raise UserError(f"{path}: the run was stopped before its end; finish it with the same `run`")
        raise UserError(f"{place}: {_what_is_there(place)}; give a {FILE_NAME}, a preds.json or a run folder")
    found: dict[str, Prediction] = {}
    lines: dict[str, int] = {}
    model: tuple[str, int] | None = None
    for line, value in _values(place):
        prediction = _prediction(place, line, value)
        name = prediction.instance_id
        if name in found:
            raise UserError(f"{place}:{line}: `{name}` was predicted in line {lines[name]} already; keep one of them")
        if model is not None and prediction.model_name_or_path != model[0]:
            raise UserError(
                f"{place}:{line}: the model is `{prediction.model_name_or_path}`, "
                f"in line {model[1]} it was `{model[0]}`; "
                "one file holds one run: split it"
            )
        model = model or (prediction.model_name_or_path, line)
        found[name], lines[name] = prediction, line
    return PredictionSet(place, found, model[0] if model else "", lines)


def _what_is_there(place: Path) -> str:
    if place.is_symlink() and not place.exists():
        return "is a link that leads nowhere"
    return "is no regular file" if place.exists() else "there is no such file"


def _values(place: Path) -> Iterator[tuple[int, Any]]:
    """Each prediction's JSON value with its line."""
    keyed = _keyed_object(place)
    if keyed is not None:
        yield from keyed
        return
    for number, data in _lines(place):
        if data.strip():
            yield number, _parse(place, number, data)


def _lines(place: Path) -> Iterator[tuple[int, bytes]]:
    with place.open("rb") as handle:
        number = 0
        while data := handle.readline(LINE_BYTES + 1):
            number += 1
            if len(data) > LINE_BYTES:
                raise UserError(
                    f"{place}:{number}: is longer than {LINE_BYTES >> 20} MiB; a prediction holds test files only"
                )
            yield number, data.removeprefix(b"\xef\xbb\xbf") if number == 1 else data


def _keyed_object(place: Path) -> list[tuple[int, Any]] | None:
    """The values of one JSON object keyed by identifier; None when the file is JSONL."""
    with place.open("rb") as handle:
        head = handle.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not head.startswith(b"{"):
        return None
    first = head.split(b"\n", 1)[0].strip()
    if first != b"{" and not _is_nested_object(first) and place.suffix != ".json":
        return None
    if place.stat().st_size > OBJECT_BYTES:
        raise UserError(
            f"{place}: is too large for one JSON object (over {OBJECT_BYTES >> 20} MiB); write one prediction a line"
        )
    text = _decode(place, 1, place.read_bytes())
    try:
        value = _loads(text)
    except ValueError as error:
        if place.suffix == ".json":
            line = getattr(error, "lineno", 1)
            raise UserError(f"{place}:{line}: is not JSON that can be used ({error}); write it anew") from error
        return None
    if "instance_id" in value or "task_id" in value:
        return None
    found = []
    for name, entry in value.items():
        line = text.count("\n", 0, max(text.find(json.dumps(name)), 0)) + 1
        if not isinstance(entry, dict):
            raise UserError(
                f"{place}:{line}: the entry of `{name}` is no object; it needs `model_name_or_path` and `model_patch`"
            )
        found.append((line, {"instance_id": name, **entry}))
    return found


def _is_nested_object(first: bytes) -> bool:
    """Whether a line begins like `{"id": {`: an object of objects."""
    key, colon, rest = first[1:].lstrip().partition(b":")
    return bool(colon) and key.strip().startswith(b'"') and rest.lstrip().startswith(b"{")


def _decode(place: Path, line: int, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = line + data.count(b"\n", 0, error.start)
        raise UserError(f"{place}:{at}: is not UTF-8 ({error.reason}); save the file as UTF-8") from error


def _parse(place: Path, line: int, data: bytes) -> Any:  # noqa: ANN401 - any JSON value
    text = _decode(place, line, data)
    try:
        return _loads(text)
    except ValueError as error:
        raise UserError(
            f"{place}:{line}: is not JSON that can be used ({error}); write one JSON object a line"
        ) from error


def _loads(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """The value of a JSON text; `ValueError` also for what `json` would take by leaving something out."""
    try:
        return json.loads(text, object_pairs_hook=_each_key_once)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for number, name in enumerate(names) if name in names[:number])
        raise ValueError(f"the key `{twice}` stands twice in one object")
    return found


def _prediction(place: Path, line: int, value: Any) -> Prediction:  # noqa: ANN401
    if not isinstance(value, dict):
        raise UserError(
            f"{place}:{line}: is no JSON object; a prediction has `instance_id`, `model_name_or_path` and `files`"
        )
    known = {name: value[name] for name in Prediction.model_fields if name in value}
    if "task_id" in value:
        # What TestEvo calls it; records have one name for both benchmarks.
        known.setdefault("instance_id", value["task_id"])
    try:
        prediction = Prediction.model_validate_json(json.dumps(known, ensure_ascii=False).encode())
    except UnicodeEncodeError as error:
        raise UserError(
            f"{place}:{line}: holds text that UTF-8 cannot hold ({error.object[error.start]!r}); "
            "leave out what is no text"
        ) from error
    except ValidationError as error:
        raise UserError(f"{place}:{line}: {_sentence(error)}") from error
    except ValueError as error:
        raise UserError(f"{place}:{line}: cannot be read ({error})") from error
    if (prediction.files is None) == (prediction.model_patch is None):
        raise UserError(f"{place}:{line}: give exactly one of `files` and `model_patch`")
    if not prediction.instance_id:
        raise UserError(f"{place}:{line}: `instance_id` is empty")
    return prediction


def _sentence(error: ValidationError) -> str:
    faults = [
        f"`{'.'.join(str(part) for part in fault['loc'])}`: {fault['msg'].lower()}" for fault in error.errors()[:3]
    ]
    return "; ".join(faults)


def predictions_text(predictions: Iterable[Prediction]) -> str:
    """The text of a predictions file; keys that are not given are left out."""
    return "".join(prediction.model_dump_json(exclude_none=True) + "\n" for prediction in predictions)


def holds_agent_run(folder: Path) -> bool:
    """Whether `folder` is what `run` writes, which newcomers take for an evaluation."""
    try:
        AgentRun.from_json((folder / "run.json").read_bytes())
    except (OSError, ValidationError):
        return False
    return True
