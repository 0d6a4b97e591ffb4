"""Reading a definition: a `testmark.toml`, a folder that holds one, or the name of one that is shipped."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel, ValidationError

from testmark.errors import UserError
from testmark.projects.tomlmap import KeyPath, line_of, locate_keys
from testmark.records.definition import ProjectDefinition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic_core import ErrorDetails

FILE_NAME = "testmark.toml"
_SHIPPED = Path(__file__).parent / "shipped"


@dataclass(frozen=True)
class LoadedDefinition:
    """A definition and where it came from."""

    definition: ProjectDefinition
    path: Path | None
    """The file it was read from; None when it was made in memory."""
    folder: Path
    """What the relative paths of the definition start from."""
    lines: Mapping[KeyPath, int]
    """The line of each key of the file; empty when there is no file."""

    def where(self, *key: str | int) -> str:
        """`file:line` of a key, for messages."""
        if self.path is None:
            return f"the definition assumed for {self.folder}"
        return f"{self.path}:{line_of(self.lines, key)}"


def shipped_names() -> tuple[str, ...]:
    """The names of the definitions that are part of testmark, sorted."""
    return tuple(sorted(folder.name for folder in _SHIPPED.iterdir() if (folder / FILE_NAME).is_file()))


def find_definition(ref: str | Path) -> Path | None:
    """The file that `ref` means, or None when it is a folder without one.

    A bare name of a shipped definition means that one; `./name` means the folder. Raises `UserError` when `ref` is
    none of the three.
    """
    if isinstance(ref, str) and ref in shipped_names():
        return _SHIPPED / ref / FILE_NAME
    path = Path(ref)
    if path.is_dir():
        return path / FILE_NAME if (path / FILE_NAME).is_file() else None
    if path.is_file():
        return path
    close = get_close_matches(str(ref), shipped_names(), n=1)
    hint = f"did you mean `{close[0]}`?" if close else f"the shipped definitions are: {', '.join(shipped_names())}."
    raise UserError(f"{ref} is neither a file, nor a folder, nor the name of a shipped definition; {hint}")


def load_definition(ref: str | Path) -> LoadedDefinition:
    """Read and check a definition; every fault is one `UserError` with file, line and remedy."""
    path = find_definition(ref)
    if path is None:
        raise UserError(f"{ref} holds no {FILE_NAME}; write one with `req2test init {ref}`")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = path.read_bytes().count(b"\n", 0, error.start) + 1
        raise UserError(f"{path}:{line}: not UTF-8 text; save the file as UTF-8") from error
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error
    definition, lines = parse_definition(text, str(path))
    loaded = LoadedDefinition(definition=definition, path=path, folder=path.resolve().parent, lines=lines)
    _check_paths(loaded)
    return loaded


def parse_definition(text: str, label: str) -> tuple[ProjectDefinition, dict[KeyPath, int]]:
    """The definition in a TOML text and the lines of its keys; `label` names the text in errors."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(_bad_toml(text, label, str(error))) from error
    lines = locate_keys(text)
    try:
        return ProjectDefinition.model_validate_json(json.dumps(data, default=_odd_value), strict=True), lines
    except ValidationError as error:
        faults = sorted(
            ((line_of(lines, fault["loc"]), _sentence(fault, data)) for fault in error.errors()),
            key=lambda pair: pair[0],
        )
        line, sentence = faults[0]
        more = f" ({len(faults) - 1} more after it)" if len(faults) > 1 else ""
        raise UserError(f"{label}:{line}: {sentence}{more}") from error


def _bad_toml(text: str, label: str, message: str) -> str:
    place, line = message, text.count("\n") + (not text.endswith("\n"))
    if "(at line " in message:
        place, _, rest = message.partition(" (at line ")
        line = int(rest.split(",")[0])
    else:
        place = message.partition(" (at ")[0]
    return f"{label}:{line}: not valid TOML: {place[:1].lower()}{place[1:]}; see docs/definition.md for an example"


_DATE = "toml-date-or-time"


def _odd_value(value: object) -> dict[str, str]:
    """TOML's dates and times have no place in a definition: a table of this shape is refused wherever it stands."""
    return {_DATE: str(value)}


_WANTED = {
    "string_type": "a string",
    "tuple_type": "a list",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "bool_type": "true or false",
}
_EXAMPLES = {
    "string_type": 'put it in quotes, as in "{value}"',
    "tuple_type": "put it in brackets, as in [{value}]",
    "int_type": "write it without quotes or a point",
    "int_from_float": "write it without a point",
    "float_type": "write it without quotes",
}


