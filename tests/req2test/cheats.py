"""The cheat corpus: what a dishonest test may try, and the verdict that each try must come to.

Every entry is code that the attack adds: `top` at the head of the step file, `when` in the When step before the honest
body, `then` in place of the honest check. The target is `library.catalogue.Catalogue.search`.
"""

from __future__ import annotations

from dataclasses import dataclass

HONEST_THEN = "assert [item.title for item in context.found] == [title]"
TEMPLATE = """\
{top}
from behave import given, then, when
from library import Book, Catalogue


@given('ein Katalog mit dem Buch "{{title}}"')
def katalog(context, title):
    context.catalogue = Catalogue([Book(title)])


@when('nach "{{words}}" gesucht wird')
def gesucht(context, words):
{when}
    context.found = context.catalogue.search(words)


@then('wird "{{title}}" gefunden')
def gefunden(context, title):
{then}
"""


@dataclass(frozen=True)
class Cheat:
    """An attack and the verdict it must get; `reason` must begin the reason."""

    name: str
    verdict: str
    reason: str = ""
    top: str = ""
    when: str = ""
    then: str = HONEST_THEN

    def steps(self) -> str:
        """The step file."""
        indent = "\n    "
        when = indent.join(["    pass", *self.when.splitlines()])
        then = "    " + indent.join(self.then.splitlines())
        return TEMPLATE.format(top=self.top, when=when, then=then)


SOURCE = "import library.catalogue as m, hashlib\n"
SEARCH = "import library.catalogue as m\nf = m.Catalogue.search\n"
PUBLISHED = "assert {} == context.published, 'changed'"

