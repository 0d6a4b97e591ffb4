"""Measured lines belong to the methods that a reader would name."""

from __future__ import annotations

from pathlib import Path

from testmark.runtimes.maven.protocol import MethodLines
from testmark.testevo.executed import Executed, Sources, executed_methods

SHOP = """package a;
class Shop {
  int x = 1;
  int y = 2;

  Shop() {
    x = 3;
  }

  Shop(int x) {
    this.x = x;
  }

  int z = 4;

  static class Plain {
    int x = 1;
  }

  static class Made {
    int x = 1;
    Object made() {
      return new Object() {
        int y = 2;
      };
    }
  }
}
"""


def executed(tmp_path: Path, *parts: MethodLines) -> dict[str, Executed]:
    (tmp_path / "src/a").mkdir(parents=True)
    (tmp_path / "src/a/Shop.java").write_text(SHOP)
    return {one.signature: one for one in executed_methods(parts, Sources(tmp_path, ["src"]))}


def init(owner: str, descriptor: str, lines: tuple[int, ...], covered: tuple[int, ...]) -> MethodLines:
    return MethodLines(owner, "<init>", descriptor, "Shop.java", lines, covered, ("a.ShopTest#sells",))


def test_a_constructor_below_a_field_is_executed_by_its_own_lines(tmp_path: Path) -> None:
    found = executed(
        tmp_path,
        init("a.Shop", "()V", (3, 4, 6, 7, 8, 14), (3, 4, 6, 7, 8, 14)),
        init("a.Shop", "(I)V", (3, 4, 10, 11, 12, 14), (3, 4, 10, 14)),
    )
    assert {name: (set(one.lines), set(one.covered)) for name, one in found.items()} == {
        "a.Shop#<init>()V": ({6, 7, 8}, {6, 7, 8}),
        "a.Shop#<init>(I)V": ({10, 11, 12}, {10}),
    }
    assert found["a.Shop#<init>(I)V"].method.parameters == ("int",)
    assert found["a.Shop#<init>(I)V"].callers == {"a.ShopTest#sells"}


def test_a_constructor_that_did_not_run_is_not_executed(tmp_path: Path) -> None:
    found = executed(
        tmp_path,
        init("a.Shop", "()V", (3, 4, 6, 7, 8, 14), (3, 4, 6, 7, 8, 14)),
        init("a.Shop", "(I)V", (3, 4, 10, 11, 12, 14), ()),
    )
    assert list(found) == ["a.Shop#<init>()V"]


def test_initializers_alone_are_no_constructor(tmp_path: Path) -> None:
    # One covered line of a field, and the constructor's own not: an initializer that throws.
    found = executed(
        tmp_path,
        init("a.Shop", "()V", (3, 4, 6, 7, 8, 14), (3,)),
        init("a.Shop$Plain", "()V", (16, 17), (16, 17)),
    )
    assert found == {}


def test_the_constructor_of_an_anonymous_class_is_of_the_method_around(tmp_path: Path) -> None:
    made = MethodLines("a.Shop$Made", "made", "()Ljava/lang/Object;", "Shop.java", (23,), (23,))
    found = executed(tmp_path, made, init("a.Shop$Made$1", "(La/Shop$Made;)V", (23, 24), (23, 24)))
    (one,) = found.values()
    assert (one.method.name, set(one.lines), one.callers) == ("made", {23, 24}, frozenset())
