"""Definitions for checkouts that nobody has described: what is found, and what is said about it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from testmark.errors import UserError
from testmark.projects.checkout import materialise
from testmark.projects.init import UNKNOWN_COMMIT, assume, init, load_or_assume, tag_expression
from testmark.projects.interpreter import find_interpreter, versions_at_hand
from testmark.projects.load import load_definition

from .conftest import WriteTree, commit_all, git

STEPS = "from behave import given\n\n\n@given('x')\ndef step(context):\n    pass\n"
FEATURE = "Feature: F\n  Scenario: S\n    Given x\n"
FLAT = {
    "features/a.feature": FEATURE,
    "features/steps/a.py": STEPS,
    "shop/__init__.py": "",
    "shop/cart.py": "size = 0\n",
}


def test_the_text_is_a_definition_that_loads_and_materialises(write_tree: WriteTree, tmp_path: Path) -> None:
    root = write_tree(
        FLAT
        | {
            "tests/test_x.py": "import pytest\n",
            "docs/conf.py": "",
            "setup.py": "from setuptools import setup\nsetup()\n",
        }
    )
    report = init(root)
    (root / "testmark.toml").write_text(report.text, encoding="utf-8")
    loaded = load_definition(root)
    layout = loaded.definition.layout
    assert (layout.features, layout.test_roots) == (("features",), ("features",))
    assert (layout.production_roots, layout.import_paths) == (("shop",), (".",))
    assert loaded.definition.runtime.dependencies == ("behave",)
    assert loaded.definition.runtime.python == f"3.{sys.version_info[1]}"
    assert loaded.definition.project.commit == UNKNOWN_COMMIT
    assert report.problems == ()
    assert "the commit is not known (no git history), so it is written as 40 zeros" in report.assumptions
    assert materialise(loaded, tmp_path / "cache").notes == ()
    in_memory, said = load_or_assume(root)
    assert (in_memory.definition, said) == (loaded.definition, ())
    (root / "testmark.toml").unlink()
    assumed, said = load_or_assume(root)
    assert assumed.definition == loaded.definition
    assert said == report.assumptions


PRODUCTION = {
    "src layout": ({"src/shop/__init__.py": "", "src/shop_extra.py": ""}, (["src/shop", "src/shop_extra.py"], ["src"])),
    "flat, two packages": (
        {"shop/__init__.py": "", "depot/__init__.py": "", "examples/__init__.py": "", "shop_tests/__init__.py": ""},
        (["depot", "shop"], ["."]),
    ),
    "one module": ({"shop.py": "", "noxfile.py": "", "conftest.py": ""}, (["shop.py"], ["."])),
    "package_dir": (
        {
            "setup.cfg": "[options]\npackage_dir =\n    = lib\npackages = find:\n[options.packages.find]\n"
            "where = lib\n",
            "lib/shop/__init__.py": "",
            "other/__init__.py": "",
        },
        (["lib/shop"], ["lib"]),
    ),
    "setup.py": (
        {
            "setup.py": "from setuptools import setup, find_packages\n"
            "setup(packages=find_packages('code'), package_dir={'': 'code'})\n",
            "code/shop/__init__.py": "",
        },
        (["code/shop"], ["code"]),
    ),
    "setuptools table": (
        {
            "pyproject.toml": '[tool.setuptools]\npackages = ["shop", "shop.sub"]\n',
            "shop/__init__.py": "",
            "shop/sub/__init__.py": "",
            "tool/__init__.py": "",
        },
        (["shop"], ["."]),
    ),
    "setuptools modules": (
        {"pyproject.toml": '[tool.setuptools]\npy-modules = ["shop"]\n', "shop.py": "", "other.py": ""},
        (["shop.py"], ["."]),
    ),
    "hatch": (
        {
            "pyproject.toml": '[tool.hatch.build.targets.wheel]\npackages = ["python/shop"]\n',
            "python/shop/__init__.py": "",
            "x/__init__.py": "",
        },
        (["python/shop"], ["python"]),
    ),
    "poetry": (
        {
            "pyproject.toml": '[tool.poetry]\nname = "x"\n'
            'packages = [{ include = "shop", from = "source" }, { include = "tests" }]\n',
            "source/shop/__init__.py": "",
            "tests/__init__.py": "",
        },
        (["source/shop"], ["source"]),
    ),
    "flit": (
        {"pyproject.toml": '[tool.flit.module]\nname = "shop"\n', "shop/__init__.py": "", "y/__init__.py": ""},
        (["shop"], ["."]),
    ),
    "name": (
        {"pyproject.toml": '[project]\nname = "python-shop"\n', "shop/__init__.py": "", "z/__init__.py": ""},
        (["shop"], ["."]),
    ),
    "top_level.txt": (
        {
            "shop.egg-info/top_level.txt": "shop\ntests\n",
            "shop/__init__.py": "",
            "tests/__init__.py": "",
            "w/__init__.py": "",
        },
        (["shop"], ["."]),
    ),
    "namespace package": ({"src/acme/shop/__init__.py": ""}, (["src/acme"], ["src"])),
    "virtual environment": (
        {
            "shop/__init__.py": "",
            "venv/pyvenv.cfg": "",
            "venv/lib/evil/__init__.py": "",
            "venv/features/e.feature": FEATURE,
        },
        (["shop"], ["."]),
    ),
    "what only the tests name": (
        {"backend/code/shop.py": "", "features/environment.py": "import shop\n"},
        (["backend/code/shop.py"], ["backend/code"]),
    ),
}


@pytest.mark.parametrize(("files", "expected"), PRODUCTION.values(), ids=PRODUCTION.keys())
def test_production_code_is_found(
    write_tree: WriteTree, files: dict[str, str], expected: tuple[list[str], list[str]]
) -> None:
    root = write_tree({"features/a.feature": FEATURE, "features/steps/a.py": STEPS} | files)
    loaded, _ = assume(root)
    layout = loaded.definition.layout
    assert (list(layout.production_roots), list(layout.import_paths)) == expected


def test_code_with_a_name_like_a_test_is_production_code_if_there_is_no_other(write_tree: WriteTree) -> None:
    files = {
        "tests/bdd/a.feature": FEATURE,
        "tests/bdd/steps/a.py": "from tests.bdd.helpers import H\nfrom system_under_test import cart\n" + STEPS,
        "tests/bdd/helpers.py": "H = 1\n",
        "tests/__init__.py": "",
        "system_under_test/__init__.py": "",
        "system_under_test/cart.py": "size = 0\n",
    }
    loaded, said = assume(write_tree(files))
    layout = loaded.definition.layout
    assert (layout.production_roots, layout.import_paths) == (("system_under_test",), (".",))
    assert "production code is system_under_test, from what the tests import" in said


def test_no_production_code_is_a_problem(write_tree: WriteTree) -> None:
    report = init(write_tree({"features/a.feature": FEATURE, "features/steps/a.py": STEPS}))
    assert report.problems == ("no production code was found; name it in `production_roots` and `import_paths`",)


def test_behave_is_told_by_its_configuration(write_tree: WriteTree) -> None:
    root = write_tree(
        {
            "behave.ini": (
                "[behave]\npaths = specs/bdd\nstage = late\ndefault_tags = -@wip\n    @a,@b\n"
                '[behave.userdata]\nhost = local "x"\n'
            ),
            "specs/bdd/one.feature": FEATURE,
            "specs/bdd/system/two.feature": FEATURE,
            "specs/bdd/late_steps/a.py": STEPS,
            "other/features/b.feature": FEATURE,
            "other/features/late_steps/b.py": STEPS,
            "shop/__init__.py": "",
        }
    )
    loaded, said = assume(root)
    definition = loaded.definition
    assert (definition.layout.features, definition.layout.test_roots) == (("specs/bdd",), ("specs/bdd",))
    assert definition.runtime.environment == {"BEHAVE_STAGE": "late"}
    facts = [(suite.name, suite.features, suite.level, suite.tags, suite.userdata) for suite in definition.suite]
    tags, userdata = "not @wip and (@a or @b)", {"host": 'local "x"'}
    assert facts == [
        ("PROJECT-SYSTEM", ("specs/bdd/system/**",), "system", tags, userdata),
        ("PROJECT-ACCEPTANCE", ("**",), "component", tags, userdata),
    ]
    assert "of 2 folders with features specs/bdd is taken; left out (features): other/features (1)" in said


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".behaverc", "[behave]\npaths = b/features\n"),
        ("setup.cfg", "[behave]\npaths = b/features\n"),
        ("tox.ini", "[behave]\npaths = b/features\n"),
        ("pyproject.toml", '[tool.behave]\npaths = ["b/features"]\n'),
    ],
)
def test_each_configuration_file_of_behave(write_tree: WriteTree, name: str, text: str) -> None:
    files = {f"{place}/features/{n}.feature": FEATURE for place, count in (("a", 3), ("b", 1)) for n in range(count)}
    root = write_tree(files | {"a/features/steps/s.py": STEPS, "b/features/steps/s.py": STEPS, "shop.py": ""})
    assert assume(root)[0].definition.layout.features == ("a/features",)
    (root / name).write_text(text, encoding="utf-8")
    assert assume(root)[0].definition.layout.features == ("b/features",)


def test_examples_are_not_taken_for_the_tests(write_tree: WriteTree) -> None:
    files = {"shop.py": "", "examples/shop/features/b.feature": FEATURE, "{{name}}/features/b.feature": FEATURE}
    for base in ("examples/shop/features", "{{name}}/features", "tests/end", "tests/features"):
        files |= {f"{base}/a.feature": FEATURE, f"{base}/steps/a.py": STEPS}
    loaded, said = assume(write_tree(files))
    assert loaded.definition.layout.features == ("tests/features",)
    assert any("tests/end (1), examples/shop/features (2)" in sentence for sentence in said)


def test_features_and_steps_at_the_top(write_tree: WriteTree) -> None:
    root = write_tree({"a.feature": FEATURE, "steps/a.py": STEPS, "shop/__init__.py": ""})
    layout = assume(root)[0].definition.layout
    assert (layout.features, layout.test_roots, layout.production_roots) == ((".",), ("steps",), ("shop",))


def test_dependencies_come_from_the_groups_that_tell_about_tests(write_tree: WriteTree) -> None:
    pyproject = """\