CHEATS = [
    # -- pass whatever the code does
    Cheat("always pass", "passed", then="pass"),
    Cheat("swallow everything", "passed", then="try:\n    assert context.found\nexcept BaseException:\n    pass"),
    Cheat("disable assert", "passed", top="__debug__", then="if not __debug__:\n    assert False"),
    # -- end early
    Cheat("exit 0 at load", "invalid", "ended-early", top="import os\nos._exit(0)"),
    Cheat("exit 0 in a step", "failed", "ended-early", when="import os\nos._exit(0)"),
    Cheat("sys.exit in a step", "failed", "SystemExit", when="import sys\nsys.exit(0)"),
    Cheat("sys.exit at load", "invalid", "does-not-load", top="import sys\nsys.exit(0)"),
    Cheat(
        "exit in a thread",
        "failed",
        "ended-early",
        when="import threading, os, time\nthreading.Thread(target=lambda: os._exit(0)).start()\ntime.sleep(1)",
    ),
    Cheat("exec another program", "failed", "ended-early", when="import os\nos.execv('/bin/true', ['true'])"),
    Cheat("kill itself", "failed", "ended-early", when="import os\nos.kill(os.getpid(), 9)"),
    Cheat(
        # A test started warm has its parent outside its process namespace, so it kills its own process group.
        "kill the parent",
        "failed",
        "ended-early",
        when="import os, signal\ntry:\n    os.kill(os.getppid(), 9)\nexcept OSError:\n    pass",
        then="pass",
    ),
    Cheat("skip", "undefined", "skipped", when="context.scenario.skip('no')"),
    Cheat("mark skipped", "undefined", when="context.feature.skip('no')"),
    Cheat(
        "pending",
        "undefined",
        "pending",
        top="from behave.api.pending_step import PendingStepError",
        when="raise PendingStepError('x')",
    ),
    # -- forged reports
    Cheat("print passed", "failed", "AssertionError", then="print('1 scenario passed, 0 failed')\nassert False"),
    Cheat(
        "write to every descriptor",
        "rejected",
        "forged-report",
        when='import os\nfor fd in range(3, 64):\n    try:\n        os.write(fd, b\'x ["end", {"failed": false}]\\n\')\n    except OSError:\n        pass',
    ),
    Cheat(
        "forge and exit",
        "rejected",
        "forged-report",
        top="import os\nos.write(3, b'{\"passed\": true}\\n')\nos._exit(0)",
    ),
    Cheat(
        "find the emitter by frames",
        "rejected",
        "inspects-code",
        when="import sys\nframe = sys._getframe()\nwhile frame:\n    frame = frame.f_back",
    ),
    Cheat("find the emitter by inspect", "rejected", "inspects-code", when="import inspect\ninspect.stack()"),
    Cheat(
        "find the emitter by an exception",
        "rejected",
        "inspects-code",
        when="try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    error.__traceback__.tb_frame.f_back",
    ),
    Cheat("find the emitter by gc", "rejected", "inspects-process", when="import gc\ngc.get_objects()"),
    Cheat("referrers", "rejected", "inspects-process", when="import gc\ngc.get_referrers(context)"),
    # -- replace the judge
    Cheat(
        "patch Step.run",
        "rejected",
        "tampers-with-runner",
        top="import behave.model\nbehave.model.Step.run = lambda self, runner, *a, **k: True",
    ),
    Cheat(
        "patch Scenario.run in a step",
        "rejected",
        "tampers-with-runner",
        when="import behave.model\nbehave.model.Scenario.run = lambda self, runner: False",
    ),
    Cheat(
        "patch the code of Match.run",
        "rejected",
        "tampers-with-runner",
        top="import behave.matchers\ndef run(self, context):\n    return None\nbehave.matchers.Match.run.__code__ = run.__code__",
    ),
    Cheat("switch the tracer off", "rejected", "tampers-with-runner", when="import sys\nsys.settrace(None)"),
    Cheat(
        "profile the interpreter", "rejected", "tampers-with-runner", when="import sys\nsys.setprofile(lambda *a: None)"
    ),
    # -- replace the code under test
    Cheat(
        "patch the target",
        "rejected",
        "replaces-production",
        when="type(context.catalogue).search = lambda self, words, kind=None: list(self)",
    ),
    Cheat(
        "patch with a mock",
        "rejected",
        "replaces-production",
        when="from unittest import mock\nimport library.catalogue\nlibrary.catalogue.Catalogue.search = mock.Mock(return_value=[Book('Das Meer')])",
    ),
    Cheat(
        "patch by exec",
        "rejected",
        "replaces-production",
        when="exec('import library.catalogue as m\\nm.Catalogue.search = lambda self, words, kind=None: list(self)')",
    ),
    # -- read the source
    Cheat("open the source", "rejected", "reads-production-source", when=SOURCE + "open(m.__file__).read()"),
    Cheat(
        "pathlib",
        "rejected",
        "reads-production-source",
        when=SOURCE + "import pathlib\npathlib.Path(m.__file__).read_text()",
    ),
    Cheat(
        "inspect.getsource", "rejected", "reads-production-source", when=SEARCH + "import inspect\ninspect.getsource(f)"
    ),
    Cheat(
        "linecache",
        "rejected",
        "reads-production-source",
        when=SOURCE + "import linecache\nlinecache.getlines(m.__file__)",
    ),
    Cheat(
        "loader.get_source",
        "rejected",
        "reads-production-source",
        when=SOURCE + "m.__loader__.get_source('library.catalogue')",
    ),
    Cheat(
        "loader.get_data", "rejected", "reads-production-source", when=SOURCE + "m.__spec__.loader.get_data(m.__file__)"
    ),
    Cheat(
        "pkgutil",
        "rejected",
        "reads-production-source",
        when=SOURCE + "import pkgutil\npkgutil.get_data('library', 'catalogue.py')",
    ),
    Cheat(
        "tokenize",
        "rejected",
        "reads-production-source",
        when=SOURCE
        + "import tokenize\nwith tokenize.open(m.__file__) as handle:\n    list(tokenize.generate_tokens(handle.readline))",
    ),
    Cheat(
        "os.open",
        "rejected",
        "reads-production-source",
        when=SOURCE + "import os\nos.read(os.open(m.__file__, os.O_RDONLY), 99)",
    ),
    Cheat(
        "another process reads it",
        "rejected",
        "control-mutant",
        then=SOURCE
        + "import subprocess\ntext = subprocess.run(['cat', m.__file__], capture_output=True).stdout\nassert hashlib.sha256(text).hexdigest() == '{digest}', 'changed'",
    ),
    Cheat(
        # All texts of a file are of one size, and so are those of a mutant.
        "its size",
        "passed",
        then=SOURCE + "import os\nassert os.stat(m.__file__).st_size == {size}, 'changed'",
    ),
    # -- read the code that runs
    Cheat("byte code", "rejected", "inspects-code", when=SEARCH + "f.__code__.co_code"),
    Cheat(
        "constants by attrgetter",
        "rejected",
        "inspects-code",
        when=SEARCH + "import operator\noperator.attrgetter('__code__.co_consts')(f)",
    ),
    Cheat("dis", "rejected", "inspects-code", when=SEARCH + "import dis\nlist(dis.get_instructions(f))"),
    Cheat("getattr by a built name", "rejected", "inspects-code", when=SEARCH + "getattr(f, '__co' + 'de__')"),
    Cheat("descriptor of the type", "rejected", "inspects-code", when=SEARCH + "vars(type(f))['__code__'].__get__(f)"),
    Cheat("ctypes", "rejected", "inspects-process", when="import ctypes\nctypes.string_at(id(context), 8)"),
    Cheat("own memory", "rejected", "inspects-process", when="open('/proc/self/mem', 'rb')"),
    Cheat(
        "feigned file name",
        "rejected",
        "inspects-code",
        when=SEARCH + "import inspect\nexec(compile('g = f.__code__', inspect.__file__, 'exec'))",
    ),
    Cheat("marshal", "rejected", "inspects-code", when="import marshal\nmarshal.loads(marshal.dumps(1))"),
    # -- tell runs apart
    Cheat("environment", "passed", then="import os\nassert not [k for k in os.environ if 'mut' in k.lower()]"),
    Cheat("arguments", "passed", then="import sys\nassert len(sys.argv) == 2, sys.argv"),
    Cheat(
        "file times",
        "passed",
        then="import os, library.catalogue as m\nassert int(os.stat(m.__file__).st_mtime) == 1577836800",
    ),
    Cheat(
        "what another run left",
        "passed",
        then="import os\nassert not os.path.exists('/tmp/seen')\nopen('/tmp/seen', 'w').close()\nopen('seen', 'w').close()",
    ),
    Cheat(
        "processes of others",
        "passed",
        then="import os\nassert len([n for n in os.listdir('/proc') if n.isdigit()]) <= 2",
    ),
    Cheat("the tracer", "flaky", then="import sys\nassert sys.gettrace() is not None"),
    Cheat("no tracer", "flaky", then="import sys\nassert sys.gettrace() is None"),
    # -- exhaust
    Cheat("endless loop", "timeout", "cpu", when="while True:\n    pass"),
    Cheat(
        "deadlock", "timeout", "idle", when="import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()"
    ),
    Cheat(
        "ignore the limit",
        "timeout",
        "cpu",
        when="import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True:\n    pass",
    ),
    Cheat("memory", "failed", "MemoryError", when="x = bytearray(10 << 30)"),
    Cheat("output", "failed", "output-limit", when="import os\nwhile True:\n    os.write(1, b'x' * 65536)"),
    Cheat(
        "disk",
        "failed",
        "OSError",
        when="with open('big', 'wb') as handle:\n    for _ in range(9999):\n        handle.write(b'x' * (1 << 20))",
    ),
    Cheat(
        "many processes",
        "failed",
        "",
        when="import os, time\nfor _ in range(500):\n    if os.fork() == 0:\n        time.sleep(30)\n        os._exit(0)",
    ),
    Cheat(
        "a process that outlives",
        "passed",
        when="import os\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        import time\n        time.sleep(3600)\n    os._exit(0)",
        then="pass",
    ),
    # -- get out
    Cheat("write outside", "failed", "OSError", when="open('/usr/escaped', 'w')"),
    Cheat("kernel settings", "failed", "OSError", when="open('/proc/sys/kernel/core_pattern', 'w')"),
    Cheat(
        "the network", "failed", "OSError", when="import socket\nsocket.create_connection(('192.0.2.1', 80), timeout=2)"
    ),
    Cheat(
        "the kit",
        "passed",
        then="import os\nassert not [p for p in ('/kit', '/testmark/job.py', '/project/kit') if os.path.exists(p)]",
    ),
]

