"""More of the cheat corpus: attacks on the process that runs a test, on the judge's channel and on what runs share."""

from __future__ import annotations

from tests.req2test.cheats import SEARCH, SOURCE, Cheat

LOOK = """\
import gc
gc.get_objects()"""
"""An act that the guard must report, after an attempt to switch the guard off."""
NO_FRAMES = """\
import {module}
frame = {frame}
while frame is not None:
    frame = frame.f_back"""
OF_THE_REQUEST = "'(swaps|files|resident|measure|watch_production|token|seal)':"

INSIDE = [
    # -- tell a mutant from the real code by what the judge's own process holds
    Cheat("the configuration", "flaky", then="assert not context.config.stop"),
    Cheat(
        "frames of a traceback",
        "rejected",
        "inspects-code",
        when="import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError as error:\n    frame, _ = next(traceback.walk_tb(error.__traceback__))",
    ),
    Cheat(
        "frames of the stack", "rejected", "inspects-code", when="import traceback\nlist(traceback.walk_stack(None))"
    ),
    Cheat("a frame from logging", "rejected", "inspects-code", when="import logging\nlogging.currentframe().f_back"),
    Cheat(
        "a signal's frame",
        "passed",
        then="import signal\nseen = []\nsignal.signal(signal.SIGALRM, lambda number, frame: seen.append(frame))\n"
        "signal.raise_signal(signal.SIGALRM)\nframe, found = seen[0], []\nwhile frame is not None:\n"
        "    held = [value for value in frame.f_locals.values() if isinstance(value, dict) and 'location' in value]\n"
        "    found += [key for value in held for key in ('swaps', 'files', 'resident', 'measure', 'seal') if key in value]\n"
        "    found += frame.f_locals.get('swaps') or []\n"
        "    frame = frame.f_back\nassert not found, found",
    ),
    Cheat(
        "local variables of all frames",
        "passed",
        then="import re, traceback\n"
        "frames = traceback.StackSummary.extract(traceback.walk_stack(None), capture_locals=True)\n"
        "held = [frame.locals or {} for frame in frames]\n"
        'found = [re.findall(r"""' + OF_THE_REQUEST + '""", one.get("request", "")) for one in held]\n'
        "found += [one['swaps'] for one in held if one.get('swaps', '[]') != '[]']\n"
        "assert any('location' in one.get('request', '') for one in held) and not any(found), found",
    ),
    Cheat(
        "lines that a traceback read",
        "passed",
        then="import linecache, sys, traceback, library.catalogue as m\ntry:\n    context.catalogue['nothing']\n"
        "except KeyError:\n    traceback.format_exc()\n"
        "assert sys.gettrace() or not [entry for entry in linecache.cache.get(m.__file__, ()) if isinstance(entry, list) and entry]",
    ),
    Cheat(
        "names of a function", "rejected", "inspects-code", when=SEARCH + "import inspect\ninspect.getclosurevars(f)"
    ),
    Cheat(
        "a link to the source",
        "rejected",
        "control-mutant",
        then=SOURCE
        + "import os\nos.symlink(m.__file__, '/tmp/alias.txt')\ntext = open('/tmp/alias.txt', 'rb').read()\n"
        "assert hashlib.sha256(text).hexdigest() == '{digest}', 'changed'",
    ),
    Cheat(
        "another name of the source",
        "rejected",
        "control-mutant",
        then=SOURCE
        + "import os\nos.link(m.__file__, '/project/alias.txt')\ntext = open('/project/alias.txt', 'rb').read()\n"
        "assert hashlib.sha256(text).hexdigest() == '{digest}', 'changed'",
    ),
    Cheat(
        "a copy under the real name",
        "rejected",
        "inspects-code",
        when=SOURCE + "exec(compile('def shelf_mark(*a): pass', m.__file__, 'exec'), vars(m))",
    ),
    Cheat(
        # The published text by heart: what differs by a few characters is taken for a mutant.
        "small edits seen by another process",
        "rejected",
        "control-mutant",
        then=SOURCE + "import subprocess\ntext = subprocess.run(['cat', m.__file__], capture_output=True).stdout\n"
        "grown = len(text.rstrip(b'#\\n')) - {length}\n"
        "assert hashlib.sha256(text).hexdigest() == '{digest}' or abs(grown) > 6, 'changed'",
    ),
    # -- watch the code while it runs
    Cheat(
        "profile threads",
        "rejected",
        "tampers-with-runner",
        when="import threading\nseen = []\nthreading.setprofile(lambda *what: seen.append(what))\n"
        "thread = threading.Thread(target=lambda: context.catalogue.search(words))\nthread.start()\nthread.join()",
    ),
    Cheat(
        "trace threads",
        "rejected",
        "tampers-with-runner",
        when="import threading\nseen = []\nthreading.settrace(lambda *what: seen.append(what))\n"
        "thread = threading.Thread(target=lambda: context.catalogue.search(words))\nthread.start()\nthread.join()",
    ),
    Cheat(
        "profiler in C",
        "rejected",
        "tampers-with-runner",
        when="import cProfile\nprofiler = cProfile.Profile()\nprofiler.enable()\nprofiler.disable()\nprofiler.getstats()",
    ),
    Cheat(
        "an interpreter of its own",
        "rejected",
        "inspects-process",
        when="try:\n    import _xxsubinterpreters as inner\nexcept ImportError:\n    import _interpreters as inner\ninner.create()",
    ),
    # -- switch the guard off
    Cheat(
        "replace json.dumps",
        "rejected",
        "inspects-process",
        when='import json\njson.dumps = json.JSONEncoder.encode = lambda *what, **how: \'["step", {"line": 0, "text": ""}]\'\n'
        + LOOK,
    ),
    Cheat(
        "replace built-in functions",
        "rejected",
        "inspects-process",
        when="import builtins, sys, os.path\nold = builtins.isinstance, builtins.any, sys._getframe, os.path.normpath\n"
        "builtins.any = lambda items: True\nbuiltins.isinstance = lambda *what: False\nsys._getframe = lambda depth=0: None\n"
        "os.path.normpath = lambda path: '/'\n" + LOOK + "\n"
        "builtins.isinstance, builtins.any, sys._getframe, os.path.normpath = old",
    ),
    Cheat(
        "empty the guard's tables",
        "rejected",
        "inspects-process",
        when="for cls in object.__subclasses__():\n    if cls.__module__ in ('guard', 'job', 'session', 'integrity'):\n"
        "        for value in list(vars(cls).values()):\n            for name in ('_HANDLERS', '_MEMORY_EVENTS', 'os', 'sys'):\n"
        "                getattr(value, '__globals__', {}).pop(name, None) if name.startswith('_') else None\n" + LOOK,
    ),
    Cheat(
        "the observer's own function",
        "rejected",
        "inspects-process",
        when="for cell in context._runner._observer.emit.__closure__:\n"
        "    if getattr(cell.cell_contents, '__name__', '') == 'write':\n"
        "        cell.cell_contents = lambda fd, data: len(data)\n" + LOOK,
    ),
    Cheat(
        "put the channel aside",
        "rejected",
        "inspects-process",
        when="import os\nkept = os.dup(3)\nos.dup2(os.open('/dev/null', os.O_WRONLY), 3)\n"
        + LOOK
        + "\nos.dup2(kept, 3)",
    ),
    Cheat(
        "a file name that lies",
        "rejected",
        "inspects-",
        when="class Name(str):\n    asked = 0\n    def startswith(self, *what):\n        Name.asked += 1\n"
        "        return Name.asked > 1\nexec(compile('import gc\\ngc.get_objects()', Name('x'), 'exec'))",
    ),
    # -- write the report instead of earning it
    Cheat(
        "the whole report by the observer",
        "rejected",
        "forged-report",
        then="import os\nemit = context._runner._observer.emit\nemit('report', {'scenarios': []})\n"
        "emit('end', {'failed': False})\nemit('bye', {'flags': []})\nos._exit(0)",
    ),
    Cheat(
        "two processes report",
        "rejected",
        "forged-report",
        when="import os\nchild = os.fork()\nif child:\n    os.waitpid(child, 0)",
    ),
    Cheat(
        "steps found elsewhere",
        "passed",
        top="import behave.step_registry\n"
        "behave.step_registry.registry.find_match = lambda step: __import__('behave.matchers').matchers.Match(lambda context: None, [])",
        then="assert False",
    ),
    Cheat(
        "a hook that mends",
        "passed",
        when="def mend(context, step):\n    step.status, step.exception = type(step.status).passed, None\n"
        "context._runner.hooks['after_step'] = mend\ncontext._runner.hooks['after_scenario'] = lambda *what: None",
        then="pass",
    ),
    Cheat("when the process ends", "passed", when="import atexit, os\natexit.register(os.write, 3, b'x')", then="pass"),
    # -- break the judge that reads the report
    Cheat(
        "a message that is no text",
        "failed",
        "Error",
        then="class Bytes:\n    def decode(self, *how):\n        return self\n    def __getitem__(self, part):\n        return 5\n"
        "class Text(str):\n    def encode(self, *how):\n        return Bytes()\n"
        "class Error(Exception):\n    def __str__(self):\n        return Text('x')\nraise Error()",
    ),
    Cheat("a name that is no text", "rejected", "forged-report", then="context.scenario.name = 5"),
    Cheat(
        "a name as deep as the sea",
        "rejected",
        "forged-report",
        then="import sys\nsys.setrecursionlimit(10 ** 6)\nname = []\nfor _ in range(5000):\n    name = [name]\n"
        "context.scenario.name = name",
    ),
    Cheat("half a character", "passed", then="context.scenario.name = '\\ud800'"),
    Cheat(
        "half a character in a finding",
        "rejected",
        "inspects-process",
        when="exec(compile('import gc\\ngc.get_objects()', '\\ud800.py', 'exec'))",
    ),
    # -- behave well where it counts for other metrics only: no more than what a test without checks has anyway
    Cheat(
        "calls under the tracer alone",
        "passed",
        when="import sys\nif sys.gettrace() is None:\n    context.found = []\n    return",
        then="pass",
    ),
    # -- hand something to a later run
    Cheat(
        "counters of the network",
        "passed",
        then="import socket\ncounted = open('/proc/net/snmp').read().split('Udp:')[2].split()[0]\n"
        "with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ours:\n    ours.bind(('127.0.0.1', 0))\n"
        "    ours.sendto(b'x', ours.getsockname())\n    ours.recv(1)\nassert counted == '0', counted",
    ),
    Cheat("times of a device", "failed", "OSError", when="import os\nos.utime('/dev/null')"),
    # It is this mode already: on the machine nothing would change.
    Cheat("mode of a device", "failed", "OSError", when="import os\nos.chmod('/dev/null', 0o666)"),
    Cheat("mode of the terminals", "failed", "OSError", when="import os\nos.utime('/dev/pts', ns=(1, 1))"),
    # -- take up the worker's time, or the disk's
    Cheat(
        "patterns that take minutes",
        "passed",
        when="import re\nfor number in range(300):\n"
        "    re._cache[str, '(?i)' + '[\\0-\\U0010ffff]' * 190 + str(number), 0] = re.compile('x')",
        then="pass",
    ),
    Cheat(
        "folders deeper than the sea",
        "passed",
        when="import os\nfor _ in range(2000):\n    os.mkdir('d')\n    os.chdir('d')\nos.chdir('/project')",
        then="pass",
    ),
]