def _sentence(fault: ErrorDetails, data: Mapping[str, Any]) -> str:
    location = fault["loc"]
    kind = fault["type"]
    name = _dotted(location)
    if kind == "extra_forbidden":
        return _unknown_key(location, data)
    if kind == "missing":
        if len(location) == 1:
            return f"the table [{name}] is missing; add it"
        return f"`{location[-1]}` is missing in {_heading(location[:-1])}; add it"
    if kind in _WANTED:
        shown = _shown(fault["input"])
        remedy = _EXAMPLES.get(kind, "").format(value=shown)
        return f"`{name}` must be {_WANTED[kind]}, not {shown}" + (f"; {remedy}" if remedy else "")
    if kind == "value_error":
        return str(fault.get("ctx", {}).get("error", fault["msg"]))
    context = fault.get("ctx", {})
    shown = json.dumps(fault["input"], ensure_ascii=False)
    if kind == "literal_error":
        close = get_close_matches(str(fault["input"]), str(context["expected"]).replace("'", "").split(), n=1)
        hint = f"; did you mean `{close[0]}`?" if close else ""
        return f"`{name}` must be one of {context['expected']}, not {shown}{hint}"
    if kind == "string_pattern_mismatch":
        return f"`{name}` is {shown}, which {_PATTERNS.get(str(location[-1]), 'has characters that may not be in it')}"
    return f"`{name}` is {shown}: {fault['msg'][:1].lower()}{fault['msg'][1:]}"


def _shown(value: object) -> str:
    """A wrong value as it is told in a message."""
    if isinstance(value, dict):
        return f"the date or time {value[_DATE]}" if set(value) == {_DATE} else "a table"
    return json.dumps(value, ensure_ascii=False)


_HEX40 = "is not a commit; write all 40 hexadecimal digits in lower case"
_PATTERNS = {
    "commit": _HEX40,
    "feature_commit": _HEX40,
    "sha256": "is not a SHA-256; write all 64 hexadecimal digits in lower case",
    "name": "is not a name; use letters, digits, `.`, `_` and `-`, and begin with a letter or a digit",
}


def _unknown_key(location: KeyPath, data: Mapping[str, Any]) -> str:
    key = str(location[-1])
    table = _model_at(location[:-1])
    known = tuple(table.model_fields) if table else ()
    where = f" in {_heading(location[:-1])}" if len(location) > 1 else ""
    what = "table" if len(location) == 1 and isinstance(data.get(key), dict | list) else "key"
    close = get_close_matches(key, known, n=1)
    hint = f"did you mean `{close[0]}`?" if close else f"the keys here are {', '.join(known)}"
    return f"unknown {what} `{key}`{where}; {hint}"


def _model_at(location: KeyPath) -> type[BaseModel] | None:
    """The model that describes the table at `location`."""
    model: type[BaseModel] | None = ProjectDefinition
    for part in location:
        if isinstance(part, int) or model is None:
            continue
        annotation = model.model_fields[part].annotation
        options = (annotation, *get_args(annotation))
        model = next((o for o in options if isinstance(o, type) and issubclass(o, BaseModel)), None)
    return model


def _heading(location: KeyPath) -> str:
    if not location:
        return "the file"
    names = ".".join(str(part) for part in location if isinstance(part, str))
    return f"[[{names}]]" if any(isinstance(part, int) for part in location) else f"[{names}]"


def _dotted(location: KeyPath) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _check_paths(loaded: LoadedDefinition) -> None:
    """The files and folders beside the definition exist; those inside the snapshot are checked when it is made."""
    source, lock = loaded.definition.source, loaded.definition.runtime.lock
    if source.path is not None and not (loaded.folder / source.path).is_dir():
        raise UserError(
            f"{loaded.where('source', 'path')}: the folder {source.path} does not exist; correct `path` in [source]"
        )
    if lock is not None and not (loaded.folder / lock).is_file():
        raise UserError(
            f"{loaded.where('runtime', 'lock')}: the file {lock} does not exist; "
            "make it with `pip-compile --generate-hashes`, or delete `lock` to use `dependencies`"
        )


def check_layout(loaded: LoadedDefinition, root: Path) -> None:
    """The folders of `[layout]` exist in the snapshot at `root`; raises `UserError` naming the first that does not."""
    layout = loaded.definition.layout
    for key in ("features", "test_roots", "production_roots", "import_paths"):
        for index, entry in enumerate(getattr(layout, key)):
            target = root / entry
            if ".." in Path(entry).parts or Path(entry).is_absolute():
                raise UserError(
                    f"{loaded.where('layout', key, index)}: `{entry}` leads out of the project; use a path inside it"
                )
            if not target.exists() or (key in {"test_roots", "import_paths"} and not target.is_dir()):
                kind = "folder" if key in {"test_roots", "import_paths"} else "file or folder"
                raise UserError(
                    f"{loaded.where('layout', key, index)}: the project has no {kind} `{entry}`; "
                    f"correct `{key}` in [layout]"
                )