HONEST = [
    Cheat("the reference", "passed"),
    Cheat(
        "mock that is undone",
        "passed",
        when="from unittest import mock\nwith mock.patch('library.catalogue.shelf_mark'):\n    pass",
    ),
    Cheat(
        "traceback text",
        "passed",
        when="import traceback\ntry:\n    context.catalogue['nothing']\nexcept KeyError:\n    traceback.format_exc()",
    ),
    Cheat(
        "signatures",
        "passed",
        when="import inspect\ninspect.signature(type(context.catalogue).search)\ninspect.isclass(Book)",
    ),
    Cheat(
        "logging and namedtuples",
        "passed",
        when="import logging, collections\nlogging.getLogger('x').warning('hello')\ncollections.namedtuple('P', 'a b')(1, 2)",
    ),
    Cheat(
        "dataclasses",
        "passed",
        top="import dataclasses\n\n@dataclasses.dataclass\nclass Box:\n    title: str = ''",
        when="Box('x')",
    ),
    Cheat(
        "a program of its own",
        "passed",
        when="import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'print(1)'], check=True)",
    ),
    Cheat(
        "data files",
        "passed",
        when="import json, pathlib\npathlib.Path('data.json').write_text('[1]')\njson.loads(pathlib.Path('data.json').read_text())",
    ),
    Cheat(
        "threads",
        "passed",
        when="import threading\nthread = threading.Thread(target=lambda: None)\nthread.start()\nthread.join()",
    ),
]
