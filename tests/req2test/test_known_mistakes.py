"""Mistakes that others made with tools like this one, each with the public report of it; each kind is a test.

Elsewhere already: byte code left from an earlier run (cosmic-ray 434) in
`tests/runtimes/test_behave_runs.py::test_two_edits_of_one_size_within_one_second_are_two_codes`; predictions that edit
source, leave scratch files or hold no test (OpenHands benchmarks 708 and 330) and a lone `conftest.py` or hook in
`test_policy.py`; a prediction that kills everything and does not pass (SWE-Mutation) as the shipped agent `always-fail` in
`test_example.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from testmark.engine.cache import default_cache
from testmark.engine.pool import Gate
from testmark.mutants import apply
from testmark.projects.load import load_definition
from testmark.records.base import FileText
from testmark.records.results import TaskResult
from testmark.req2test.agent_runs import RunOptions, run_agent
from testmark.req2test.bench import Bench, open_bench
from testmark.req2test.build import BuildOptions, build
from testmark.req2test.evaluate import EvaluateOptions, evaluate
from testmark.req2test.judge import JudgeContext, Runners, judge
from testmark.req2test.production import Production
from testmark.req2test.runtime import open_project
from testmark.runtimes.behave import RUNTIME
from testmark.runtimes.behave.events import RawRun, interpret
from testmark.runtimes.behave.jobs import Tokens
from testmark.runtimes.protocol import RunOutcome, RunRequest, RunStatus, Swap, Trace, Worker
from testmark.sandbox import Sandbox
from tests.req2test.conftest import EXAMPLE
from tests.support import shop_project, tiny

pytestmark = pytest.mark.xdist_group("known-mistakes")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> Path:
    """The benchmark of a shop whose features are written as others' tools could not read them."""
    top = tmp_path_factory.mktemp("mistakes")
    texts = {
        **shop_project.FILES,
        "testmark.toml": shop_project.DEFINITION,
        "requirements.lock": (EXAMPLE / "requirements.lock").read_text(),
    }
    for path, text in texts.items():
        place = top / "shop" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    build(load_definition(top / "shop"), top / "bench", BuildOptions(sandbox=sandbox, quiet=True))
    return top / "bench"


