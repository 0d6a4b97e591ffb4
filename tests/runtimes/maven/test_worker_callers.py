"""Who called a measured method, as the JVM tells it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from testmark.runtimes.maven.protocol import MethodsRun, Toolchain
from testmark.sandbox import Sandbox
from tests.support.javas import JavaProject, java_project

pytestmark = pytest.mark.network

TILL = """
    package shop;
    public class Till {
        public static int price(int count) { return count * 2; }
        public static int sum(int times) {
            int sum = 0;
            for (int i = 0; i < times; i++) sum += price(i);
            return sum;
        }
    }
"""
TEST = """
    package shop;
    import org.junit.*;
    public class TillTest {
        @Before public void open() { for (int i = 0; i < 200; i++) Till.price(i); }
        @Test public void late() { Till.sum(5000); helped(); }
        @Test public void never() { Till.sum(5000); }
        private void helped() { Assert.assertEquals(4, Till.price(2)); }
    }
"""


@pytest.fixture
def project(toolchain: Toolchain, sandbox: Sandbox, tmp_path: Path) -> Iterator[JavaProject]:
    project = java_project("junit4", toolchain, sandbox, tmp_path)
    yield project
    project.worker.close()


def price_callers(project: JavaProject, folder: Path, method: str) -> tuple[str, ...]:
    """Of `Till.price`, with all classes where a build puts them: only what a folder has is measured."""
    request = project.request(TEST, method, more=(TILL,))
    for name, content in request.overlay.items():
        place = folder / ("test-classes" if name.endswith("Test") else "classes") / f"{name.replace('.', '/')}.class"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    run: MethodsRun = project.worker.run(replace(request, measure=request.code))
    assert run.status == "passed", run.reason
    (found,) = [one.callers for one in run.coverage if (one.owner, one.name) == ("shop.Till", "price")]
    return found


def test_a_test_that_calls_after_thousands_of_other_calls_is_a_caller(project: JavaProject, tmp_path: Path) -> None:
    # What its fixture calls is no call of the test, so looking must go on after that too.
    found = price_callers(project, tmp_path / "tree/target", "late")
    assert found == ("shop.Till#sum", "shop.TillTest#helped", "shop.TillTest#open")


def test_a_test_that_never_calls_it_is_none(project: JavaProject, tmp_path: Path) -> None:
    assert price_callers(project, tmp_path / "tree/target", "never") == ("shop.Till#sum", "shop.TillTest#open")
