"""What of a prediction counts."""

from __future__ import annotations

import pytest

from testmark.records.base import FileText
from testmark.records.results import Prediction
from testmark.testevo.policy import Accepted, Refused, check

PLACE = "src/test/java/a/BTest.java"

OLD = "class BTest {\n  int a;\n}\n"
NEW = "class BTest {\n  int b;\n}\n"
HUNK = f"--- a/{PLACE}\n+++ b/{PLACE}\n@@ -1,3 +1,3 @@\n class BTest {{\n-  int a;\n+  int b;\n }}\n"
GIT = f"diff --git a/{PLACE} b/{PLACE}\nindex 1..2 100644\n{HUNK}"
ADDED = f"--- /dev/null\n+++ b/{PLACE}\n@@ -0,0 +1,3 @@\n+class BTest {{\n+  int b;\n+}}\n"
BINARY = "diff --git a/x.bin b/x.bin\nnew file mode 100644\nindex 0..1\nBinary files /dev/null and b/x.bin differ\n"
POM = "diff --git a/pom.xml b/pom.xml\nindex 1..2 100644\n--- a/pom.xml\n+++ b/pom.xml\n@@ -9 +9 @@\n-x\n+y\n"
GONE = "diff --git a/old.txt b/old.txt\ndeleted file mode 100644\n--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"


def files(*given: FileText) -> Prediction:
    return Prediction(instance_id="t", model_name_or_path="m", files=given)


def patch(text: str) -> Prediction:
    return Prediction(instance_id="t", model_name_or_path="m", model_patch=text)


@pytest.mark.parametrize(
    ("text", "before", "others"),
    [
        (HUNK, OLD, ()),
        (GIT, OLD, ()),
        (ADDED, None, ()),
        (BINARY + GIT, OLD, ("x.bin",)),
        (POM + GIT + GONE, OLD, ("pom.xml", "old.txt")),
        (HUNK + "--- a/pom.xml\n+++ b/pom.xml\n@@ -9 +9 @@\n-x\n+y\n", OLD, ("pom.xml",)),
    ],
)
def test_a_patch_counts_as_what_it_makes_of_the_test_file(
    text: str, before: str | None, others: tuple[str, ...]
) -> None:
    assert check(patch(text), PLACE, before) == Accepted(NEW, others)


def test_a_name_beyond_ascii_is_read_as_git_quotes_it() -> None:
    place, quoted = "src/test/java/ä/BTest.java", "src/test/java/\\303\\244/BTest.java"
    text = GIT.replace(f"a/{PLACE}", f'"a/{quoted}"').replace(f"b/{PLACE}", f'"b/{quoted}"')
    assert check(patch(text), place, OLD) == Accepted(NEW, ())
    assert check(patch(text), PLACE, OLD) == Refused("empty")


@pytest.mark.parametrize(
    ("text", "before", "reason"),
    [
        ("", OLD, "empty"),
        (POM, OLD, "empty"),
        (BINARY, OLD, "empty"),
        (GIT, NEW, "patch-does-not-apply: "),
        (GIT, None, "patch-does-not-apply: "),
        (ADDED, OLD, "patch-does-not-apply: "),
        (GIT + GIT, OLD, "patch-malformed: "),
        ("no patch at all", OLD, "patch-malformed: "),
        (GIT.replace("index 1..2 100644", "old mode 100644\nnew mode 120000"), OLD, "patch-not-plain: "),
    ],
)
def test_a_patch_that_is_none_or_does_not_apply_is_refused(text: str, before: str | None, reason: str) -> None:
    found = check(patch(text), PLACE, before)
    assert isinstance(found, Refused)
    assert found.reason.startswith(reason)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("class A { }\0", "not-text: "),
        ("// \ud800", "not-text: "),
    ],
)
def test_what_is_no_text_is_refused(content: str, reason: str) -> None:
    found = check(files(FileText(path=PLACE, content=content)), PLACE, None)
    assert isinstance(found, Refused)
    assert found.reason.startswith(reason)


def test_only_the_target_test_file_counts() -> None:
    pom = FileText(path="pom.xml", content="<project/>")
    own = FileText(path=f"./{PLACE}", content="class BTest { }")
    assert check(files(pom, own), PLACE, None) == Accepted("class BTest { }", ("pom.xml",))
