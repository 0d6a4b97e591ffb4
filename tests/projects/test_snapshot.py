"""Snapshots: what is in them, and that the same content is always the same bytes."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from testmark.projects import snapshot
from testmark.projects.globs import matches


def _tree(root: Path) -> Path:
    for name in (
        "src/p/__init__.py",
        "src/p/a.py",
        "src/p/build.py",
        "features/x.feature",
        "build/tool.py",
        "dist/data.txt",
        "env/readme.txt",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name, encoding="utf-8")
    return root


def _paths(root: Path, **options: object) -> list[str]:
    return [entry.path for entry in snapshot.select(root, **options).entries]  # type: ignore[arg-type]


RUBBISH = (
    ".git/HEAD",
    "sub/.git",
    ".hg/store",
    ".svn/x",
    "src/p/__pycache__/a.cpython-311.pyc",
    "src/p/b.pyc",
    "old.pyo",
    ".pytest_cache/v",
    ".mypy_cache/x",
    ".tox/py/x",
    ".eggs/x",
    "x.egg/y",
    "src/p.egg-info/PKG-INFO",
    "venv/pyvenv.cfg",
    "venv/lib/site.py",
    "sub/build/lib/p.py",
    "out/dist/p-1.whl",
    "node_modules/x.js",
    ".coverage",
    ".coverage.host.1",
    "p.egg-link",
    "bench/bench.json",
    "bench/kit/k",
    "runs/run.json",
    "runs/tasks/t.json",
)


def test_what_tools_leave_behind_is_left_out(tmp_path: Path) -> None:
    root = _tree(tmp_path)
    clean = _paths(root)
    assert clean == sorted(clean)
    assert "build/tool.py" in clean
    assert "dist/data.txt" in clean
    for name in RUBBISH:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x", encoding="utf-8")
    (root / "bench/kit").mkdir(exist_ok=True)
    assert _paths(root) == clean
    assert "src/p.egg-info/PKG-INFO" in _paths(root, keep_egg_info=True)


def test_excluded_globs_take_whole_folders(tmp_path: Path) -> None:
    assert _paths(_tree(tmp_path), exclude=("src", "*/data.txt", "**/x.*")) == ["build/tool.py", "env/readme.txt"]


def test_links_stay_inside_and_the_rest_is_noted(tmp_path: Path) -> None:
    root = _tree(tmp_path / "project")
    secret = tmp_path / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    (root / "good.py").symlink_to("src/p/a.py")
    (root / "folder").symlink_to("src/p")
    (root / "outside").symlink_to("../secret.txt")
    (root / "absolute").symlink_to(secret)
    (root / "dangling").symlink_to("nowhere")
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(root)
        listener.bind("socket")
    selection = snapshot.select(root)
    assert {entry.path: entry.link for entry in selection.entries if entry.link} == {
        "good.py": "src/p/a.py",
        "folder": "src/p",
    }
    assert [note.split()[0] for note in selection.notes] == [
        "absolute",
        "dangling",
        "loop",
        "outside",
        "pipe",
        "socket",
    ]
    target = tmp_path / "copy"
    target.mkdir()
    snapshot.copy(root, selection, target)
    assert (target / "folder/a.py").read_text(encoding="utf-8") == "src/p/a.py"
    assert not any("secret" in path.read_text(encoding="utf-8") for path in target.rglob("*") if path.is_file())


def test_a_link_into_what_is_left_out_is_left_out(tmp_path: Path) -> None:
    root = _tree(tmp_path)
    (root / ".git").mkdir()
    (root / ".git/config").write_text("x", encoding="utf-8")
    (root / "config").symlink_to(".git/config")
    assert "config" not in _paths(root)


def test_two_copies_are_the_same_to_the_byte(tmp_path: Path) -> None:
    root = _tree(tmp_path / "project")
    (root / "run.sh").write_text("x", encoding="utf-8")
    (root / "run.sh").chmod(0o777)
    (root / "src/p/a.py").chmod(0o600)
    facts: list[list[tuple[Path, int, float]]] = []
    for name in ("one", "two"):
        os.utime(root / "src/p/a.py", (len(name), 5 * len(facts)))
        selection = snapshot.select(root)
        (tmp_path / name).mkdir()
        snapshot.copy(root, selection, tmp_path / name)
        found = sorted((tmp_path / name).rglob("*"))
        facts.append([(p.relative_to(tmp_path / name), p.lstat().st_mode, p.lstat().st_mtime) for p in found])
        assert snapshot.tree_hash(tmp_path / name, snapshot.select(tmp_path / name)) == snapshot.tree_hash(
            root, selection
        )
    assert facts[0] == facts[1]
    modes = {str(path): mode & 0o777 for path, mode, _ in facts[0]}
    assert (modes["run.sh"], modes["src/p/a.py"]) == (0o755, 0o644)
    assert {time for _, _, time in facts[0]} == {snapshot.STAMP}


@pytest.mark.parametrize("change", ["content", "name", "mode", "link"])
def test_the_hash_changes_with_everything_that_matters(tmp_path: Path, change: str) -> None:
    root = _tree(tmp_path)
    before = snapshot.tree_hash(root, snapshot.select(root))
    path = root / "src/p/a.py"
    if change == "content":
        path.write_text("SRC/p/a.py", encoding="utf-8")
    elif change == "name":
        path.rename(root / "src/p/b.py")
    elif change == "mode":
        path.chmod(0o755)
    else:
        path.unlink()
        path.symlink_to("build.py")
    assert snapshot.tree_hash(root, snapshot.select(root)) != before


GLOBS = (
    ("a.py", "*.py", True),
    ("d/a.py", "*.py", False),
    ("d/a.py", "**/*.py", True),
    ("a.py", "**/*.py", True),
    ("d/e/f", "d", True),
    ("d/e/f", "d/**", True),
    ("d", "d/**", False),
    ("d/e/f", "**/e", True),
    ("dx", "d", False),
    ("a1", "a[0-9]", True),
    ("ab", "a[!b]", False),
    ("a/b", "a?b", False),
    ("x.y", "x.y", True),
    ("xay", "x.y", False),
    ("d/e/f/g", "d/**/g", True),
    ("q", "**", True),
    ("[x]", "[[]x[]]", True),
)


@pytest.mark.parametrize(("path", "pattern", "expected"), GLOBS)
def test_globs(path: str, pattern: str, expected: bool) -> None:
    assert matches(path, pattern) is expected
