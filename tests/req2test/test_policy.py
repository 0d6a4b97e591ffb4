"""The submission policy: what is taken, and the rule that refuses the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from testmark.records.base import FileText
from testmark.records.definition import ProjectDefinition, ProjectTable, SourceTable
from testmark.records.kit import KitProject, View
from testmark.records.results import Prediction
from testmark.req2test.policy import Accepted, Empty, Rejected, check

CODE = "from behave import given\n\n\n@given('x')\ndef x(context):\n    pass\n"
PROJECT = KitProject(
    definition=ProjectDefinition(
        project=ProjectTable(name="shop", repo_url="r", commit="0" * 40), source=SourceTable(path=".")
    ),
    preload=("lxml.etree",),
    step_files=("features/steps/cart.py",),
    production_modules=("shop",),
    support_files=("features/environment.py", "features/support/money.py"),
)
VIEW = View(
    instance_id="shop/features/a.feature:3",
    removed=("features/steps/gone.py",),
    files=(FileText(path="src/shop/core.py", content="def f():\n    raise NotImplementedError\n"),),
    prompt="",
)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    for path, text in {
        "features/steps/cart.py": "old = 1\n",
        "features/steps/gone.py": "answer = 1\n",
        "src/shop/core.py": "def f():\n    return 1\n",
    }.items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return tmp_path


def judge(base: Path, *, patch: str | None = None, files: dict[str, str] | None = None) -> Accepted | Rejected | Empty:
    given = None if files is None else tuple(FileText(path=path, content=text) for path, text in files.items())
    prediction = Prediction(instance_id="i", model_name_or_path="m", files=given, model_patch=patch)
    return check(prediction, view=VIEW, project=PROJECT, base=base)


def test_step_files_and_plain_data_are_taken(base: Path) -> None:
    found = judge(base, files={"features/steps/new.py": CODE, "features/steps/data.json": "{}"})
    assert isinstance(found, Accepted)
    assert len(found.files) == 2


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("../features/steps/a.py", "path-escapes"),
        ("/features/steps/a.py", "path-escapes"),
        ("features/../a.py", "path-escapes"),
        ("features\\steps\\a.py", "path-escapes"),
        ("C:/features/a.py", "path-escapes"),
        ("features/steps/a\x00.py", "path-escapes"),
        ("features//a.py", "path-escapes"),
        ("", "path-escapes"),
        ("features/steps/" + "a" * 300 + ".py", "path-escapes"),
        ("src/shop/core.py", "path-outside-test-roots"),
        ("run.log", "path-outside-test-roots"),
        ("conftest.py", "path-outside-test-roots"),
        ("features/environment.py", "protected-file"),
        ("features/support/money.py", "protected-file"),
        ("features/steps/conftest.py", "protected-file"),
        ("features/sitecustomize.py", "protected-file"),
        ("features/x.pth", "protected-file"),
        ("features/a.feature", "protected-file"),
        ("features/steps/.hidden.py", "protected-file"),
        ("features/steps/a.pyc", "compiled-code"),
        ("features/steps/a.so", "compiled-code"),
        ("features/steps/a.zip", "compiled-code"),
        ("features/steps/a.sh", "not-a-test-file"),
        ("features/steps/re.py", "shadows-module"),
        ("features/steps/behave.py", "shadows-module"),
        ("features/steps/shop.py", "shadows-module"),
        ("features/steps/lxml.py", "shadows-module"),
    ],
)
def test_each_path_is_refused_by_its_rule(base: Path, path: str, rule: str) -> None:
    found = judge(base, files={"features/steps/new.py": CODE, path: CODE})
    assert isinstance(found, Rejected)
    assert found.rule == rule


@pytest.mark.parametrize(
    ("files", "rule"),
    [
        ({f"features/steps/a{n}.py": CODE for n in range(100_000)}, "too-many-files"),
        ({"features/steps/a.py": "x" * (2 << 20)}, "file-too-large"),
        ({f"features/steps/a{n}.py": "x" * (1 << 20) for n in range(9)}, "submission-too-large"),
        ({"features/steps/a.py": "x\x00"}, "not-text"),
        ({"features/steps/a.py": "\udc80"}, "not-text"),
        ({"features/steps/a.py": CODE, "features/steps/A.py": CODE}, "path-conflict"),
        ({"features/steps/a.txt": "x", "features/steps/a.txt/b.py": CODE}, "path-conflict"),
    ],
    ids=["many", "large", "large in all", "nul", "surrogate", "case", "file and folder"],
)
def test_each_submission_is_refused_by_its_rule(base: Path, files: dict[str, str], rule: str) -> None:
    found = judge(base, files=files)
    assert isinstance(found, Rejected)
    assert found.rule == rule


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"features/steps/a.py": ""},
        {"features/steps/a.py": '# nothing\n"""Text."""\n'},
        {"features/steps/a.txt": "x"},
    ],
)
def test_a_prediction_without_a_test_is_empty(base: Path, files: dict[str, str]) -> None:
    assert isinstance(judge(base, files=files), Empty)


def test_files_that_are_as_the_view_has_them_are_no_test(base: Path) -> None:
    assert isinstance(judge(base, files={"features/steps/cart.py": "old = 1\n"}), Empty)


def added(path: str, text: str) -> str:
    lines = text.splitlines()
    body = "".join(f"+{line}\n" for line in lines)
    return f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n{body}"


EDIT = "--- a/features/steps/cart.py\n+++ b/features/steps/cart.py\n@@ -1 +1,2 @@\n-old = 1\n+new = 2\n+more = 3\n"


def test_patches_add_and_change_files(base: Path) -> None:
    found = judge(base, patch=added("features/steps/new.py", CODE) + EDIT)
    assert isinstance(found, Accepted)
    assert {file.path: file.content for file in found.files} == {
        "features/steps/new.py": CODE,
        "features/steps/cart.py": "new = 2\nmore = 3\n",
    }


@pytest.mark.parametrize(
    ("patch", "rule"),
    [
        (EDIT.replace("-old", "-other"), "patch-does-not-apply"),
        (EDIT.replace("cart", "none"), "patch-does-not-apply"),
        (EDIT.replace("cart", "gone").replace("old", "answer"), "patch-does-not-apply"),
        (added("features/steps/cart.py", CODE), "patch-does-not-apply"),
        (
            (
                "--- a/src/shop/core.py\n+++ b/src/shop/core.py\n@@ -1,2 +1,2 @@\n def f():\n"
                "-    raise NotImplementedError\n+    return 2\n"
            ),
            "path-outside-test-roots",
        ),
        ("--- a/features/steps/cart.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-old = 1\n", "patch-deletes"),
        ("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", "patch-not-plain"),
        ("diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n", "patch-not-plain"),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "patch-not-plain"),
        ("diff --git a/x b/x\nGIT binary patch\nliteral 1\n", "patch-not-plain"),
        ("no patch at all\n", "patch-malformed"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@ broken\n", "patch-malformed"),
    ],
)
def test_each_patch_is_refused_by_its_rule(base: Path, patch: str, rule: str) -> None:
    found = judge(base, patch=patch)
    assert isinstance(found, Rejected)
    assert found.rule == rule


def test_patches_count_lines_by_line_feeds_alone(base: Path) -> None:
    text = "first = '\x0c \x1c \x85 \u2028'\nmiddle = '\r'\nold = 1\n"
    (base / "features/steps/odd.py").write_bytes(text.encode())
    change = "--- a/features/steps/odd.py\n+++ b/features/steps/odd.py\n@@ -3 +3 @@\n-old = 1\n+new = 1\n"
    found = judge(base, patch=change)
    assert isinstance(found, Accepted)
    assert [file.content for file in found.files] == [text.replace("old", "new")]
