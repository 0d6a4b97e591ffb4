"""What must be installed for a project's features to run, chosen from what the project declares."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from testmark.projects.metadata import ProjectMetadata, read_requirements

TEST_GROUPS = (
    "behave",
    "bdd",
    "acceptance",
    "functional",
    "e2e",
    "test",
    "tests",
    "testing",
    "dev",
    "develop",
    "development",
    "all",
)
"""Extras and dependency groups that may tell what the tests need, the most telling first."""

IMPORT_NAMES = {
    "yaml": "PyYAML",
    "dateutil": "python-dateutil",
    "bs4": "beautifulsoup4",
    "PIL": "Pillow",
    "cv2": "opencv-python-headless",
    "sklearn": "scikit-learn",
    "Crypto": "pycryptodome",
    "OpenSSL": "pyOpenSSL",
    "jwt": "PyJWT",
    "dotenv": "python-dotenv",
    "attr": "attrs",
    "pkg_resources": "setuptools<81",
    "hamcrest": "PyHamcrest",
    "serial": "pyserial",
    "git": "GitPython",
    "MySQLdb": "mysqlclient",
    "psycopg2": "psycopg2-binary",
    "docx": "python-docx",
    "pptx": "python-pptx",
    "usb": "pyusb",
    "zmq": "pyzmq",
    "magic": "python-magic",
    "jose": "python-jose",
    "slugify": "python-slugify",
    "google": "protobuf",
    "parse_type": "parse-type",
    "selenium": "selenium",
    "requests": "requests",
    "mock": "mock",
    "six": "six",
    "pytest": "pytest",
    "nose": "nose",
    "lxml": "lxml",
    "parse": "parse",
    "jsonschema": "jsonschema",
    "numpy": "numpy",
    "pandas": "pandas",
    "assertpy": "assertpy",
    "sure": "sure",
    "expects": "expects",
    "freezegun": "freezegun",
    "responses": "responses",
    "httpx": "httpx",
    "flask": "Flask",
    "django": "Django",
    "click": "click",
    "jinja2": "Jinja2",
    "pexpect": "pexpect",
    "psutil": "psutil",
    "toml": "toml",
    "tomli": "tomli",
    "faker": "Faker",
    "pydantic": "pydantic",
    "typing_extensions": "typing_extensions",
    "setuptools": "setuptools",
    "packaging": "packaging",
    "werkzeug": "Werkzeug",
    "rich": "rich",
    "attrs": "attrs",
    "path": "path",
    "deepdiff": "deepdiff",
    "colorama": "colorama",
    "rest_framework": "djangorestframework",
    "cucumber_expressions": "cucumber-expressions",
}
"""Distributions of modules whose names differ, and of modules so common that their name can be trusted."""

IMPLIED = {"fastapi.testclient": "httpx", "starlette.testclient": "httpx"}
"""Modules that are optional to their distribution and cannot be imported without another module."""
TOOLS = frozenset(
    [
        "autopep8",
        "bandit",
        "black",
        "build",
        "bump2version",
        "bumpversion",
        "codacy-coverage",
        "codecov",
        "coverage",
        "coveralls",
        "flake8",
        "httpie",
        "ipython",
        "isort",
        "jupyter",
        "mypy",
        "nose",
        "pep8",
        "pinocchio",
        "pip-tools",
        "pre-commit",
        "pycodestyle",
        "pydocstyle",
        "pyflakes",
        "pylint",
        "pytest-cov",
        "rednose",
        "ruff",
        "sphinx",
        "sphinx-rtd-theme",
        "tox",
        "twine",
        "wheel",
        "yapf",
    ]
)
"""Tools that are never needed to run features; old pins of them can often not be installed any more."""


@dataclass
class Choice:
    """The requirements, each with where it came from, and the modules that nothing covers."""

    requirements: list[str] = field(default_factory=list)
    origins: dict[str, str] = field(default_factory=dict)
    """Requirement → a few words on its origin."""
    uncovered: list[str] = field(default_factory=list)

    def add(self, requirement: str, origin: str) -> None:
        """Add a requirement unless one of the same distribution is there."""
        if not self.covers(requirement_name(requirement)):
            self.requirements.append(requirement)
            self.origins[requirement] = origin

    def covers(self, distribution: str) -> bool:
        """True when a requirement of that distribution is among them."""
        return any(requirement_name(known) == canonicalize_name(distribution) for known in self.requirements)


def requirement_name(requirement: str) -> str:
    """The canonical name of the distribution that a requirement asks for; empty when it is none."""
    match = re.match(r"\s*([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)", requirement)
    return canonicalize_name(match[1]) if match else ""


def choose(root: Path, metadata: ProjectMetadata, test_imports: Iterable[str], code_imports: Iterable[str]) -> Choice:
    """Choose requirements: the project's own, then what its tests import, as its test groups and requirement files say.

    Development tools that no test imports are left out, since old pins of them often cannot be installed any more.
    `test_imports` and `code_imports` (without which the code cannot be imported) are top-level modules that are
    neither the project's nor the standard library's. Of undeclared ones only well-known names are added: a guessed
    name may be anyone's.
    """
    choice = Choice()
    declared = _declared(root, metadata)
    own = metadata.name or ""
    used = {requirement_name(IMPORT_NAMES.get(name, name)) for name in (*test_imports, *code_imports)}
    if metadata.dependencies is not None:
        entries = [(line, "the project's dependencies") for line in metadata.dependencies]
    else:
        lines = read_requirements(root / "requirements.txt")
        entries = [(line, "requirements.txt") for line in lines if requirement_name(line) not in TOOLS - used]
    for line, origin in entries:
        if _is_requirement(line) and requirement_name(line) != canonicalize_name(own):
            choice.add(line, origin)
    for name in sorted({*test_imports, "behave"}):
        _cover(choice, name, declared, own)
    optional = {requirement_name(line) for lines in metadata.extras.values() for line in lines}
    for name in sorted(set(code_imports)):
        wanted = requirement_name(IMPORT_NAMES.get(name, name))
        if metadata.dependencies is None or (name in IMPORT_NAMES and wanted not in optional):
            _cover(choice, name, declared, own)
    if not any(requirement_name(line) == "behave" for line in choice.requirements):
        choice.add("behave", "no version of behave is declared anywhere")
    return choice


def _cover(choice: Choice, module: str, declared: dict[str, tuple[str, str]], own: str) -> None:
    options = [IMPORT_NAMES.get(module, module), module]
    names = [requirement_name(option) for option in options]
    if canonicalize_name(own) in names or any(choice.covers(name) for name in names if name):
        return
    for name in names:
        if name in declared:
            choice.add(*declared[name])
            return
    if module in IMPORT_NAMES:
        choice.add(IMPORT_NAMES[module], f"`{module}` is imported and not declared")
    elif module != "behave":
        choice.uncovered.append(module)


def _declared(root: Path, metadata: ProjectMetadata) -> dict[str, tuple[str, str]]:
    """All that is declared for tests: canonical name → (requirement, where)."""
    found: dict[str, tuple[str, str]] = {}
    groups = sorted(
        metadata.extras, key=lambda name: (TEST_GROUPS.index(name) if name in TEST_GROUPS else len(TEST_GROUPS), name)
    )
    for group in groups:
        for line in metadata.extras[group]:
            if _is_requirement(line):
                found.setdefault(requirement_name(line), (line, f"the group `{group}`"))
    files = sorted([*root.glob("*requirements*.txt"), *root.glob("*requirements*/*.txt"), *root.glob("req*/*.txt")])
    for path in sorted(files, key=lambda path: ("behave" not in path.name and "test" not in path.name, path)):
        for line in read_requirements(path):
            if _is_requirement(line):
                found.setdefault(requirement_name(line), (line, str(path.relative_to(root))))
    return found


def _is_requirement(line: str) -> bool:
    try:
        Requirement(line)
    except InvalidRequirement:
        return False
    return True