@pytest.fixture(scope="module")
def results(shop: Path, tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> Mapping[str, TaskResult]:
    """The reference judged on it."""
    top = tmp_path_factory.mktemp("judged")
    run_agent(shop, top / "run", RunOptions(agent="reference", sandbox=sandbox, quiet=True))
    evaluate(shop, top / "run", top / "out", EvaluateOptions(sandbox=sandbox, quiet=True, use_cache=False))
    found = [TaskResult.from_json(path.read_bytes()) for path in (top / "out/tasks").iterdir()]
    return {result.instance_id: result for result in found}


@pytest.mark.parametrize(
    ("feature", "line"),
    [
        # behave 1152
        pytest.param("rules", 5, id="Rule with Example"),
        # behave 111
        pytest.param("tags", 4, id="a comment behind tags"),
        # godog 92; and pitest 1152, where the first of the dynamic tests is empty and the second asserts
        pytest.param("outline", 3, id="a placeholder in a table, the first Examples empty"),
    ],
)
def test_a_feature_that_other_tools_misread(results: Mapping[str, TaskResult], feature: str, line: int) -> None:
    result = results[f"shop/features/{feature}.feature:{line}"]
    assert (result.verdict, result.metrics.kill_complete_at_1) == ("passed", 1.0), result.reason
    assert any(mutant.in_kill_set for mutant in result.mutants)


def test_every_row_behind_an_empty_examples_table_runs(shop: Path) -> None:
    # pitest 1152
    pickles = open_bench(shop).kit("shop/features/outline.feature:3").pickles
    assert [[step.text for step in pickle.steps][-1] for pickle in pickles] == ["it costs 7", "it costs 18"]


def test_a_byte_order_mark_before_the_language_is_named(shop: Path) -> None:
    # behave cannot read such a file (the list's only one without a number); it must not vanish without a word.
    (gone,) = [line for line in (shop / "dropped.jsonl").read_text().splitlines() if "mark.feature" in line]
    assert '"rule": "parsers-disagree"' in gone
    assert "No feature found" in gone


# -- what counts as a kill ------------------------------------------------------------------------------------------


class Played:
    """Runs that end as they are told, by the kind of the run: no process is started."""

    def __init__(self, bench: Bench, name: str, reached: bool, endings: list[RunStatus]) -> None:
        self.row = next(row for row in bench.rows() if row.instance_id == name)
        self.kit = bench.kit(name)
        self.mutants = [name for name in self.kit.mutants if name in self.kit.kill_set]
        self._reached = reached
        self._endings = endings
        self._texts = {name: bench.mutants[name].after for name in self.kit.mutants}
        self._bench = bench
        self.seen: dict[str, int] = {}

    def judge(self, cache: Path) -> TaskResult:
        opened = open_project(self._bench.definition(), cache).runtime_project
        production = Production(opened.base, ["src/shop"], ["src"])
        context = JudgeContext(
            self._bench.project, production, self._bench.mutants, seed=0, audit_share=0.0, gate=Gate()
        )
        self._originals = {m.path: production.source(m.path) for m in self._bench.mutants.values()}
        files = [FileText(path="features/steps/mine.py", content="x = 1\n")]
        return judge(self.row, self.kit, files, "m", context, Runners(self._run, self._run))

    def _run(self, asked: RunRequest) -> RunOutcome:
        if asked.measure:
            lines = {path: frozenset(range(1, 99)) for path in self._originals} if self._reached else {}
            return RunOutcome("passed", "", trace=Trace(lines, {}, {}, ()))
        mutant = self._mutant_of(asked)
        if mutant is None:
            return RunOutcome("passed", "")
        self.seen[mutant] = self.seen.get(mutant, 0) + 1
        return RunOutcome(self._endings[list(self.kit.mutants).index(mutant) % len(self._endings)], "as told")

    def _mutant_of(self, asked: RunRequest) -> str | None:
        texts = {file.path: file.content for file in asked.files}
        for name in self.kit.mutants:
            mutant = self._bench.mutants[name]
            if texts[mutant.path].startswith(apply(self._originals[mutant.path], mutant)):
                return name
        return None


NAME = "shop/features/rules.feature:5"


def test_mutants_that_are_not_reached_stay_in_the_denominator(shop: Path) -> None:
    # TAM-Eval left unreached and timed-out mutants out of it.
    played = Played(open_bench(shop), NAME, reached=False, endings=["passed"])
    result = played.judge(default_cache())
    assert (result.verdict, result.metrics.mutant_kill_recall) == ("passed", 0.0)
    assert {mutant.verdict for mutant in result.mutants} == {"unreached"}
    assert len(result.mutants) == len(played.kit.mutants) > 1


def test_mutants_that_time_out_stay_in_the_denominator(shop: Path) -> None:
    # TAM-Eval
    played = Played(open_bench(shop), NAME, reached=True, endings=["timeout", "passed"])
    result = played.judge(default_cache())
    found = {mutant.mutant_id: mutant.verdict for mutant in result.mutants}
    assert sorted(set(found.values())) == ["killed_timeout", "survived"]
    killed = sum(found[name] == "killed_timeout" for name in played.mutants)
    assert result.metrics.mutant_kill_recall == killed / len(played.mutants)
    assert all(played.seen[name] == 2 for name, verdict in found.items() if verdict == "killed_timeout")


def test_a_run_on_a_mutant_that_is_lost_is_neither_pass_nor_kill(shop: Path) -> None:
    # TAM-Eval counted a failed mutation run as a pass.
    result = Played(open_bench(shop), NAME, reached=True, endings=["infra"]).judge(default_cache())
    assert result.verdict == "infra"
    assert {mutant.verdict for mutant in result.mutants} == {"infra"}
    assert result.metrics.mutant_kill_recall == 0.0


@pytest.mark.parametrize("ending", ["exit 0", "exit 1", "exit 2", "exit 3", "exit 77", "exit 255", "signal 11"])
def test_no_exit_code_is_a_pass(ending: str) -> None:
    # mutmut 284 took all exit codes but 1 for a pass.
    tokens = Tokens("t", "s")
    for events, status in (("", "infra"), ('t ["begun", {}]\n', "invalid")):
        found = interpret(RawRun(events, "1 scenario passed, 0 failed", ending, 0.0, 0.0, "warm"), tokens, tiny.PICKLES)
        assert found.status == status
    loaded = 't ["begun", {}]\nt ["loaded", {}]\n'
    assert interpret(RawRun(loaded, "", ending, 0.0, 0.0, "warm"), tokens, tiny.PICKLES).status == "failed"


# -- which code a run executes --------------------------------------------------------------------------------------

TWINS = '''\
"""Totals."""


class Cart:
    class Line:
        def total(self, count):
            return count + 1


class Order:
    class Line:
        def total(self, count):
            return count + 2


def _prices():
    return {"pen": 1 + 1}


PRICES = _prices()
'''
TWIN_STEPS = """\
from behave import given, then, when
from sums.twins import PRICES, Cart, Order


@given("the numbers {a:d} and {b:d}")
def numbers(context, a, b):
    pass


@when("they are added")
def added(context):
    context.found = Cart.Line().total(1), Order.Line().total(1), PRICES["pen"]


@then("the sum is {total:d}")
def check(context, total):
    assert context.found == (2, 3, 2), context.found
"""


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> Iterator[Worker]:
    root = tiny.write_project(tmp_path_factory.mktemp("twins"), {"src/sums/twins.py": TWINS})
    worker = RUNTIME.worker(tiny.runtime_project(root), sandbox)
    yield worker
    worker.close()


@pytest.mark.parametrize(
    ("old", "new", "where", "line", "seen"),
    [
        # pitest-junit5-plugin 31: two nested classes with methods of one name
        ("count + 1", "count - 1", "Cart.Line.total", 6, "(0, 3, 2)"),
        ("count + 2", "count - 2", "Order.Line.total", 12, "(2, -1, 2)"),
        # pitest 353: called only while the module is imported, which the warm worker has done long before
        ("1 + 1", "1 - 1", "_prices", 16, "(2, 3, 0)"),
    ],
)
def test_an_edit_lands_in_its_own_function_and_is_executed(
    twins: Worker, old: str, new: str, where: str, line: int, seen: str
) -> None:
    text = TWINS.replace(old, new)
    asked = tiny.request(TWIN_STEPS, changed={"src/sums/twins.py": text})
    edited = replace(asked, resident=True, swaps=(Swap("src/sums/twins.py", where, line),))
    outcome = twins.run(edited)
    assert (outcome.status, f"AssertionError: {seen} at" in outcome.reason) == ("failed", True), outcome.reason
    real = tiny.request(TWIN_STEPS, changed={"src/sums/twins.py": TWINS})
    assert twins.run(replace(real, resident=True)).status == "passed"


def test_two_definitions_of_one_step_are_no_test(twins: Worker) -> None:
    # godog 194 took the first. (Two patterns that overlap are a test: behave itself takes the first of them.)
    again = '@when("they are added")\ndef others(context):\n    pass\n'
    outcome = twins.run(tiny.request(TWIN_STEPS + "\n\n" + again))
    assert (outcome.status, outcome.reason.startswith("ambiguous-step")) == ("invalid", True), outcome.reason


def test_runs_beside_each_other_share_no_resource(tmp_path: Path, sandbox: Sandbox) -> None:
    # mutmut 545: hundreds of false time-outs of children that waited for one database. Here: one port of the machine.
    steps = tiny.STEPS.replace(
        "    context.sum = add",
        "    import socket\n"
        "    with socket.create_server(('127.0.0.1', 8765), reuse_port=False) as server:\n"
        "        with socket.create_connection(('127.0.0.1', 8765)) as client:\n"
        "            server.accept()[0].sendall(b'x')\n"
        "            assert client.recv(1) == b'x'\n"
        "    with socket.socket() as plain:\n"
        "        plain.bind(('127.0.0.1', 8766))\n"
        "        plain.listen()\n"
        "        with socket.create_connection(('127.0.0.1', 8766)):\n"
        "            plain.accept()[0].close()\n"
        "    context.sum = add",
    )
    project = tiny.runtime_project(tiny.write_project(tmp_path))
    ended: list[tuple[str, str]] = []

    def work() -> None:
        worker = RUNTIME.worker(project, sandbox)
        try:
            for _ in range(6):
                outcome = worker.run(tiny.request(steps))
                ended.append((outcome.status, outcome.reason))
        finally:
            worker.close()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ended == [("passed", "")] * 18
