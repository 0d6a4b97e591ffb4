"""What an agent gets holds no developer's test, nothing that is made of one, and no history: every planted leak is found."""

from __future__ import annotations

import difflib
import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from testmark.engine.cache import default_cache
from testmark.engine.files import sha256_file
from testmark.records.evokit import EvoKit
from testmark.records.tasks import TRACKS, Track
from testmark.testevo.archives import pack, unpacked
from testmark.testevo.bench import EvoBench, open_bench
from testmark.testevo.leakcheck import WorkspaceChecker, check_leaks
from testmark.testevo.workspace import built_folders, write_workspace
from tests.testevo.small_history import TEST
from tests.testevo.test_placing import MODULE

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.xdist_group("testevo")]


@dataclass(frozen=True)
class Laid:
    """One task laid out, with what a leak is made of."""

    bench: EvoBench
    kit: EvoKit
    folder: Path

    @property
    def code(self) -> str:
        """The developer's new method."""
        return self.kit.targets[0].code

    @property
    def built(self) -> Path:
        """The new revision with all that its build made."""
        return self.bench.files(self.kit.new, default_cache())

    def write(self, path: str, text: str | bytes) -> None:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())

    def git(self, *arguments: str) -> str:
        line = ["git", "-C", str(self.folder), "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments]
        return subprocess.run(line, check=True, capture_output=True, text=True).stdout.strip()

    def leaks(self) -> list[tuple[str, str]]:
        """Kind and path of each leak."""
        found = WorkspaceChecker([self.kit]).check(self.folder, self.kit)
        return [(leak.kind, leak.path.removeprefix(f"{self.kit.task_id}: ")) for leak in found]


def laid_out(bench: Path, track: Track, folder: Path) -> Laid:
    opened = open_bench(bench)
    (row,) = opened.rows(track)
    write_workspace(opened, row.task_id, folder, default_cache())
    return Laid(opened, opened.kit(row.task_id), folder)


@pytest.fixture
def laid(bench: Path, tmp_path: Path) -> Laid:
    return laid_out(bench, "refinement", tmp_path / "workspace")


def zipped(laid: Laid, path: str, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(laid.folder / path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def compiled(laid: Laid) -> bytes:
    return (laid.built / "target/test-classes/org/example/FeesTest.class").read_bytes()


def quoted(laid: Laid) -> str:
    return "# Changes\n\nThe test:\n\n```java\n" + laid.code.replace("    ", "\t") + "\n```\n"


def as_patch(laid: Laid) -> str:
    texts = [(text or "").splitlines(keepends=True) for text in (laid.kit.old_text, laid.kit.new_text)]
    return "".join(difflib.unified_diff(*texts, "a/FeesTest.java", "b/FeesTest.java", n=9))


PLANTED: dict[str, tuple[Callable[[Laid], object], tuple[str, str]]] = {
    "the test itself": (lambda laid: laid.write(TEST, laid.kit.new_text), ("reference test", TEST)),
    "in a document": (lambda laid: laid.write("CHANGES.md", quoted(laid)), ("reference test", "CHANGES.md")),
    "in one line": (lambda laid: laid.write("a.txt", " ".join(laid.code.split())), ("reference test", "a.txt")),
    "with other comments": (
        lambda laid: laid.write("A.java", laid.code.replace(";\n", "; // so\n/* it\nis */")), ("reference test", "A.java"),
    ),
    "commented out": (
        lambda laid: laid.write("A.java", "\n".join(f"// {line}" for line in laid.code.splitlines())),
        ("reference test", "A.java"),
    ),
    "with ends of Windows": (
        lambda laid: laid.write("A.java", laid.code.replace("\n", "\r\n")), ("reference test", "A.java"),
    ),
    "in UTF-16": (lambda laid: laid.write("a.txt", laid.code.encode("utf-16")), ("reference test", "a.txt")),
    "as JSON": (lambda laid: laid.write("a.json", json.dumps({"t": laid.code})), ("reference test", "a.json")),
    "as a patch": (lambda laid: laid.write("a.patch", as_patch(laid)), ("reference test", "a.patch")),
    "in a zip": (
        lambda laid: zipped(laid, "a.zip", {"T.java": laid.kit.new_text.encode()}), ("reference test", "a.zip"),
    ),
    "compiled": (lambda laid: laid.write("lib/x.class", compiled(laid)), ("byte code", "lib/x.class")),
    "compiled in a jar": (
        lambda laid: zipped(laid, "tests.jar", {"org/example/FeesTest.class": compiled(laid)}), ("byte code", "tests.jar"),
    ),
    "a build's folder": (
        lambda laid: shutil.copytree(laid.built / "target", laid.folder / "target"),
        ("byte code", "target/test-classes/org/example/FeesTest.class"),
    ),
    "what else a build leaves": (lambda laid: laid.write("target/x", "x"), ("build output", "target/x")),
    "reports of Surefire": (
        lambda laid: laid.write("a/surefire-reports/x.xml", "<a/>"), ("test report", "a/surefire-reports/x.xml"),
    ),
    "a report elsewhere": (
        lambda laid: laid.write("x.xml", '<testcase name="lost" classname="org.example.FeesTest"/>'),
        ("test report", "x.xml"),
    ),
    "the kit": (lambda laid: laid.write("kit.json", laid.kit.to_json()), ("mined record", "kit.json")),
    "the row": (
        lambda laid: shutil.copy(laid.bench.folder / "refinement/data/full.jsonl", laid.folder),
        ("mined record", "full.jsonl"),
    ),
    "a later commit": (lambda laid: laid.git("commit", "-q", "--allow-empty", "-m", "x"), ("history", ".git")),
    "a tag": (lambda laid: laid.git("tag", "v1"), ("history", ".git/refs/tags/v1")),
    "a branch": (lambda laid: laid.git("branch", "next"), ("history", ".git/refs/heads/next")),
    "a remote": (lambda laid: laid.git("remote", "add", "origin", "https://host/x"), ("history", ".git/config")),
    "objects of others": (
        lambda laid: laid.write(".git/objects/info/alternates", "/nowhere\n"), ("history", ".git/objects/info/alternates"),
    ),
    "a repository in it": (lambda laid: laid.write("sub/.git/HEAD", "x"), ("history", "sub/.git")),
    "a bundle": (lambda laid: laid.git("bundle", "create", "-q", "x.bundle", "HEAD"), ("history", "x.bundle")),
    "a link to the outside": (lambda laid: (laid.folder / "x").symlink_to(laid.bench.folder / "kit"), ("link", "x")),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_leak_is_found(laid: Laid, name: str) -> None:
    plant, expected = PLANTED[name]
    plant(laid)
    assert expected in laid.leaks()


@pytest.mark.parametrize("track", TRACKS)
def test_what_git_still_has_of_an_answer_is_found(bench: Path, tmp_path: Path, track: Track) -> None:
    laid = laid_out(bench, track, tmp_path / "workspace")
    laid.write(TEST, laid.kit.new_text)
    laid.git("add", TEST)
    laid.git("commit", "--quiet", "-m", "answer")
    blob = laid.git("rev-parse", f"HEAD:{TEST}")
    laid.git("reset", "--quiet", "--hard", "HEAD~1")
    found = laid.leaks()
    assert {kind for kind, _ in found} == {"history"}
    # The commit is named by the reflog, and it, its folders and the file are stored.
    assert {".git", f".git/objects/{blob[:2]}/{blob[2:]}"} <= {path for _, path in found}


@pytest.mark.parametrize("piece", ["its body", "its new lines"])
def test_long_pieces_are_found_without_the_rest(laid: Laid, piece: str) -> None:
    lines = [f"        assertEquals({price + 3}, new Fees().lost({price}, true));" for price in (1, 2, 3)]
    code = laid.kit.targets[0].code.replace("    }", "\n".join(["", *lines, "    }"]))
    target = laid.kit.targets[0].model_copy(update={"code": code})
    longer = replace(laid, kit=laid.kit.model_copy(update={"targets": (target,)}))
    assert longer.leaks() == []
    body = code.partition("{")[2].rpartition("}")[0]
    longer.write("a.txt", body if piece == "its body" else body[body.index("assertEquals(13") :])
    assert longer.leaks() == [("reference test", "a.txt")]


def test_the_mined_benchmark_is_clean(bench: Path) -> None:
    assert check_leaks(bench) == []


# -- what is no leak ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        # the old test, and a test of the same name
        "@Test\n    void lost() {\n        assertEquals(15, new Fees().lost(10, false));\n    }",
        "@Test void lost() { assertEquals(1, new Shop().lost()); }",
        # one of its lines alone: it is short, and says little
        "assertEquals(13, new Fees().lost(10, true));",
    ],
)
def test_what_only_looks_like_the_answer_is_none(laid: Laid, text: str) -> None:
    laid.write("src/test/java/org/example/OtherTest.java", text)
    assert laid.leaks() == []


def test_what_the_older_commit_says_is_no_secret(laid: Laid) -> None:
    laid.write("docs/lost.md", quoted(laid))
    laid.git("checkout", "--quiet", "HEAD~1")
    laid.git("add", "docs")
    laid.git("commit", "--quiet", "--amend", "-m", "old")
    older = laid.git("rev-parse", "HEAD")
    tree = laid.git("rev-parse", "main^{tree}")
    newer = laid.git("commit-tree", tree, "-p", older, "-m", "new")
    laid.git("checkout", "--quiet", "-B", "main", newer)
    laid.git("reflog", "expire", "--expire=now", "--all")
    laid.git("gc", "--quiet", "--prune=now")
    laid.write("docs/lost.md", quoted(laid))
    assert laid.leaks() == []
    laid.write("docs/more.md", laid.kit.to_json())
    assert [path for _, path in laid.leaks()] == ["docs/more.md"]


# -- how workspaces are laid out --------------------------------------------------------------------------------------


def with_files(bench: Path, out: Path, revision: str, files: dict[str, str]) -> Path:
    """A copy of the benchmark in which a revision has more files."""
    shutil.copytree(bench, out, symlinks=True, ignore=shutil.ignore_patterns(".mine"))
    opened = open_bench(out)
    (kit,) = (kit for name in opened.names() if (kit := opened.kit(name)).new.revision == revision)
    archive = f"kit/trees/{kit.new.tree}.tar.gz"
    tree = out.parent / "tree"
    shutil.copytree(unpacked(out / archive, default_cache() / "trees"), tree, symlinks=True)
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    pack(tree, out / archive, compress=True)
    hashes = {**opened.manifest.hashes, archive: sha256_file(out / archive)}
    manifest = opened.manifest.model_copy(update={"hashes": hashes})
    (out / "bench.json").write_text(manifest.to_json())
    return out


def test_documents_that_quote_the_answer_are_those_of_the_old_code(
    bench: Path, laid: Laid, commits: list[str], tmp_path: Path
) -> None:
    place = tmp_path / "old"
    old = with_files(bench, place / "bench", commits[2], {"CHANGES.md": "# Changes\n"})
    shutil.rmtree(place / "tree")
    new = {"CHANGES.md": quoted(laid), "docs/new.md": quoted(laid), "docs/other.md": "other"}
    both = with_files(old, place / "both", commits[3], new)
    again = laid_out(both, "refinement", tmp_path / "again")
    assert (again.folder / "CHANGES.md").read_text() == "# Changes\n"
    assert not (again.folder / "docs/new.md").exists()
    assert (again.folder / "docs/other.md").read_text() == "other"
    assert (again.leaks(), again.git("status", "--porcelain")) == ([], "?? TASK.md")


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ({"classes": "target/classes", "test_classes": "target/test-classes"}, {"target", "target/classes", "target/test-classes"}),
        ({"classes": "out/main", "test_classes": "out/test"}, {"target", "out", "out/main", "out/test"}),
        # classes beside the sources, and in a folder that holds sources: what is around them is no build's
        ({"classes": "bin", "test_classes": "tbin"}, {"target", "bin", "tbin"}),
        ({"classes": "src/web/classes", "test_classes": "src/web/tests"}, {"target", "src/web", "src/web/classes", "src/web/tests"}),
        ({"main_root": "app/src", "classes": "app/main", "test_classes": "app/test"}, {"target", "app/main", "app/test"}),
    ],
)  # fmt: skip
def test_folders_of_builds_are_known_wherever_they_are(tmp_path: Path, given: dict[str, str], made: set[str]) -> None:
    (tmp_path / "pom.xml").write_text("")
    one = MODULE.model_copy(update={"path": "", "main_root": "src/main/java", "test_root": "src/test/java", **given})
    for path in ("target", "target/generated", "src/main/java", one.main_root, one.classes, one.test_classes):
        (tmp_path / path).mkdir(parents=True, exist_ok=True)
    assert built_folders(tmp_path, [one]) == made


