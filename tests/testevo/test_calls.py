"""What a test calls itself, by the callers that a worker records."""

from __future__ import annotations

import pytest

from testmark.source.java import read_java
from testmark.testevo.executed import Executed
from testmark.testevo.pairs import Measured

SHOP = read_java("package a;\nclass Shop {\n  int price() {\n    return 3;\n  }\n}\n").methods[0]
TESTS = read_java("""package a;
class ShopTest extends TestCase {
  private final Shop shop;
  ShopTest() { shop = new Shop(); }
  @BeforeEach void open() { shop.price(); }
  protected void setUp() { shop.price(); }
  @Test void price() { helped(); }
  private int helped() { return shop.price(); }
}
""").methods
RAN = tuple(Executed("ShopTest.java", one, one.key, frozenset({one.line}), frozenset({one.line})) for one in TESTS)


def calls(*callers: str) -> bool:
    one = Executed("Shop.java", SHOP, SHOP.key, frozenset({4}), frozenset({4}), frozenset(callers))
    other = Executed("Shop.java", SHOP, SHOP.key, frozenset({4}), frozenset({4}), frozenset({"a.Shop#other"}))
    return Measured((one, other), RAN, frozenset({"a.ShopTest"})).calls(one)


@pytest.mark.parametrize("name", ["price", "helped"])
def test_a_test_and_its_helpers_call_it(name: str) -> None:
    assert calls(f"a.ShopTest#{name}")
    assert calls("a.Shop#other", f"a.ShopTest#{name}")


@pytest.mark.parametrize("name", ["open", "setUp", "<init>", "<clinit>"])
def test_what_prepares_a_test_is_not_the_test(name: str) -> None:
    assert not calls(f"a.ShopTest#{name}")


def test_production_code_is_not_the_test() -> None:
    assert not calls("a.Shop#other")
    assert not calls()


def test_without_callers_the_text_of_what_ran_says_it_but_for_what_prepares() -> None:
    one = Executed("Shop.java", SHOP, SHOP.key, frozenset({4}), frozenset({4}))
    assert Measured((one,), RAN, frozenset({"a.ShopTest"})).calls(one)
    preparing = tuple(ran for ran in RAN if ran.method.name not in {"price", "helped"})
    assert not Measured((one,), preparing, frozenset({"a.ShopTest"})).calls(one)
