"""Faults of what is handed in: the file of predictions, and single predictions."""

from __future__ import annotations

import os
import stat

from tests.faults.fault import EVALUATE, Fault, as_root
from tests.faults.place import ID, STEPS, Place, prediction
from tests.support import tiny

GIB = 1 << 30
SHOW = f"req2test show judged {ID}"
FLICKER = """\
    import time
    second = int(time.monotonic())
    while int(time.monotonic()) == second:
        time.sleep(0.01)
    assert second % 2
    assert context.sum"""
"""Passes and fails in turns, as each run ends when a second does."""
EDIT = "--- a/{0}\n+++ b/{0}\n@@ -1,1 +1,1 @@\n-{1}\n+{2}\n"


def file_fault(name: str, says: str, *lines: object) -> Fault:
    """A file of predictions that is refused whole."""
    return Fault(name, EVALUATE, 2, says, lambda place: place.predictions(*lines))


def path_fault(name: str, path: str, rule: str, content: str = tiny.STEPS) -> Fault:
    """A prediction of one file that is rejected."""
    return verdict_fault(name, f"^{rule}: ", files=[{"path": path, "content": content}])


def verdict_fault(name: str, says: str, **given: object) -> Fault:
    """A prediction that is judged: the others are judged too, and the exit code is 0."""
    return Fault(
        name, EVALUATE, 0, says, lambda place: place.predictions(prediction(**given)), told_by=SHOW, writes=("judged",)
    )


def steps_fault(name: str, says: str, before: str, after: str) -> Fault:
    """A prediction that is the reference but for one text."""
    assert tiny.STEPS.count(before) == 1
    return verdict_fault(name, says, files=[{"path": STEPS, "content": tiny.STEPS.replace(before, after)}])


def node(kind: int, device: int = 0) -> object:
    """Plants a file that is none under the name of the predictions."""

    def plant(place: Place) -> None:
        os.mknod(place.top / "predictions.jsonl", kind | 0o644, device)

    return plant


def new_file(path: str, mode: str, *lines: str) -> str:
    """A patch that adds a file."""
    body = "".join(f"+{line}\n" for line in lines)
    return f"diff --git a/{path} b/{path}\nnew file mode {mode}\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n{body}"


