"""Environments: found again, made again when damaged, and what goes wrong in one sentence.

The packages are made here, so no index is asked, but in the test marked `network`.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from testmark.errors import InfraError, ToolMissingError, UserError
from testmark.projects.environment import Environment, ensure_environment
from testmark.projects.interpreter import find_interpreter, versions_at_hand
from testmark.projects.load import LoadedDefinition, load_definition
from testmark.projects.metadata import read_metadata
from testmark.projects.pip import explain_failure, pip_arguments

from .conftest import MINIMAL

PYPROJECT = """\
[project]
name = "shelf-library"
version = "2.5"
[project.scripts]
shelf = "shelf:size"
[project.entry-points."shelf.plugins"]
oak = "shelf:size"
"""


def _wheel(folder: Path, name: str, version: str, code: str, requires: str = "") -> str:
    """A pure wheel; its SHA-256."""
    info = f"{name}-{version}.dist-info"
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as bundle:
        bundle.writestr(f"{name}/__init__.py", code)
        needs = f"Requires-Dist: {requires}\n" if requires else ""
        bundle.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}")
        bundle.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        bundle.writestr(f"{info}/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with wheels that is all the index pip has."""
    folder = tmp_path / "index"
    folder.mkdir()
    _wheel(folder, "behave", "1.3.3", "kind = 'fake'\n", requires="parse>=1")
    _wheel(folder, "parse", "1.20", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def _define(shelf: Path, runtime: str) -> LoadedDefinition:
    text = MINIMAL.replace('dependencies = ["behave"]', runtime)
    (shelf / "testmark.toml").write_text(text, encoding="utf-8")
    return load_definition(shelf)


def _run(environment: Environment, code: str, path: Path | None = None) -> str:
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(path or "")}
    return subprocess.run(
        [str(environment.python), "-c", code], check=True, capture_output=True, text=True, env=env
    ).stdout.strip()


