"""A folder in which every example of help texts and documents can be run: the shipped example, somebody's checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from testmark.engine.cache import default_cache

TOP = Path(__file__).resolve().parents[2]
EXAMPLE = TOP / "examples" / "behave-library"
ONLY = "*/isbn.feature:6"

SHOP = {
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n\n[dependency-groups]\ntest = ["behave==1.3.3"]\n',
    "src/shop/__init__.py": "",
    "src/shop/cart.py": """\
class Cart:
    def __init__(self):
        self._sum = 0

    def add(self, count, price):
        self._sum += count * price

    def total(self):
        return self._sum
""",
    "features/cart.feature": """\
Feature: Cart
  In order to buy
  As a customer
  I want to know the total

  Background:
    Given a cart

  Scenario: An empty cart
    Then the total is 0

  Scenario: Items add up
    When 2 items of 3 are added
    Then the total is 6
""",
    "features/steps/cart_steps.py": """\
from behave import given, then, when
from shop.cart import Cart


@given("a cart")
def cart(context):
    context.cart = Cart()


@when("{count:d} items of {price:d} are added")
def add(context, count, price):
    context.cart.add(count, price)


@then("the total is {total:d}")
def total(context, total):
    assert context.cart.total() == total
""",
}

Shell = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder: `examples/behave-library`, and `home/code/shop`, a project without a definition."""
    top = tmp_path_factory.mktemp("place")
    shutil.copytree(EXAMPLE, top / "examples/behave-library")
    for path, text in SHOP.items():
        place = top / "home/code/shop" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return top


@pytest.fixture(scope="module")
def shell(place: Path) -> Shell:
    """Runs a line as somebody would type it there."""
    scripts = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{scripts}:{os.environ['PATH']}",
        "HOME": str(place / "home"),
        "TESTMARK_CACHE": str(default_cache()),
        "MY_KEY": "x",
    }

    def run(line: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", line], cwd=place, env=environment | variables, capture_output=True, text=True, check=False
        )

    return run