def test_the_store_holds_no_compiled_test(laid: Laid, tmp_path: Path) -> None:
    checker = WorkspaceChecker([laid.kit])
    store = tmp_path / "store/org/example/fees/2"
    store.mkdir(parents=True)
    for name, member in (("fees-2.jar", "org/example/Fees.class"), ("fees-2-tests.jar", "org/example/FeesTest.class")):
        with zipfile.ZipFile(store / name, "w") as jar:
            jar.writestr(
                member,
                (laid.built / ("target/test-classes" if "Test" in member else "target/classes") / member).read_bytes(),
            )
    assert checker.check_store(laid.bench.store(default_cache()), [laid.kit]) == []
    (leak,) = checker.check_store(tmp_path / "store", [laid.kit])
    assert (leak.kind, leak.path) == ("byte code", "store/org/example/fees/2/fees-2-tests.jar")


# -- the command -----------------------------------------------------------------------------------------------------


def command(bench: Path, *more: str) -> subprocess.CompletedProcess[str]:
    program = "from testmark.cli.testevo import main; main()"
    line = [sys.executable, "-c", program, "check-leaks", str(bench), *more]
    return subprocess.run(line, capture_output=True, text=True, check=False)


def test_the_command_names_each_leak_and_fails(bench: Path, laid: Laid, commits: list[str], tmp_path: Path) -> None:
    done = command(bench)
    assert (done.returncode, done.stdout) == (0, f"{bench}: no leaks\n")
    done = command(bench, "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, {"leaks": []})
    twin = "src/test/java/org/example/TwinTest.java"
    leaky = with_files(bench, tmp_path / "leaky", commits[3], {twin: laid.kit.new_text.replace("FeesTest", "TwinTest")})
    leak = f"reference test: {laid.kit.task_id}: {twin}: the new code of org.example.FeesTest#lost"
    done = command(leaky)
    assert (done.returncode, done.stdout, done.stderr) == (1, f"LEAK {leak}\n", "")
    done = command(leaky, "--json")
    assert (done.returncode, json.loads(done.stdout)) == (1, {"leaks": [leak]})
    (leaky / "kit/store.tar").write_bytes(b"")
    done = command(leaky)
    assert (done.returncode, "is not the file that bench.json records" in done.stderr) == (2, True)