def test_an_environment_is_made_once_and_holds_the_project_by_name_only(
    shelf: Path, index: Path, tmp_path: Path
) -> None:
    (shelf / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    loaded = _define(shelf, 'dependencies = ["behave"]')
    first = ensure_environment(loaded, tmp_path / "cache")
    assert first.lock == ("behave==1.3.3", "parse==1.20")
    assert first.version == ".".join(map(str, sys.version_info[:3]))
    assert first.prefix in first.mounts
    listed = "import importlib.metadata as m; print(sorted((d.name, d.version) for d in m.distributions()))"
    assert _run(first, listed) == "[('behave', '1.3.3'), ('parse', '1.20'), ('shelf-library', '2.5')]"
    points = (
        "import importlib.metadata as m; "
        "print([(p.group, p.name, p.load()()) for p in m.distribution('shelf-library').entry_points])"
    )
    assert _run(first, points, shelf / "src") == "[('console_scripts', 'shelf', 3), ('shelf.plugins', 'oak', 3)]"
    script = subprocess.run([str(first.prefix / "bin/shelf")], env={"PYTHONPATH": str(shelf / "src")}, check=False)
    assert script.returncode == 3
    assert "shelf.py" not in {path.name for path in first.prefix.rglob("*.py")}

    shutil.rmtree(index)  # offline from here on
    assert ensure_environment(loaded, tmp_path / "cache") == first

    for damage in ("a module", "the interpreter", "the marker"):
        if damage == "a module":
            next(first.prefix.glob("lib/python*/site-packages/parse/__init__.py")).unlink()
        elif damage == "the interpreter":
            (first.prefix / "bin/python").unlink(missing_ok=True)
        else:
            (first.prefix / "environment.json").unlink(missing_ok=True)
        with pytest.raises(UserError, match="the index has no `behave`"):
            ensure_environment(loaded, tmp_path / "cache")  # it is made again, which the empty index refuses
        assert not first.prefix.exists()


def test_a_damaged_environment_is_made_again(shelf: Path, index: Path, tmp_path: Path) -> None:
    loaded = _define(shelf, 'dependencies = ["behave"]')
    first = ensure_environment(loaded, tmp_path / "cache")
    module = next(first.prefix.glob("lib/python*/site-packages/behave/__init__.py"))
    module.write_text("kind = 'broken!'\n", encoding="utf-8")
    assert ensure_environment(loaded, tmp_path / "cache") == first
    assert module.read_text(encoding="utf-8") == "kind = 'fake'\n"
    assert index.is_dir()


def test_a_lock_with_hashes(shelf: Path, index: Path, tmp_path: Path) -> None:
    digest = _wheel(index, "parse", "1.19", "")
    behave = hashlib.sha256((index / "behave-1.3.3-py3-none-any.whl").read_bytes()).hexdigest()
    lock = f"behave==1.3.3 \\\n    --hash=sha256:{behave}\nparse==1.19 --hash=sha256:{digest}\n"
    (shelf / "requirements.lock").write_text(lock, encoding="utf-8")
    loaded = _define(shelf, 'lock = "requirements.lock"')
    environment = ensure_environment(loaded, tmp_path / "cache")
    assert environment.lock == ("behave==1.3.3", "parse==1.19")
    (shelf / "requirements.lock").write_text(lock.replace(digest, "0" * 64), encoding="utf-8")
    with pytest.raises(
        UserError, match=r"testmark.toml:10: a package of the index is not the one whose hash the lock holds"
    ):
        ensure_environment(loaded, tmp_path / "cache")
    (shelf / "requirements.lock").write_text("behave==1.3.3\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"testmark.toml:10: the lock has no hashes"):
        ensure_environment(loaded, tmp_path / "cache")


def test_dependencies_that_cannot_be_had(shelf: Path, index: Path, tmp_path: Path) -> None:
    _wheel(index, "parse", "0.5", "")
    cases = {
        'dependencies = ["behave", "no-such-thing>=2"]': "testmark.toml:10: the index has n"
        "o `no-such-thing>=2` that fits this Python",
        'dependencies = ["behave", "parse<1"]': "testmark.toml:10: the dependencies contradict each other"
        ": `parse<1`, against `behave 1.3.3 depends on parse>=1`; loosen",
        'dependencies = ["behave >>> 2"]': "testmark.toml:10: `behave >>> 2` is not a requirement",
        'dependencies = ["parse"]': "testmark.toml:10: behave is not among what is installed; add `behave`",
        "dependencies = []": "testmark.toml:9: [runtime] names no dependencies",
    }
    for runtime, message in cases.items():
        with pytest.raises(UserError) as caught:
            ensure_environment(_define(shelf, runtime), tmp_path / "cache")
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


def test_an_index_that_cannot_be_reached(shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "INDEX_URL": "http://127.0.0.1:9/simple",
        "RETRIES": "1",
        "FIND_LINKS": "",
        "NO_INDEX": "0",
    }.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    with pytest.raises(InfraError, match="the package index cannot be reached"):
        ensure_environment(_define(shelf, 'dependencies = ["behave"]'), tmp_path / "cache")


def test_an_unknown_root_is_named_with_its_line(shelf: Path, tmp_path: Path) -> None:
    loaded = _define(shelf, 'dependencies = ["behave"]\nroot = "potato-python"')
    with pytest.raises(UserError, match=r"testmark.toml:\d+: there is no root `potato-python`; choose one of bullseye"):
        ensure_environment(loaded, tmp_path / "cache")


def test_a_root_without_what_makes_it_says_what_to_install(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "mmdebstrap" else which(name))
    with pytest.raises(ToolMissingError, match="apt-get install mmdebstrap"):
        ensure_environment(_define(shelf, 'dependencies = ["behave"]\nroot = "sid-python"'), tmp_path / "cache")


@pytest.mark.parametrize(
    ("wheel", "isolated"),
    [("pip-20.3.4-py2.py3-none-any.whl", True), ("pip-24.0-py3-none-any.whl", False), ("", False)],
)
def test_an_old_pip_builds_apart_from_the_environment(wheel: str, isolated: bool) -> None:
    found = pip_arguments(wheel, "install", "behave")
    assert found[0] == wheel
    assert found[1:] == (["install", "--use-pep517", "behave"] if isolated else ["install", "behave"])


def test_several_at_once_make_one(shelf: Path, index: Path, tmp_path: Path) -> None:
    assert index.is_dir()
    loaded = _define(shelf, 'dependencies = ["behave"]')
    found: list[Environment] = []
    threads = [
        threading.Thread(target=lambda: found.append(ensure_environment(loaded, tmp_path / "cache"))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    assert len(set(found)) == 1


def test_finding_an_interpreter(tmp_path: Path) -> None:
    here = ".".join(map(str, sys.version_info[:3]))
    short = here.rpartition(".")[0]
    for wanted in (short, here):
        found = find_interpreter(wanted, tmp_path, where="w")
        assert (found.version + ".").startswith(wanted + ".")
        assert found.python.is_file()
        assert "/bin/python" in str(found.python)
    assert short in versions_at_hand()
    (tmp_path / "my-python").symlink_to(sys.executable)
    assert find_interpreter("./my-python", tmp_path, where="w").version == here


def test_interpreters_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(
        ToolMissingError,
        match=r"w: there is no Python 3\.99 on this machine; install it with `apt-get install python3\.99-venv`",
    ):
        find_interpreter("3.99", tmp_path, where="w")
    with pytest.raises(ToolMissingError, match=r"w: \./none is not a Python that starts"):
        find_interpreter("./none", tmp_path, where="w")
    with pytest.raises(UserError, match=r"w: `python` is '>=3\.9'; write a version"):
        find_interpreter(">=3.9", tmp_path, where="w")
    old = tmp_path / "old"
    old.write_text(
        "#!/bin/sh\nexec echo '"
        '{"python": "/o", "version": "3.8.1", "full": "", "prefix": "/", "exec_prefix": "/", "stdlib": "/", "tag": ""}'
        "'\n",
        encoding="utf-8",
    )
    old.chmod(0o755)
    with pytest.raises(UserError, match=r"w: Python 3\.8\.1 is too old; choose 3\.9 or newer"):
        find_interpreter("./old", tmp_path, where="w")


@pytest.mark.parametrize(
    ("output", "kind", "message"),
    [
        ("OSError: [Errno 28] No space left on device", InfraError, "it failed: the disk is full"),
        (
            "ERROR: Failed building wheel for lxml\n",
            UserError,
            "w: `lxml` has no wheel for this Python and could not be built",
        ),
        ("error: metadata-generation-failed", UserError, "w: a package has no wheel"),
        ("line\nERROR: something new\n", InfraError, "it failed: something new"),
        ("", InfraError, "it failed: pip said nothing"),
    ],
)
def test_what_pip_says_in_one_sentence(output: str, kind: type[Exception], message: str) -> None:
    error = explain_failure(output, "w", "it")
    assert type(error) is kind
    assert str(error).startswith(message)


METADATA = {
    "project table": ({"pyproject.toml": PYPROJECT}, ("shelf-library", "2.5", None, [])),
    "poetry": (
        {
            "pyproject.toml": '[tool.poetry]\nname = "p"\nversion = "0.1"\nlicense = "MIT"\n'
            '[tool.poetry.dependencies]\npython = "^3.9"\n'
            'a = "^1.2"\nb = { version = "~0.3", optional = true }\nc = { version = "*", extras = ["x"] }\n'
        },
        ("p", "0.1", "MIT", ["a>=1.2,<2", "c[x]"]),
    ),
    "setup.cfg": (
        {
            "setup.cfg": "[metadata]\nname = s\nversion = attr: pkg.__version__\nlicense = BSD\n[options]\n"
            "install_requires =\n  a>=1\n  b  # why\n",
            "pkg/__init__.py": '__version__ = "3.1"\n',
        },
        ("s", "3.1", "BSD", ["a>=1", "b"]),
    ),
    "setup.py": (
        {
            "setup.py": "from setuptools import setup\nREQUIRES = ['a']\n"
            "setup(name='q', version='1', install_requires=REQUIRES, license=f())\n"
        },
        ("q", "1", None, ["a"]),
    ),
    "PKG-INFO": (
        {
            "PKG-INFO": "Name: i\nVersion: 4\nLicense-Expression: MIT\n"
            "Requires-Dist: a; python_version > '3'\nRequires-Dist: t; extra == 'test'\n"
        },
        ("i", "4", "MIT", ["a; python_version > '3'"]),
    ),
    "dynamic": (
        {
            "pyproject.toml": '[project]\nname = "d"\ndynamic = ["version", "dependencies"]\n'
            '[tool.setuptools.dynamic]\ndependencies = { file = ["req.txt"] }\n',
            "req.txt": "-r more.txt\na==1 \\\n  --hash=sha256:00\n-e .\n",
            "more.txt": "b\n",
            "src/d/_version.py": '__version__ = "7"\n',
        },
        ("d", "7", None, ["b", "a==1"]),
    ),
    "nothing": ({"README": "x"}, (None, None, None, None)),
    "broken": ({"pyproject.toml": "[", "setup.cfg": "x", "setup.py": "("}, (None, None, None, None)),
}


@pytest.mark.parametrize(("files", "expected"), METADATA.values(), ids=METADATA.keys())
def test_metadata_is_read_from_where_projects_keep_it(
    tmp_path: Path, files: dict[str, str], expected: tuple[object, ...]
) -> None:
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    found = read_metadata(tmp_path)
    assert (found.name, found.version, found.licence, found.dependencies) == expected


@pytest.mark.network
def test_the_environment_of_python_docx(tmp_path: Path) -> None:
    environment = ensure_environment(load_definition("python-docx"), tmp_path / "cache")
    assert "behave==1.3.3" in environment.lock
    assert _run(environment, "import importlib.metadata as m; print(m.version('python-docx'))") == "1.2.0"
