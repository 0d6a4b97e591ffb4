"""What the help says can be typed as it stands: every example of every verb is run on the shipped example."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from testmark.cli import req2test, testevo
from testmark.projects.load import shipped_names
from tests.cli.conftest import ONLY, Shell

pytestmark = pytest.mark.xdist_group("cli")
GROUPS = {"req2test": req2test.main, "testevo": testevo.main}
VERBS = [(name, verb) for name, group in GROUPS.items() for verb in group.commands]
ORDER = (
    "doctor", "projects", "init", "scan", "build", "check-leaks", "prepare", "run", "evaluate", "audit", "report", "show",
)  # fmt: skip
"""Each verb after those whose files it takes."""


def examples(command: click.Command) -> list[str]:
    lines = (line.strip() for line in (command.help or "").splitlines())
    return [line for line in lines if line.startswith(tuple(f"{name} " for name in GROUPS))]


def all_examples() -> Iterator[str]:
    """Of `req2test`; those of `testevo` want a Maven repository and stand beside its tests."""
    verbs = req2test.main.commands
    assert set(verbs) == set(ORDER)
    yield from examples(req2test.main)
    for verb in ORDER:
        yield from examples(verbs[verb])


@pytest.mark.parametrize(("name", "verb"), VERBS)
def test_the_help_of_every_verb_has_an_example_of_that_verb(name: str, verb: str) -> None:
    found = examples(GROUPS[name].commands[verb])
    assert found
    assert {shlex.split(line)[1] for line in found} == {verb}


@pytest.mark.parametrize(("name", "verb"), VERBS)
def test_every_verb_takes_json(name: str, verb: str) -> None:
    options = [option for parameter in GROUPS[name].commands[verb].params for option in parameter.opts]
    assert "--json" in options


@pytest.mark.slow
def test_every_example_works_and_prints_one_object_with_json(shell: Shell) -> None:
    for line in all_examples():
        words = shlex.split(line)
        if "python-docx" in words:
            # Its source is downloaded when it is built; that the name means something is seen without.
            assert "python-docx" in shipped_names()
            continue
        # One instance is enough to see that a line works.
        shorter = f"{line} --only '{ONLY}' --quiet" if words[1] == "build" else line
        done = shell(shorter)
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        assert done.stdout.strip(), line
        again = "--json --force" if words[1] == "init" else "--json"
        done = shell(f"{shorter} {again}")
        assert done.returncode == 0, f"{line} {again}\n{done.stderr}"
        assert isinstance(json.loads(done.stdout), dict), line


@pytest.mark.parametrize(("name", "verb"), VERBS)
def test_help_loads_no_library_but_the_command_lines(name: str, verb: str) -> None:
    """Help appears at once because nothing else is loaded for it."""
    program = f"import sys\nfrom testmark.cli.{name} import main\ntry:\n    main(['{verb}', '--help'])\nfinally:\n    print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: ")
    loaded = {module.partition(".")[0] for module in done.stderr.split()}
    assert not loaded & {"pydantic", "rich", "tree_sitter", "gherkin", "pyarrow", "jinja2", "unidiff", "asyncio"}
