"""What the documents tell to type can be typed: commands are run, or at least read by the command itself."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import TOP, Shell
from tests.cli.test_help import GROUPS

pytestmark = pytest.mark.xdist_group("cli")
DOCUMENTS = sorted([*TOP.glob("*.md"), *(TOP / "docs").glob("*.md"), TOP / "examples/behave-library/README.md"])
AGENT = "'echo \"from behave import given\" > features/steps/mine.py'"


def commands(path: Path) -> list[str]:
    """Lines of code, and code within lines, that call one of ours."""
    text = path.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:console|sh)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line.removeprefix("$ ").partition("  #")[0] for block in blocks for line in block.splitlines()]
    lines += re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text)
    bare = [line.strip().removeprefix(".venv/bin/") for line in lines]
    return [line for line in bare if line.startswith(tuple(f"{name} " for name in GROUPS))]


def console(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    found = re.findall(r"^\$ (.*)$", text, re.MULTILINE)
    return [line.partition("  #")[0].replace(".venv/bin/", "").strip() for line in found]


def python(path: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_has_a_verb_and_options_that_exist(path: Path) -> None:
    for line in commands(path):
        name, verb, *words = shlex.split(line)
        assert verb in GROUPS[name].commands, line
        known = {option for parameter in GROUPS[name].commands[verb].params for option in parameter.opts}
        assert {word.partition("=")[0] for word in words if word.startswith("--")} <= {*known, "--help"}, line


def test_commands_are_found_in_the_documents() -> None:
    assert len([line for path in DOCUMENTS for line in commands(path)]) > 15


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_files(path: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_python_in_the_documents_names_what_exists(path: Path) -> None:
    for block in python(path):
        tree = ast.parse(block)
        imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        names: dict[str, object] = {}
        exec(compile(ast.Module(imports, []), path.name, "exec"), names)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names:
                assert hasattr(names[node.value.id], node.attr), ast.unparse(node)


@pytest.mark.slow
@pytest.mark.network
def test_the_readme_works_from_top_to_bottom(shell: Shell) -> None:
    """Its `make demo` is what the demo's own test runs; a command stands in for the reader's agent."""
    lines = [line for line in console(TOP / "README.md") if line.startswith("req2test ")]
    assert len(lines) == 8
    for line in lines:
        done = shell(line.replace("'my-agent TASK.md'", AGENT))
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    (block,) = python(TOP / "README.md")
    done = shell(f"python -c {shlex.quote(block)}")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("value=0.0 ")


@pytest.mark.slow
def test_the_notebook_works(shell: Shell) -> None:
    (block,) = python(TOP / "docs/notebook.md")
    # In a folder of its own: other tests use the same names.
    done = shell(f"mkdir notebook && cd notebook && ln -s ../examples . && python -c {shlex.quote(block)}")
    assert done.returncode == 0, done.stderr
    assert "reference: 1.000 [1.000, 1.000] over 2" in done.stdout
    assert "always-pass: 0.000 [0.000, 0.000] over 2" in done.stdout
    assert "Difference to reference" in done.stdout
