"""Checkouts from a folder, a git repository and a source distribution."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest

from testmark.errors import InfraError, UserError
from testmark.projects import archive
from testmark.projects.checkout import Checkout, materialise
from testmark.projects.load import LoadedDefinition, load_definition
from testmark.projects.store import locked, publish

from .conftest import MINIMAL, commit_all, git


def _files(checkout: Checkout) -> list[str]:
    return sorted(str(path.relative_to(checkout.folder)) for path in checkout.folder.rglob("*") if not path.is_dir())


SHELF_FILES = ["features/size.feature", "features/steps/size.py", "src/shelf.py"]


def test_a_folder_becomes_a_snapshot_and_is_found_again(shelf: Path, tmp_path: Path) -> None:
    first = materialise(load_definition(shelf), tmp_path / "cache")
    assert _files(first) == SHELF_FILES
    inode = first.folder.stat().st_ino
    (shelf / "testmark.toml").write_text(MINIMAL + "[caps]\nmutants = 3\n", encoding="utf-8")
    again = materialise(load_definition(shelf), tmp_path / "cache")
    assert (again, again.folder.stat().st_ino) == (first, inode)
    (shelf / "src/shelf.py").write_text("def size():\n    return 4\n", encoding="utf-8")
    assert materialise(load_definition(shelf), tmp_path / "cache").tree_hash != first.tree_hash


def test_a_snapshot_that_was_changed_is_made_again(shelf: Path, tmp_path: Path) -> None:
    first = materialise(load_definition(shelf), tmp_path / "cache")
    (first.folder / "src/shelf.py").write_text("def size():\n    return 9\n", encoding="utf-8")
    (first.folder / "left.txt").write_text("x", encoding="utf-8")
    again = materialise(load_definition(shelf), tmp_path / "cache")
    assert (again.folder / "src/shelf.py").read_text(encoding="utf-8") == "def size():\n    return 3\n"
    assert _files(again) == SHELF_FILES


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (
            'features = ["feature"]',
            "testmark.toml:13: the project has no file or folder `feature`; correct `features` in [layout]",
        ),
        (
            'import_paths = [\n  "src",\n  "lib"]',
            "testmark.toml:15: the project has no folder `lib`; correct `import_paths` in [layout]",
        ),
        (
            'test_roots = ["features/size.feature"]',
            "testmark.toml:13: the project has no folder `features/size.feature`",
        ),
        (
            'production_roots = ["../other"]',
            "testmark.toml:13: `../other` leads out of the project; use a path inside it",
        ),
    ],
)
def test_a_missing_folder_is_named_with_its_line(shelf: Path, tmp_path: Path, layout: str, message: str) -> None:
    (shelf / "testmark.toml").write_text(f"{MINIMAL}\n[layout]\n{layout}\n", encoding="utf-8")
    with pytest.raises(UserError) as caught:
        materialise(load_definition(shelf), tmp_path / "cache")
    assert message in str(caught.value)


def _git_definition(folder: Path, url: str, commit: str) -> LoadedDefinition:
    folder.mkdir(exist_ok=True)
    text = MINIMAL.replace('path = "."', f'git = "{url}"\ncommit = "{commit}"')
    (folder / "testmark.toml").write_text(text, encoding="utf-8")
    return load_definition(folder)


def test_a_commit_of_a_repository(shelf: Path, tmp_path: Path) -> None:
    (shelf / ".gitattributes").write_text("*.py export-ignore eol=crlf\n*.feature filter=evil\n", encoding="utf-8")
    first = commit_all(shelf)
    git(shelf, "config", "filter.evil.smudge", f"touch {tmp_path}/ran")
    (shelf / "src/shelf.py").write_text("def size():\n    return 4\n", encoding="utf-8")
    commit_all(shelf)
    for url in ("../project", str(shelf), shelf.as_uri()):
        loaded = _git_definition(tmp_path / "definition", url, first)
        checkout = materialise(loaded, tmp_path / f"cache-{len(url)}")
        assert _files(checkout) == [".gitattributes", *SHELF_FILES, "testmark.toml"]
        assert (checkout.folder / "src/shelf.py").read_bytes() == b"def size():\n    return 3\n"
        assert checkout.notes == ()
    assert not (tmp_path / "ran").exists()


def test_a_commit_in_the_cache_needs_no_repository(shelf: Path, tmp_path: Path) -> None:
    loaded = _git_definition(tmp_path / "definition", str(shelf), commit_all(shelf))
    first = materialise(loaded, tmp_path / "cache")
    shelf.rename(tmp_path / "gone")
    assert materialise(loaded, tmp_path / "cache") == first


def test_submodules_are_noted(shelf: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "x").write_text("x", encoding="utf-8")
    pinned = commit_all(other)
    git(shelf, "init", "--quiet")
    git(shelf, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "vendor/other")
    checkout = materialise(_git_definition(tmp_path / "definition", str(shelf), commit_all(shelf)), tmp_path / "cache")
    assert checkout.notes == (f"the submodule vendor/other (at {pinned}) is not fetched; its folder is missing",)


def test_what_git_cannot_give(shelf: Path, tmp_path: Path) -> None:
    commit_all(shelf)
    with pytest.raises(UserError, match=f"testmark.toml:7: .* has no commit {'a' * 40}; correct `commit`"):
        materialise(_git_definition(tmp_path / "definition", str(shelf), "a" * 40), tmp_path / "cache")
    with pytest.raises(UserError, match=r"testmark.toml:7: .*nowhere cannot be fetched \(.*\); correct `git`"):
        materialise(_git_definition(tmp_path / "definition", str(tmp_path / "nowhere"), "a" * 40), tmp_path / "cache")
    with pytest.raises(UserError, match="is not the address of a repository"):
        materialise(_git_definition(tmp_path / "definition", "--upload-pack=touch x", "a" * 40), tmp_path / "cache")
    with pytest.raises(UserError, match="cannot be fetched"):
        materialise(
            _git_definition(tmp_path / "definition", f"ext::sh -c touch% {tmp_path}/ran", "a" * 40), tmp_path / "cache"
        )
    assert not (tmp_path / "ran").exists()
    assert [path.name for path in (tmp_path / "cache/sources").iterdir() if path.is_dir()] == []


def _tar(path: Path, members: list[tuple[tarfile.TarInfo, bytes]]) -> Path:
    with tarfile.open(path, "w:gz") as tape:
        for info, content in members:
            info.size = len(content)
            tape.addfile(info, io.BytesIO(content))
    return path


def _member(name: str, content: bytes = b"x", **facts: object) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    for key, value in facts.items():
        setattr(info, key, value)
    return info, content


EVIL = {
    "parent": [_member("top/../../evil")],
    "absolute": [_member("/evil-of-testmark")],
    "backslash": [_member("..\\evil")],
    "link out": [_member("top/l", b"", type=tarfile.SYMTYPE, linkname="../../evil")],
    "absolute link": [_member("top/l", b"", type=tarfile.SYMTYPE, linkname="/etc/passwd")],
    "hard link out": [_member("top/l", b"", type=tarfile.LNKTYPE, linkname="../evil")],
    "device": [_member("top/null", b"", type=tarfile.CHRTYPE, devmajor=1, devminor=3)],
    "pipe": [_member("top/pipe", b"", type=tarfile.FIFOTYPE)],
    "through a link": [_member("top/l", b"", type=tarfile.SYMTYPE, linkname="d"), _member("top/l/evil")],
    "twice": [_member("top/l"), _member("top/l/evil")],
}


@pytest.mark.parametrize("members", EVIL.values(), ids=EVIL.keys())
def test_archives_that_reach_outside_are_refused(tmp_path: Path, members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    bundle = _tar(tmp_path / "x.tar.gz", members)
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    with pytest.raises(UserError, match=r"x\.tar\.gz is refused: "):
        archive.unpack(bundle, inner)
    assert [
        path
        for path in tmp_path.rglob("*")
        if path not in {bundle, inner.parent, inner} and not path.is_relative_to(inner)
    ] == []


def test_an_honest_tar(tmp_path: Path) -> None:
    bundle = _tar(
        tmp_path / "x.tar.gz",
        [
            _member("top-1.0/run", b"1", mode=0o755),
            _member("top-1.0/pkg/a.py", b"2", mode=0o600),
            _member("top-1.0/pkg/link.py", b"", type=tarfile.SYMTYPE, linkname="a.py"),
            _member("top-1.0/hard.py", b"", type=tarfile.LNKTYPE, linkname="top-1.0/pkg/a.py"),
        ],
    )
    (tmp_path / "out").mkdir()
    archive.unpack(bundle, tmp_path / "out")
    out = tmp_path / "out"
    assert sorted(str(p.relative_to(out)) for p in out.rglob("*") if not p.is_dir()) == [
        "hard.py",
        "pkg/a.py",
        "pkg/link.py",
        "run",
    ]
    assert (out / "hard.py").read_bytes() == (out / "pkg/link.py").read_bytes() == b"2"
    assert os.access(out / "run", os.X_OK)
    assert not (out / "pkg/a.py").stat().st_mode & 0o111


def test_a_zip(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as bundle:
        bundle.writestr("top/a.py", "1")
        bundle.writestr("top/b/c.py", "2")
    archive.unpack(tmp_path / "x.zip", tmp_path / "out")
    assert (tmp_path / "out/b/c.py").read_text(encoding="utf-8") == "2"
    with zipfile.ZipFile(tmp_path / "y.zip", "w") as bundle:
        bundle.writestr("../evil", "1")
    with pytest.raises(UserError, match=r"y\.zip is refused: its member '\.\./evil' leads out"):
        archive.unpack(tmp_path / "y.zip", tmp_path / "out")


def test_an_archive_that_is_too_large_or_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = _tar(tmp_path / "x.tar.gz", [_member("top/zeros", b"\0" * 3_000_000)])
    (tmp_path / "out").mkdir()
    monkeypatch.setattr(archive, "MAX_BYTES", 2_000_000)
    with pytest.raises(UserError, match="unpacks to more than 1 MiB"):
        archive.unpack(bundle, tmp_path / "out")
    (tmp_path / "z.tar.gz").write_bytes(bundle.read_bytes()[:200])
    with pytest.raises(UserError, match=r"z\.tar\.gz is not a readable archive"):
        archive.unpack(tmp_path / "z.tar.gz", tmp_path / "out")


def _sdist(folder: Path, setup: str) -> str:
    """A source distribution `shelf-probe` 1.0 in a folder that pip can be pointed at; its SHA-256."""
    folder.mkdir()
    path = _tar(
        folder / "shelf_probe-1.0.tar.gz",
        [
            _member("shelf_probe-1.0/PKG-INFO", b"Metadata-Version: 2.1\nName: shelf-probe\nVersion: 1.0\n"),
            _member("shelf_probe-1.0/setup.py", setup.encode()),
            _member("shelf_probe-1.0/backend.py", setup.encode()),
            _member(
                "shelf_probe-1.0/pyproject.toml",
                b'[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
            ),
            _member("shelf_probe-1.0/src/shelf.py", b"x = 1\n"),
            _member("shelf_probe-1.0/features/a.feature", b"Feature: a\n"),
        ],
    )
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _pypi_definition(folder: Path, name: str, version: str, sha256: str) -> LoadedDefinition:
    folder.mkdir(exist_ok=True)
    source = f'pypi = "{name}"\nversion = "{version}"\nsha256 = "{sha256}"'
    (folder / "testmark.toml").write_text(MINIMAL.replace('path = "."', source), encoding="utf-8")
    return load_definition(folder)


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all the index pip has."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    return tmp_path / "index"


def test_a_source_distribution_is_fetched_without_running_it(offline: Path, tmp_path: Path) -> None:
    sha256 = _sdist(offline, f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    checkout = materialise(_pypi_definition(tmp_path / "d", "shelf-probe", "1.0", sha256), tmp_path / "cache")
    assert _files(checkout) == [
        "PKG-INFO",
        "backend.py",
        "features/a.feature",
        "pyproject.toml",
        "setup.py",
        "src/shelf.py",
    ]
    assert not (tmp_path / "ran").exists()
    (offline / "shelf_probe-1.0.tar.gz").unlink()
    assert materialise(_pypi_definition(tmp_path / "d", "shelf-probe", "1.0", sha256), tmp_path / "cache") == checkout


def test_another_source_distribution_than_the_one_named(offline: Path, tmp_path: Path) -> None:
    sha256 = _sdist(offline, f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    with pytest.raises(UserError, match=f"testmark.toml:7: .* has the SHA-256 {sha256}; correct `sha256`"):
        materialise(_pypi_definition(tmp_path / "d", "shelf-probe", "1.0", "0" * 64), tmp_path / "cache")
    with pytest.raises(UserError, match=r"the index has no source distribution of shelf-probe 2\.0"):
        materialise(_pypi_definition(tmp_path / "d", "shelf-probe", "2.0", sha256), tmp_path / "cache")
    assert not (tmp_path / "ran").exists()


@pytest.mark.network
def test_python_docx_as_published(tmp_path: Path) -> None:
    checkout = materialise(load_definition("python-docx"), tmp_path / "cache")
    assert checkout.tree_hash == "9d47bd09250c259f6457a68e9df96146d56c840dc327dcabd64c7a616768a30d"
    assert len(list(checkout.folder.glob("features/*.feature"))) == 67
    assert checkout.notes == ()


def test_a_kill_in_the_middle_leaves_nothing_half(tmp_path: Path) -> None:
    final = tmp_path / "cache" / "thing"
    script = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom testmark.projects.store import locked, publish\n"
        "def make(part):\n    (part / 'half').write_text('x')\n    os.kill(os.getpid(), signal.SIGKILL)\n"
        "final = Path(sys.argv[1])\nwith locked(final):\n    publish(final, make)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(final)],
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode < 0
    assert not final.exists()
    with locked(final):
        publish(final, lambda part: (part / "whole").touch())
    assert sorted(path.name for path in final.parent.iterdir()) == ["thing", "thing.lock"]
    assert [path.name for path in final.iterdir()] == ["whole"]


def test_many_at_once_make_one_snapshot(shelf: Path, tmp_path: Path) -> None:
    loaded = load_definition(shelf)
    found: list[Checkout] = []
    threads = [threading.Thread(target=lambda: found.append(materialise(loaded, tmp_path / "cache"))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert len(set(found)) == 1


def test_a_cache_that_cannot_be_written(shelf: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file", encoding="utf-8")
    with pytest.raises((UserError, InfraError), match=r"the cache .* cannot be written"):
        materialise(load_definition(shelf), tmp_path / "cache")
