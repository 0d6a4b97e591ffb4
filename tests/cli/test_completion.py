"""Completion in bash, zsh and fish: the script that the documentation names, and what it offers."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from testmark.cli.req2test import main
from testmark.projects.load import shipped_names
from tests.cli.conftest import Shell
from tests.reports.synthetic import mutant_ids, row, write_results

pytestmark = pytest.mark.xdist_group("cli")


def offered(typed: str) -> list[str]:
    """What bash would offer for the last word of a line."""
    words = typed.split(" ")
    variables = {"_REQ2TEST_COMPLETE": "bash_complete", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    done = CliRunner().invoke(main, [], env=variables, prog_name="req2test")
    assert done.exit_code == 0, done.output
    return done.output.splitlines()


@pytest.mark.parametrize(
    ("shell_name", "part"),
    [
        ("bash", "complete -o nosort -F"),
        ("zsh", "#compdef req2test"),
        ("fish", "complete --no-files --command req2test"),
    ],
)
def test_each_shell_gets_its_script(shell: Shell, shell_name: str, part: str) -> None:
    done = shell(f"_REQ2TEST_COMPLETE={shell_name}_source req2test")
    assert (done.returncode, done.stderr) == (0, "")
    assert part in done.stdout


def test_bash_takes_the_line_of_the_documentation_and_completes(shell: Shell) -> None:
    line = 'eval "$(_REQ2TEST_COMPLETE=bash_source req2test)"; COMP_WORDS=(req2test eva); COMP_CWORD=1; '
    done = shell(f"bash -c '{line} _req2test_completion req2test; echo ${{COMPREPLY[@]}}'")
    assert (done.stdout, done.stderr) == ("evaluate\n", "")


def test_verbs_options_and_choices_are_offered() -> None:
    assert offered("req2test sc") == ["plain,scan"]
    assert offered("req2test build --sand") == ["plain,--sandbox"]
    assert offered("req2test report --format ht") == ["plain,html"]
    assert offered("req2test run BENCH --agent always") == ["plain,always-pass", "plain,always-fail"]


def test_definitions_are_names_or_paths() -> None:
    assert offered("req2test build ") == [f"plain,{name}" for name in shipped_names()]
    assert offered("req2test build ./ex") == ["file,./ex"]


def test_results_offer_their_instances_and_mutants(tmp_path) -> None:
    folder = write_results(tmp_path / "r", count=4)
    name = row(1).instance_id
    assert offered(f"req2test show {folder} library/") == [f"plain,{name}"]
    mutants = mutant_ids(row(1), 8)
    assert offered(f"req2test show {folder} {name} ") == [f"plain,{mutant}" for mutant in mutants]
    assert offered(f"req2test show {tmp_path} x") == [""]
