"""Mistakes that others made with long-lived JVMs and with runs beside each other; each is named at its test.

Two `@Nested` classes with methods of one name (pitest-junit5-plugin 31) and a `@TestFactory` whose first test is empty
(pitest 1152) stand in `test_worker_frameworks.py`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from testmark.runtimes.maven.worker import JvmWorker
from tests.support.javas import PRICES, JavaProject

pytestmark = pytest.mark.network

Libraries = Callable[[str], JavaProject]
TABLE = """
    package shop;
    public class Table {
        static final int[] ROWS = made();
        private static int[] made() { return new int[] {Prices.total(2, 3)}; }
        public static int first() { return ROWS[0]; }
    }
"""
TABLE_TEST = """
    package shop;
    import org.junit.*;
    public class TableTest {
        @Test public void first() { Assert.assertEquals(6, Table.first()); }
    }
"""


def mutated(project: JavaProject, source: str, old: str, new: str) -> dict[str, bytes]:
    """The classes of a source with one edit."""
    assert source.count(old) == 1
    return project.compiled(source.replace(old, new))


@pytest.mark.parametrize("fresh", [False, True])
def test_what_only_a_static_initializer_calls_is_mutated(library_of: Libraries, fresh: bool) -> None:
    # pitest 353: a loader that runs share had initialized the class before, and the mutant survived.
    project = library_of("junit4")
    changed = mutated(project, PRICES, "count * price", "count + price")
    for _ in range(2):
        assert project.run(TABLE_TEST, "first", more=[TABLE]).status == "passed"
        run = project.run(TABLE_TEST, "first", more=[TABLE], changed=changed, fresh=fresh)
        assert (run.status, run.cases[0].message) == ("failed", "expected:<6> but was:<5>")


def test_a_static_initializer_that_fails_on_a_mutant_fails_there_alone(library_of: Libraries) -> None:
    project = library_of("junit4")
    changed = mutated(project, PRICES, "count < 0", "count > 0")
    run = project.run(TABLE_TEST, "first", more=[TABLE], changed=changed)
    assert (run.status, run.cases[0].exception) == ("failed", "java.lang.ExceptionInInitializerError")
    assert project.run(TABLE_TEST, "first", more=[TABLE]).status == "passed"


def test_two_edits_of_one_size_are_two_codes(library_of: Libraries) -> None:
    # cosmic-ray 434: the byte code of the first was run for the second.
    project = library_of("junit4")
    test = "package shop; public class SizeTest { @org.junit.Test public void t() { org.junit.Assert.assertEquals(6, Prices.total(2, 3)); } }"
    edits = {operator: mutated(project, PRICES, "count * price", f"count {operator} price") for operator in "+-*/"}
    assert len({len(classes["shop.Prices"]) for classes in edits.values()}) == 1
    for operator, message in (("+", "5"), ("-", "-1"), ("*", None), ("/", "0"), ("+", "5")):
        run = project.run(test, "t", changed=edits[operator])
        expected = ("passed", "") if message is None else ("failed", f"expected:<6> but was:<{message}>")
        assert (run.status, run.cases[0].message) == expected


def test_runs_beside_each_other_share_no_resource(library_of: Libraries) -> None:
    # mutmut 545: hundreds of false time-outs of children that waited for one database. Here: one port, one lock file.
    project = library_of("junit4")
    request = project.request(
        """
        package shop;
        import java.io.*;
        import java.net.*;
        import java.nio.channels.*;
        public class PortTest {
            @org.junit.Test public void holds() throws Exception {
                RandomAccessFile file = new RandomAccessFile("/tmp/shop.lock", "rw");
                FileLock lock = file.getChannel().tryLock();
                org.junit.Assert.assertNotNull(lock);
                try (ServerSocket server = new ServerSocket(8765)) {
                    Thread.sleep(500);
                    try (Socket client = new Socket("127.0.0.1", 8765); Socket other = server.accept()) {
                        other.getOutputStream().write(7);
                        org.junit.Assert.assertEquals(7, client.getInputStream().read());
                    }
                }
            }
        }
        """,
        "holds",
    )

    def work(number: int) -> list[tuple[str, str]]:
        worker = JvmWorker(project.worker._tree, project.worker._sandbox)
        with contextlib.closing(worker):
            runs = [worker.run(replace(request, fresh=number == 0)) for _ in range(3)]
        return [(run.status, run.reason) for run in runs]

    with ThreadPoolExecutor(max_workers=3) as pool:
        assert list(pool.map(work, range(3))) == [[("passed", "")] * 3] * 3
