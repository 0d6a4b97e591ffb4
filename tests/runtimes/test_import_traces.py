"""Production code whose import leaves traces outside of it: warm runs must still be like fresh processes."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from testmark.runtimes.behave import RUNTIME
from testmark.sandbox import Sandbox
from tests.support import tiny

TWICE = """\
import colorsys
if hasattr(colorsys, "sums"):
    raise ValueError("sums is registered")
colorsys.sums = True
"""
"""As metrics, models and codecs are registered with a library."""
CASES = {
    "registers itself": (TWICE, "import colorsys; assert colorsys.sums"),
    "sets the environment": (
        "import os\nos.environ['SUMS'] = os.environ.get('SUMS', '') + '+'\n",
        "import os; assert os.environ['SUMS'] == '+'",
    ),
    "seeds the random numbers": (
        "import random\nrandom.seed(1)\nFIRST = random.random()\n",
        "import random; assert str(random.random()) == '0.8474337369372327'",
    ),
    "adds a log handler": (
        "import logging\nlogging.getLogger('sums').addHandler(logging.StreamHandler())\n",
        "import logging; assert len(logging.getLogger('sums').handlers) == 1",
    ),
    "starts a thread": (
        "import threading\nTHREAD = threading.Thread(target=threading.Event().wait, daemon=True)\nTHREAD.start()\n",
        "import sums; assert sums.THREAD.is_alive()",
    ),
    "takes a signal": (
        "import signal\nsignal.signal(signal.SIGUSR1, lambda *_: None)\n",
        "import signal; assert callable(signal.getsignal(signal.SIGUSR1))",
    ),
    "ends the process if it is loaded twice": (
        TWICE.replace('raise ValueError("sums is registered")', "import os; os._exit(3)"),
        "import colorsys; assert colorsys.sums",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_an_import_that_leaves_traces(case: str, sandbox: Sandbox, tmp_path: Path) -> None:
    production, check = CASES[case]
    project = tiny.runtime_project(tiny.write_project(tmp_path, {"src/sums/__init__.py": production}))
    steps = tiny.STEPS.replace("    assert context.sum", f"    {check}\n    assert context.sum")
    with closing(RUNTIME.worker(project, sandbox)) as worker:
        seen = [worker.run(replace(tiny.request(steps), resident=resident)) for resident in (False, True, False)]
    seen.append(RUNTIME.run_cold(project, sandbox, tiny.request(steps)))
    assert [(outcome.status, outcome.reason) for outcome in seen] == [("passed", "")] * 4


def test_an_import_that_fails_half_way_unless_the_test_prepares_it(sandbox: Sandbox, tmp_path: Path) -> None:
    production = TWICE + "import os\nMODE = os.environ['SUMS_MODE']\n"
    extra = {"src/sums/__init__.py": production, "src/other.py": "SIZE = 1\n"}
    project = tiny.runtime_project(tiny.write_project(tmp_path, extra))
    steps = "import os\nos.environ['SUMS_MODE'] = 'test'\nimport other\n" + tiny.STEPS
    with closing(RUNTIME.worker(project, sandbox)) as worker:
        for resident in (True, False):
            outcome = worker.run(replace(tiny.request(steps), resident=resident))
            assert (outcome.status, outcome.reason) == ("passed", "")


def test_a_run_sees_nothing_of_code_that_it_does_not_import(sandbox: Sandbox, tmp_path: Path) -> None:
    production = "import os\nos.environ['SUMS'] = 'here'\n"
    project = tiny.runtime_project(tiny.write_project(tmp_path, {"src/sums/__init__.py": production}))
    steps = tiny.STEPS.replace(
        "from sums.core import add\n", "import os\nassert 'SUMS' not in os.environ\nadd = int.__add__\n"
    )
    with closing(RUNTIME.worker(project, sandbox)) as worker:
        assert worker.run(replace(tiny.request(steps), resident=True)).status == "passed"
