"""One run of behave, warm and cold: what each kind of test comes to."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from testmark.runtimes.behave import RUNTIME
from testmark.runtimes.protocol import RunOutcome, RuntimeProject, Swap, Worker
from testmark.sandbox import Sandbox
from tests.support import tiny


@pytest.fixture(params=["import", "resident", "cold"])
def run(request: pytest.FixtureRequest, project: RuntimeProject, worker: Worker, sandbox: Sandbox):
    """The three ways of running a request; they must agree."""
    if request.param == "cold":
        return lambda asked: RUNTIME.run_cold(project, sandbox, asked)
    return lambda asked: worker.run(replace(asked, resident=request.param == "resident"))


def with_body(when: str, *, top: str = "") -> str:
    """The tiny steps with other code in the When step, and code at the top of the file."""
    return top + "\n" + tiny.STEPS.replace("    context.sum = add(*context.numbers)", when)


CASES = {
    "reference": (tiny.STEPS, "passed", ""),
    "assertion": (tiny.STEPS.replace("== total", "!= total"), "failed", "AssertionError"),
    "exception": (with_body("    raise ValueError('no')"), "failed", "ValueError: no"),
    "undefined": (tiny.STEPS.replace("the sum is {total:d}", "another step"), "undefined", "undefined step"),
    "skipped": (with_body("    context.scenario.skip('later')"), "undefined", "skipped"),
    "pending": (
        with_body("    raise PendingStepError('x')", top="from behave.api.pending_step import PendingStepError"),
        "undefined",
        "pending",
    ),
    "syntax error": ("def broken(:\n", "invalid", "SyntaxError"),
    "import error": ("import no_such_module_at_all\n", "invalid", "no_such_module_at_all"),
    "ambiguous": (
        tiny.STEPS + '\n\n@then("the sum is {total:d}")\ndef again(context, total):\n    pass\n',
        "invalid",
        "ambiguous-step",
    ),
    "exit 0 in a step": (with_body("    import os; os._exit(0)"), "failed", "ended-early"),
    "exit 0 at load": ("import os\nos._exit(0)\n", "invalid", "ended-early"),
    "sys.exit in a step": (with_body("    import sys; sys.exit(0)"), "failed", "SystemExit"),
    "killed": (with_body("    import os; os.kill(os.getpid(), 9)"), "failed", "ended-early"),
    "interrupt": (with_body("    raise KeyboardInterrupt"), "failed", "KeyboardInterrupt"),
}


@pytest.mark.parametrize("name", CASES)
def test_each_kind_of_test_has_its_status(name: str, run) -> None:
    steps, status, reason = CASES[name]
    outcome: RunOutcome = run(tiny.request(steps))
    assert (outcome.status, reason in outcome.reason) == (status, True), outcome.reason


def test_a_mutant_is_seen_by_every_way_of_running(run) -> None:
    mutated = tiny.PRODUCTION.replace("a + b", "a - b")
    asked = tiny.request(changed={"src/sums/core.py": mutated})
    outcome = run(replace(asked, swaps=(Swap("src/sums/core.py", "add", 6),)))
    assert outcome.status == "failed"
    assert outcome.assertion


def test_a_change_outside_functions_is_seen_by_every_way_of_running(run) -> None:
    asked = tiny.request(changed={"src/sums/core.py": tiny.PRODUCTION.replace("LIMIT = 100", "LIMIT = 4")})
    assert run(asked if asked.swaps else replace(asked, resident=False)).status == "failed"


def test_several_functions_are_exchanged_at_once(run) -> None:
    """Each as if it were alone, although an edit further up pushes the other one down."""
    text = tiny.PRODUCTION.replace("    total = a + b", "    # one line more\n    total = a + b + 1")
    text = text.replace("        self._value = start", "        self._value = start + 10")
    steps = with_body("    from sums.core import Counter\n    context.sum = add(1, 0) + Counter(0).value - 7")
    swaps = (Swap("src/sums/core.py", "add", 6), Swap("src/sums/core.py", "Counter.__init__", 17, moved=1))
    outcome = run(replace(tiny.request(steps, changed={"src/sums/core.py": text}), swaps=swaps))
    assert outcome.status == "passed", outcome.reason


def test_what_one_of_several_exchanges_cannot_express_is_imported(run) -> None:
    text = tiny.PRODUCTION.replace("a + b", "a + b + 1")
    swaps = (Swap("src/sums/core.py", "add", 6), Swap("src/sums/core.py", "no_such_function", 99))
    outcome = run(replace(tiny.request(changed={"src/sums/core.py": text}), swaps=swaps))
    assert outcome.status == "failed"


def test_files_of_other_encodings_are_what_they_were(run) -> None:
    words = "# coding: latin-1\nKÄSE = 'Käse'\n"
    steps = "# coding: latin-1\n" + with_body(
        "    from sums.words import KÄSE\n    assert KÄSE == 'K' + chr(228) + 'se' == 'Käse'\n    context.sum = 5"
    )
    outcome = run(tiny.request(steps, changed={"src/sums/words.py": words}))
    assert outcome.status == "passed", outcome.reason


def test_no_message_holds_an_address(run) -> None:
    steps = with_body(
        "    context.sum = object()\n    assert context.sum == 5, f'{context.sum!r} {id(context.sum)} 12345678901 0x1f'"
    )
    outcome = run(tiny.request(steps))
    assert outcome.reason.startswith("AssertionError: <object object at 0x…> 0x… 12345678901 0x1f at line 5")
    assert "0x…" in outcome.pickles[0].steps[1].message


def test_runs_share_nothing(worker: Worker) -> None:
    steps = with_body(
        "    import os, pathlib\n"
        "    assert not pathlib.Path('left').exists()\n"
        "    assert not pathlib.Path('/tmp/left').exists()\n"
        "    pathlib.Path('left').write_text('x'); pathlib.Path('/tmp/left').write_text('x')\n"
        "    import sums.core; sums.core.LIMIT = 1\n"
        "    context.sum = 5"
    )
    for _ in range(3):
        assert worker.run(replace(tiny.request(steps), resident=True)).status == "passed"


def test_two_edits_of_one_size_within_one_second_are_two_codes(run) -> None:
    for text, status in (("a - b", "failed"), ("a + b", "passed"), ("a * b", "failed")):
        changed = {"src/sums/core.py": tiny.PRODUCTION.replace("a + b", text)}
        asked = replace(tiny.request(changed=changed), swaps=(Swap("src/sums/core.py", "add", 6),))
        assert run(asked).status == status


@pytest.mark.parametrize("hook", ["before_all(context)", "before_step(context, step)"])
def test_a_tracer_of_the_projects_own_hides_nothing(sandbox: Sandbox, tmp_path: Path, hook: str) -> None:
    text = f"import sys, threading\n\n\ndef {hook}:\n    sys.settrace(None)\n    threading.settrace(lambda *_: None)\n"
    project = tiny.runtime_project(tiny.write_project(tmp_path, {"features/environment.py": text}))
    asked = replace(tiny.request(), measure=True)
    with closing(RUNTIME.worker(project, sandbox)) as worker:
        traces = [worker.run(asked).trace, RUNTIME.run_cold(project, sandbox, asked).trace]
    for trace in traces:
        assert trace is not None
        assert [(call.path, call.line) for call in trace.calls] == [("src/sums/core.py", 6)]
        assert trace.checked_lines["src/sums/core.py"] == {6, 8, 9, 11}


def test_calls_and_lines_of_when_and_then_steps_are_traced(
    worker: Worker, project: RuntimeProject, sandbox: Sandbox
) -> None:
    asked = replace(tiny.request(), measure=True)
    traces = [worker.run(asked).trace, RUNTIME.run_cold(project, sandbox, asked).trace]
    for trace in traces:
        assert trace is not None
        assert [(call.path, call.line, call.name) for call in trace.calls] == [("src/sums/core.py", 6, "add")]
        assert trace.step_lines["src/sums/core.py"] == {6, 8, 9, 11}
        assert 10 not in trace.lines["src/sums/core.py"]


LIMIT_CASES = {
    "endless loop": (with_body("    while True: pass"), "timeout", "cpu"),
    "deadlock": (
        with_body("    import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()"),
        "timeout",
        "idle",
    ),
    "memory": (with_body("    x = bytearray(10 << 30)"), "failed", "MemoryError"),
    "memory of children": (
        with_body(
            "    import os, time\n"
            "    for _ in range(8):\n"
            "        if os.fork() == 0:\n"
            "            block = bytearray(b'x') * (200 << 20)\n"
            "            time.sleep(60); os._exit(0)\n"
            "    time.sleep(60)"
        ),
        "failed",
        "memory-limit",
    ),
    "output": (with_body("    import os\n    while True: os.write(1, b'x' * 65536)"), "failed", "output-limit"),
    "disk": (with_body("    open('big', 'wb').write(b'x' * (200 << 20))"), "failed", "OSError"),
    "tmp": (
        with_body("    for n in range(99): open(f'/tmp/{n}', 'wb').write(b'x' * (20 << 20))"),
        "failed",
        "OSError",
    ),
}


@pytest.mark.parametrize("name", LIMIT_CASES)
def test_each_limit_ends_in_its_status_and_the_next_run_is_unharmed(name: str, worker: Worker) -> None:
    steps, status, reason = LIMIT_CASES[name]
    outcome = worker.run(tiny.request(steps))
    assert (outcome.status, reason in outcome.reason) == (status, True), (outcome.status, outcome.reason)
    assert worker.run(tiny.request()).status == "passed"


def test_a_fork_bomb_ends_and_leaves_nothing(worker: Worker) -> None:
    outcome = worker.run(tiny.request(with_body("    import os\n    while True: os.fork()")))
    assert (outcome.status, "process-limit" in outcome.reason) == ("failed", True), outcome.reason
    assert worker.run(tiny.request()).status == "passed"


def test_the_kernel_cannot_be_set_from_a_run(run) -> None:
    outcome = run(tiny.request(with_body("    open('/proc/sys/kernel/core_pattern', 'w')")))
    assert outcome.status == "failed"