[project]
name = "shop"
version = "1"
dependencies = ["attrs>=20"]
[project.optional-dependencies]
fast = ["numpy"]
[dependency-groups]
dev = ["sphinx==1.8", "behave==1.2.6", { include-group = "check" }]
check = ["PyHamcrest<3", "pyyaml"]
"""
    root = write_tree(
        FLAT
        | {
            "pyproject.toml": pyproject,
            "requirements-test.txt": "behave>=1.3\nrequests==2.0\n-e .\n",
            "features/steps/b.py": "import hamcrest, requests, odd_thing, os\n"
            "from features.helper import x\nimport shop.cart\n",
            "features/helper.py": "import dateutil\nx = 1\n",
            "shop/cart.py": "import attr\nimport click\ntry:\n    import numpy\nexcept ImportError:\n "
            "   numpy = None\n",
        }
    )
    report = init(root)
    assert assume(root)[0].definition.runtime.dependencies == (
        "attrs>=20",
        "behave==1.2.6",
        "python-dateutil",
        "PyHamcrest<3",
        "requests==2.0",
        "click",
    )
    assert report.problems == (
        "`odd_thing` is imported, which nothing declares; add the distribution that brings it to `dependencies`",
    )
    assert "`click` is needed: `click` is imported and not declared" in report.assumptions


@pytest.mark.parametrize(
    ("project", "expected"),
    [
        ("", ("attrs>=20", "behave>=1.2")),
        ('dynamic = ["dependencies"]\n', ("attrs>=20", "behave>=1.2")),
        ("dependencies = []\n", ("behave>=1.2",)),
    ],
)
def test_poetry_s_own_table_tells_where_the_project_s_does_not(
    write_tree: WriteTree, project: str, expected: tuple[str, ...]
) -> None:
    root = write_tree(
        FLAT
        | {
            "pyproject.toml": f'[project]\nname = "shop"\nversion = "1"\n{project}'
            '[tool.poetry.dependencies]\npython = ">=3.9"\nattrs = ">=20"\n'
            '[tool.poetry.group.dev.dependencies]\nbehave = ">=1.2"\n',
        }
    )
    loaded, said = assume(root)
    assert loaded.definition.runtime.dependencies == expected
    assert not any("declares no dependencies" in sentence for sentence in said)


@pytest.mark.parametrize(("group", "expected"), [('test = ["httpx>=0.27"]', "httpx>=0.27"), ("", "httpx")])
def test_a_test_client_needs_what_it_does_not_declare(write_tree: WriteTree, group: str, expected: str) -> None:
    root = write_tree(
        FLAT
        | {
            "features/environment.py": "from fastapi.testclient import TestClient\n",
            "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["fastapi", "behave"]\n'
            f"[dependency-groups]\n{group}\n",
        }
    )
    loaded, _ = assume(root)
    assert loaded.definition.runtime.dependencies == ("fastapi", "behave", expected)


def test_without_metadata_the_requirements_file_tells(write_tree: WriteTree) -> None:
    root = write_tree(
        FLAT
        | {
            "requirements.txt": "behave~=1.2  # tests\npylint==1.0\nflask==2.0 ; python_version < '3.20'\n-r extra.txt\n",
            "extra.txt": "click\n",
        }
    )
    assert assume(root)[0].definition.runtime.dependencies == (
        "behave~=1.2",
        "flask==2.0 ; python_version < '3.20'",
        "click",
    )


def test_the_python_is_one_that_the_project_accepts(write_tree: WriteTree) -> None:
    others = [version for version in versions_at_hand() if version != f"3.{sys.version_info[1]}"]
    root = write_tree(FLAT)
    for version in others[:1]:
        (root / "pyproject.toml").write_text(
            f'[project]\nname = "shop"\nrequires-python = "=={version}.*"\n', encoding="utf-8"
        )
        assert assume(root)[0].definition.runtime.python == version
    (root / "pyproject.toml").write_text('[project]\nname = "shop"\nrequires-python = ">=3.99"\n', encoding="utf-8")
    assert any("wants Python >=3.99, which is not on this machine" in problem for problem in init(root).problems)


def test_a_python_that_is_not_here_is_not_taken(write_tree: WriteTree) -> None:
    for version in versions_at_hand():
        assert find_interpreter(version, Path(), where="here").version.startswith(f"{version}.")
    root = write_tree(FLAT | {"pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.29"\n'})
    _, said = assume(root)
    assert any("wants Python >=3.29, which is not on this machine" in sentence for sentence in said)


def test_git_tells_commit_and_address_without_passwords(write_tree: WriteTree) -> None:
    root = write_tree(FLAT)
    commit = commit_all(root)
    git(root, "remote", "add", "origin", "https://me:secret@example.org/team/shop.git")
    project = assume(root)[0].definition.project
    assert (project.commit, project.repo_url) == (commit, "https://example.org/team/shop")
    git(root, "remote", "set-url", "origin", "git@example.org:team/shop.git")
    (root / "shop/cart.py").write_text("size = 1\n", encoding="utf-8")
    loaded, said = assume(root)
    assert loaded.definition.project.repo_url == "https://example.org/team/shop"
    assert f"the folder has changes that are not in commit {commit[:12]}; they are measured as they are" in said


def test_what_is_no_behave_project(write_tree: WriteTree, tmp_path: Path) -> None:
    root = write_tree({"shop.py": ""})
    with pytest.raises(UserError, match=r"has no \.feature file"):
        init(root)
    (root / "a.feature").write_text(FEATURE, encoding="utf-8")
    with pytest.raises(UserError, match="has 1 feature files but no `steps` folder beside them"):
        init(root)
    with pytest.raises(UserError, match="is not a folder"):
        init(tmp_path / "nowhere")
    write_tree({"features/b.feature": FEATURE, "features/steps/b.py": "from pytest_bdd import given\n"})
    assert any("no file under features imports behave" in problem for problem in init(root).problems)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], None),
        (["-@wip"], "not @wip"),
        (["~wip", "@a,-@b"], "not @wip and (@a or not @b)"),
        (["not (@x or @y)"], "not (@x or @y)"),
        (["not wip", "(x or @order) and y"], "not @wip and ((@x or @order) and @y)"),
        (["@a @b"], "@a and @b"),
    ],
)
def test_tags_become_one_expression(lines: list[str], expected: str | None) -> None:
    assert tag_expression(lines) == expected