FILES = (
    file_fault("predictions that are not JSON", r"^error: predictions\.jsonl:2: is not JSON", prediction(), "{broken"),
    file_fault("a NUL in the file", r"predictions\.jsonl:1: is not JSON", b'{"instance_id": "\0"}'),
    file_fault("a file that is not UTF-8", r"predictions\.jsonl:2: is not UTF-8", prediction(), b'{"a": "\xff"}'),
    file_fault(
        "text that UTF-8 cannot hold",
        r"predictions\.jsonl:1: holds text that UTF-8 cannot hold",
        prediction(model_patch="\udc80"),
    ),
    file_fault("a line that is no object", r"predictions\.jsonl:1: is no JSON object", [1]),
    file_fault("JSON nested a hundred thousand deep", r"predictions\.jsonl:1: is not JSON", "[" * 100_000),
    file_fault(
        "an unknown id", r"predictions\.jsonl:1: the benchmark has no instance .* did you mean", prediction(ID + "3")
    ),
    file_fault("a repeated id", r"predictions\.jsonl:2: .* in line 1 already", prediction(), prediction()),
    file_fault(
        "a key given twice in one line",
        r"predictions\.jsonl:1: is not JSON .*the key `instance_id` stands twice",
        '{"instance_id": "a", "instance_id": "b"}',
    ),
    Fault(
        "a repeated id in preds.json",
        "req2test evaluate bench preds.json --out judged --quiet",
        2,
        r"preds\.json:1: is not JSON .*`.*` stands twice",
        lambda place: place.predictions(f'{{"{ID}": {{}}, "{ID}": {{}}}}', name="preds.json"),
    ),
    Fault(
        "preds.json nested a hundred thousand deep",
        "req2test evaluate bench preds.json --out judged --quiet",
        2,
        r"preds\.json:1: is not JSON",
        lambda place: place.predictions('{"a": {"b": ' + "[" * 100_000, name="preds.json"),
    ),
    file_fault("neither files nor a patch", r"predictions\.jsonl:1: give exactly one of", prediction(files=None)),
    file_fault(
        "two models in one file",
        r"predictions\.jsonl:2: the model is `n`",
        prediction(),
        prediction("x") | {"model_name_or_path": "n"},
    ),
    Fault("no such file", EVALUATE, 2, r"predictions\.jsonl: there is no such file; give"),
    Fault(
        "a link that leads nowhere",
        EVALUATE,
        2,
        r"predictions\.jsonl: is a link that leads nowhere",
        lambda place: (place.top / "predictions.jsonl").symlink_to("gone"),
    ),
    Fault(
        "a device in the place of the file",
        EVALUATE,
        2,
        r"predictions\.jsonl: is no regular file",
        node(stat.S_IFCHR, os.makedev(1, 5)),
        needs=as_root,
    ),
    Fault(
        "a pipe in the place of the file", EVALUATE, 2, r"predictions\.jsonl: is no regular file", node(stat.S_IFIFO)
    ),
    Fault(
        "a line of 1 GiB",
        f"ulimit -v 900000; {EVALUATE}",
        2,
        r"predictions\.jsonl:1: is longer than 64 MiB",
        lambda place: place.sparse("predictions.jsonl", GIB, b'{"instance_id": "'),
    ),
    Fault(
        "preds.json of 1 GiB",
        "ulimit -v 900000; req2test evaluate bench preds.json --out judged --quiet",
        2,
        r"preds\.json: is too large",
        lambda place: place.sparse("preds.json", GIB, b'{\n"a": {'),
    ),
)
PREDICTIONS = (
    path_fault("`..` in a path", "features/../../steps.py", "path-escapes"),
    path_fault("an absolute path", "/features/steps/a.py", "path-escapes"),
    path_fault("a NUL in a path", "features/steps/a\0.py", "path-escapes"),
    path_fault("production code as a file", "src/sums/core.py", "path-outside-test-roots"),
    path_fault("compiled code", "features/steps/a.pyc", "compiled-code"),
    path_fault("hooks", "features/environment.py", "protected-file"),
    path_fault("a NUL in a test", STEPS, "not-text", tiny.STEPS + "\0"),
    path_fault("a test of 2 MiB", STEPS, "file-too-large", "#" * (2 << 20)),
    verdict_fault(
        "100,000 files",
        "^too-many-files: ",
        files=[{"path": f"features/steps/a{number}.py", "content": "x = 1\n"} for number in range(100_000)],
    ),
    verdict_fault("a link", "^patch-not-plain: ", model_patch=new_file("features/steps/a.py", "120000", "/etc/passwd")),
    verdict_fault(
        "a binary patch",
        "^patch-not-plain: ",
        model_patch="diff --git a/features/a b/features/a\nGIT binary patch\nliteral 1\n",
    ),
    verdict_fault(
        "a patch that does not apply",
        "^patch-does-not-apply: ",
        model_patch=EDIT.format("features/environment.py", "other", "new"),
    ),
    verdict_fault("a patch that is none", "^patch-malformed: ", model_patch="no patch at all\n"),
    verdict_fault(
        "a patch that touches production code",
        "^path-outside-test-roots: ",
        model_patch=EDIT.format("src/sums/core.py", '"""Sums."""', '"""All."""'),
    ),
    verdict_fault("a prediction without a test", "holds no test", files=[]),
    steps_fault("steps with a syntax error", "SyntaxError", "def added(context):", "def added(context:"),
    steps_fault("an import error in steps", "No module named 'nowhere'", "import add", "import add\nimport nowhere"),
    steps_fault(
        "an ambiguous step",
        "AmbiguousStep",
        '@when("they are added")',
        '@when("they are {what}")\ndef what(context, what):\n    pass\n\n\n@when("they are added")',
    ),
    steps_fault(
        "an undefined step",
        "^undefined step at line 5: When they are added",
        '@when("they are added")',
        '@when("they are not")',
    ),
    steps_fault(
        "a test that flickers",
        "^failed, then passed|^passed, then not",
        "    assert context.sum",
        FLICKER,
    ),
    steps_fault(
        "a test that writes into the checkout",
        "mutant_kill_recall 1.000",
        "    assert context.sum",
        "    for path in ('features/adding.feature', 'features/environment.py', 'new.txt'):\n"
        "        open(path, 'w').close()\n"
        "    assert context.sum",
    ),
    steps_fault(
        "a test that writes over production code",
        "^reads-production-source: .* opens src/sums/core.py",
        "    assert context.sum",
        "    open('src/sums/core.py', 'w').close()\n    assert context.sum",
    ),
)
