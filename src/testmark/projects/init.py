"""A definition for a checkout that nobody has described yet."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit, urlunsplit

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from testmark.errors import UserError
from testmark.projects import snapshot
from testmark.projects.distributions import IMPLIED, Choice, choose
from testmark.projects.interpreter import versions_at_hand
from testmark.projects.layout import (
    BehaveConfig,
    Suite,
    find_suites,
    read_behave_config,
    read_imports,
    test_files,
    top_names,
    under,
)
from testmark.projects.load import LoadedDefinition, find_definition, load_definition, parse_definition
from testmark.projects.metadata import ProjectMetadata, read_metadata
from testmark.projects.production import Production, add_imported, find_production, guess_namespaces, module_names

UNKNOWN_COMMIT = "0" * 40
_NAMED = 5
"""So many folders that are left out are named."""
_LICENCE_LENGTH = 60
"""A longer text is the licence itself, not its name."""


@dataclass(frozen=True)
class InitReport:
    """A definition as text, and what a reader should look at."""

    text: str
    assumptions: tuple[str, ...]
    """One sentence for each thing that was concluded rather than read."""
    problems: tuple[str, ...]
    """One sentence for each thing that may keep the project from being built."""


@dataclass
class _Findings:
    folder: Path
    metadata: ProjectMetadata
    config: BehaveConfig
    suite: Suite
    features: list[str]
    production: Production
    choice: Choice
    assumptions: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def init(folder: Path, *, name: str | None = None) -> InitReport:
    """Look at a checkout and write its definition; nothing is run and no file is written.

    Raises `UserError` when the folder does not exist or holds no behave features.
    """
    found = _look(folder)
    text = _render(found, name)
    parse_definition(text, f"the definition assumed for {folder}")
    return InitReport(text, tuple(found.assumptions), tuple(found.problems))


def assume(folder: Path) -> tuple[LoadedDefinition, tuple[str, ...]]:
    """The same definition in memory, with what was assumed and what may go wrong; raises as `init` does."""
    report = init(folder)
    definition, _ = parse_definition(report.text, f"the definition assumed for {folder}")
    return LoadedDefinition(definition, None, folder.resolve(), {}), (*report.assumptions, *report.problems)


def load_or_assume(ref: str | Path) -> tuple[LoadedDefinition, tuple[str, ...]]:
    """`load_definition`, or `assume` for a folder without a definition (then the second part says what was assumed)."""
    return assume(Path(ref)) if find_definition(ref) is None else (load_definition(ref), ())


def _look(folder: Path) -> _Findings:
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder; name the folder of a checkout")
    root = folder.resolve()
    files = [entry.path for entry in snapshot.select(root, keep_egg_info=True).entries]
    config = read_behave_config(root)
    suites, lost = find_suites(files, config.stage)
    if not suites:
        what = f"{len(lost)} feature files but no `steps` folder beside them" if lost else "no .feature file"
        raise UserError(f"{folder} has {what}; testmark needs a project with behave features")
    suite, features = _choose_suite(suites, config)
    bases = [entry.base for entry in suites]
    tests = test_files(root, files, suite.base)
    metadata = read_metadata(root)
    production = find_production(root, files, bases, metadata.name)
    dotted = {name for path in tests for name in read_imports(root / path).everything}
    test_imports = top_names(dotted) | {IMPLIED[name] for name in dotted if name in IMPLIED}
    unknown = add_imported(production, test_imports - {"behave"}, files, bases)
    if not production.roots:
        production = guess_namespaces(files, bases)
        if not production.roots:
            add_imported(production, test_imports - {"behave"}, files, bases, any_name=True)
    if production.roots and production.reason == "nothing":
        production.reason = "what the tests import"
    code = [path for path in files if path.endswith(".py") and any(under(path, place) for place in production.roots)]
    required = top_names(name for path in code for name in read_imports(root / path).required)
    choice = choose(root, metadata, unknown, required - module_names(files))
    found = _Findings(root, metadata, config, suite, features, production, choice)
    _judge(found, suites, lost, test_imports)
    return found


def _choose_suite(suites: list[Suite], config: BehaveConfig) -> tuple[Suite, list[str]]:
    """The suite that a bare `behave` would run, and its features as paths."""
    wanted = [str(PurePosixPath(path)) for path in config.paths]
    for path in wanted:
        for suite in suites:
            if under(path, suite.base) or under(suite.base, path):
                inside = [p for p in wanted if under(p, suite.base) and any(under(f, p) for f in suite.features)]
                return suite, inside or [suite.base]
    plain = next((suite for suite in suites if suite.base == "features"), suites[0])
    return plain, [plain.base]


def _judge(found: _Findings, suites: list[Suite], lost: list[str], test_imports: set[str]) -> None:
    """Say what was assumed and what may go wrong."""
    production, choice = found.production, found.choice
    if found.config.file:
        found.assumptions.append(f"behave's settings are those of {found.config.file}")
    others = [suite for suite in suites if suite is not found.suite]
    if others:
        listed = ", ".join(f"{suite.base} ({len(suite.features)})" for suite in others[:_NAMED]) + (
            ", …" if len(others) > _NAMED else ""
        )
        found.assumptions.append(
            f"of {len(suites)} folders with features {found.suite.base} is taken; left out (features): {listed}"
        )
    if lost:
        found.assumptions.append(
            f"{len(lost)} feature files have no `steps` folder and are left out, the first is {lost[0]}"
        )
    if production.roots:
        found.assumptions.append(f"production code is {', '.join(production.roots)}, from {production.reason}")
    else:
        found.problems.append("no production code was found; name it in `production_roots` and `import_paths`")
    if "behave" not in test_imports:
        found.problems.append(f"no file under {found.suite.base} imports behave; the features may be for another tool")
    for requirement in choice.requirements:
        if "not declared" in choice.origins[requirement] or "anywhere" in choice.origins[requirement]:
            found.assumptions.append(f"`{requirement}` is needed: {choice.origins[requirement]}")
    if found.metadata.dependencies is None:
        found.assumptions.append(
            "the project declares no dependencies; they are what its tests import, and its requirement files name"
        )
    for module in choice.uncovered:
        found.problems.append(
            f"`{module}` is imported, which nothing declares; add the distribution that brings it to `dependencies`"
        )
    extensions = [
        path.name
        for pattern in ("*.pyx", "*.c", "*.cpp", "*.rs")
        for path in found.folder.glob(f"**/{pattern}")
        if _near(path, found)
    ]
    if extensions:
        found.problems.append(
            f"the production code has parts to be compiled ({extensions[0]}); only Python is loaded from the snapshot"
        )


def _near(path: Path, found: _Findings) -> bool:
    return any(under(path.relative_to(found.folder).as_posix(), place) for place in found.production.roots)


def _python(found: _Findings) -> str:
    """The minor version to run with: ours if it fits `requires-python`, else the newest at hand that does."""
    ours = f"3.{sys.version_info[1]}"
    text = found.metadata.requires_python
    try:
        allowed = SpecifierSet(text or "")
    except InvalidSpecifier:
        allowed = SpecifierSet("")
    if allowed.contains(f"{ours}.{sys.version_info[2]}"):
        return ours
    fitting = [
        version
        for version in versions_at_hand()
        if allowed.contains(f"{version}.99") or allowed.contains(f"{version}.0")
    ]
    if fitting:
        found.assumptions.append(f"Python {fitting[-1]} is taken, as the project wants {text}")
        return fitting[-1]
    found.problems.append(f"the project wants Python {text}, which is not on this machine; Python {ours} is written")
    return ours


def _commit(found: _Findings) -> str:
    head = _git(found.folder, "rev-parse", "HEAD")
    if not re.fullmatch(r"[0-9a-f]{40}", head):
        found.assumptions.append("the commit is not known (no git history), so it is written as 40 zeros")
        return UNKNOWN_COMMIT
    if _git(found.folder, "status", "--porcelain", "--", "."):
        found.assumptions.append(
            f"the folder has changes that are not in commit {head[:12]}; they are measured as they are"
        )
    return head


def _repo_url(found: _Findings) -> str:
    remote = _git(found.folder, "remote", "get-url", "origin")
    if "://" in remote:
        parts = urlsplit(remote)
        host = parts.hostname or ""
        return urlunsplit(
            (parts.scheme, f"{host}:{parts.port}" if parts.port else host, parts.path.removesuffix(".git"), "", "")
        )
    ssh = re.fullmatch(r"(?:[\w.-]+@)([\w.-]+):(.+?)(?:\.git)?", remote)
    if ssh is not None:
        return f"https://{ssh[1]}/{ssh[2]}"
    urls = [
        url for url in found.metadata.urls if re.search(r"//[^/]*(github|gitlab|bitbucket|codeberg|sr\.ht|git\.)", url)
    ]
    if urls or found.metadata.urls:
        found.assumptions.append("the repository's address is the one of the project's metadata")
        return re.sub(r"(?<=\w)/(issues|releases|blob|tree)(/.*)?$", "", (urls or found.metadata.urls)[0])
    found.assumptions.append('the repository\'s address is not known and written as "unknown"')
    return "unknown"


def _git(folder: Path, *arguments: str) -> str:
    if shutil.which("git") is None:
        return ""
    done = subprocess.run(
        ("git", "-C", str(folder), *arguments), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def _render(found: _Findings, name: str | None) -> str:
    metadata = found.metadata
    chosen = name or re.sub(r"[^A-Za-z0-9._-]+", "-", metadata.name or found.folder.name).strip("-._") or "project"
    commit = _commit(found)
    url = _repo_url(found)
    licence = (metadata.licence or "").strip().splitlines()
    base = found.suite.base
    test_root = base if base != "." else (f"{found.config.stage}_steps" if found.config.stage else "steps")
    lines = [
        "# What testmark needs to know about this project; docs/definition.md explains every key.",
        "",
        "[project]",
        f"name = {_quoted(chosen)}",
        f"repo_url = {_quoted(url)}",
        f"commit = {_quoted(commit)}" + ("  # not known" if commit == UNKNOWN_COMMIT else ""),
    ]
    if licence and len(licence[0]) <= _LICENCE_LENGTH:
        lines.append(f"licence = {_quoted(licence[0])}")
    lines += ["", "[source]", 'path = "."', "", "[runtime]", f"python = {_quoted(_python(found))}"]
    lines += ["dependencies = [", *_dependency_lines(found.choice), "]"]
    lines.append(
        '# lock = "requirements.lock"  # a requirements file with hashes makes the environment the same everywhere'
    )
    if found.config.stage:
        lines.append(f"environment = {{ BEHAVE_STAGE = {_quoted(found.config.stage)} }}")
    lines += [
        "",
        "[layout]",
        f"features = {_list(found.features)}",
        f"test_roots = {_list([test_root])}  # where a prediction may write",
        f"production_roots = {_list(found.production.roots)}  # from {found.production.reason}",
        f"import_paths = {_list(found.production.import_paths)}",
        '# support = ["features/steps/helpers.py"]  # step files that stay in the views',
        "",
        *_suite_lines(found),
        "# [caps]",
        "# mutants = 20  # at most this many mutants an instance",
    ]
    return "\n".join(lines) + "\n"


def _dependency_lines(choice: Choice) -> list[str]:
    return [f"    {_quoted(line)},  # {choice.origins[line]}" for line in choice.requirements]


_LEVELS = (
    ("integration", "integration"),
    ("system", "system"),
    ("e2e", "system"),
    ("end_to_end", "system"),
    ("end-to-end", "system"),
)


def _suite_lines(found: _Findings) -> list[str]:
    """One suite a folder whose name tells a test level, and one for the rest."""
    lines: list[str] = []
    tags = tag_expression(found.config.tags)
    prefix = re.sub(r"[^A-Z0-9]+", "-", (found.metadata.name or found.folder.name).upper()).strip("-") or "PROJECT"
    folders = sorted({"/".join(PurePosixPath(path).parts[:-1]) for path in found.suite.features})
    for folder in folders:
        inner = folder[len(found.suite.base) :].strip("/") if found.suite.base != "." else folder
        level = next((level for word, level in _LEVELS if word in inner.lower().split("/")), None)
        if level is not None:
            lines += _one_suite(
                f"{prefix}-{inner.upper().replace('/', '-')}", [f"{folder}/**"], level, tags, found.config.userdata
            )
    rest = _one_suite(f"{prefix}-ACCEPTANCE", None, "component", tags, found.config.userdata)
    return lines + rest


def _one_suite(
    name: str, features: list[str] | None, level: str, tags: str | None, userdata: dict[str, str]
) -> list[str]:
    lines = ["[[suite]]", f"name = {_quoted(name)}"]
    if features is not None:
        lines.append(f"features = {_list(features)}")
    lines.append(f'level = "{level}"  # component, integration or system')
    if tags:
        lines.append(f"tags = {_quoted(tags)}")
    if userdata:
        lines.append(
            "userdata = { "
            + ", ".join(f"{_quoted(key)} = {_quoted(value)}" for key, value in sorted(userdata.items()))
            + " }"
        )
    return [*lines, ""]


def tag_expression(lines: list[str]) -> str | None:
    """One tag expression from the tags of behave's configuration, of which all entries must hold.

    The older notation (`-@wip`, `@a,@b`) is put into the newer one.
    """
    clauses: list[str] = []
    for line in lines:
        if re.search(r"\b(and|or|not)\b|[()]", line):
            # behave takes tags without their `@` too.
            clauses.append(re.sub(r"[^\s()]+", lambda word: _with_at(word[0]), line.strip()))
            continue
        for word in line.split():
            options = [
                f"not @{part[1:].lstrip('@')}" if part[0] in "-~" else f"@{part.lstrip('@')}"
                for part in word.split(",")
                if part
            ]
            clauses += [" or ".join(options)] if options else []
    if len(clauses) == 1:
        return clauses[0]
    return " and ".join(f"({clause})" if " or " in clause else clause for clause in clauses) or None


def _with_at(word: str) -> str:
    return word if word in {"and", "or", "not"} or word.startswith("@") else f"@{word}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(items: list[str]) -> str:
    return "[" + ", ".join(_quoted(item) for item in items) + "]"
