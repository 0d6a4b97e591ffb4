"""Tests that harm the JVM, or would reach into the next run: each has a named outcome, and the next run is well."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from testmark.runtimes.protocol import TimeLimits
from tests.support.javas import JavaProject

pytestmark = pytest.mark.network

Libraries = Callable[[str], JavaProject]
# Apart enough that a loaded machine does not take one for another.
SHORT = TimeLimits(cpu_seconds=1, idle_seconds=4.0, wall_seconds=120.0)
HEAD = """
    package shop;
    import java.io.*;
    import java.util.*;
    import static org.junit.Assert.*;
    import org.junit.Test;
    public class AttackTest {
"""
GOOD = HEAD + "@Test public void attack() { assertEquals(6, Prices.total(2, 3)); } }"


def attack(project: JavaProject, body: str, *, members: str = "", time: TimeLimits = SHORT) -> tuple[str, str]:
    run = project.run(
        HEAD + members + f"@Test public void attack() throws Throwable {{ {body} }} }}", "attack", time=time
    )
    after = project.run(GOOD, "attack")
    assert after.status == "passed", after
    return run.status, run.reason


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        ("System.exit(0);", "failed", "the test ended the JVM by System.exit"),
        ("Runtime.getRuntime().halt(0);", "failed", "the JVM ended in the test"),
        (
            "new Thread(() -> System.exit(0)).start(); Thread.sleep(3000);",
            "failed",
            "the test ended the JVM by System.exit",
        ),
        ("while (true) { }", "timeout", "cpu"),
        ("new Thread(() -> { while (true) { } }).start(); Thread.sleep(60000);", "timeout", "cpu"),
        ("Thread.sleep(60000);", "timeout", "idle"),
        ("synchronized (this) { wait(); }", "timeout", "idle"),
        ("while (true) { try { while (true) { } } catch (Throwable any) { } }", "timeout", "cpu"),
        ("while (true) { try { Thread.sleep(100000); } catch (Throwable any) { } }", "timeout", "idle"),
    ],
)
def test_a_jvm_that_ends_or_hangs(library_of: Libraries, body: str, status: str, reason: str) -> None:
    assert attack(library_of("junit4"), body) == (status, reason)


def test_memory_and_stack(library_of: Libraries) -> None:
    long = TimeLimits(cpu_seconds=60, idle_seconds=10.0, wall_seconds=100.0)
    project = library_of("junit4")
    grow = "List<long[]> all = new ArrayList<>(); while (true) { all.add(new long[1 << 20]); }"
    status, reason = attack(project, grow, time=long)
    assert (status, reason.split(": ")[:2]) == ("failed", ["attack", "java.lang.OutOfMemoryError"])
    status, reason = attack(project, "deep();", members="static int deep() { return 1 + deep(); }", time=long)
    assert (status, reason) == ("failed", "attack: java.lang.StackOverflowError")


@pytest.mark.parametrize(
    ("dirty", "look"),
    [
        ('System.setProperty("user.dir", "/nowhere");', 'assertEquals("/work", System.getProperty("user.dir"));'),
        ('System.setProperty("mark", "1");', 'assertNull(System.getProperty("mark"));'),
        ("System.setProperties(new Properties());", 'assertNotNull(System.getProperty("java.version"));'),
        ("Locale.setDefault(Locale.FRANCE);", 'assertNotEquals("FR", Locale.getDefault().getCountry());'),
        (
            'TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));',
            'assertNotEquals("Asia/Tokyo", TimeZone.getDefault().getID());',
        ),
        ("System.setOut(null);", "assertNotNull(System.out);"),
        ("System.out.close(); System.err.close();", "assertFalse(System.out.checkError());"),
        ("State.value = 1;", "assertEquals(0, State.value);"),
        (
            'new FileWriter("/work/mark").append("x").close();',
            'assertFalse(new File("/work/mark").exists());',
        ),
        (
            'new FileWriter("/tmp/mark").append("x").close();',
            'assertFalse(new File("/tmp/mark").exists());',
        ),
        ('new FileWriter("/dev/shm/mark").append("x").close();', 'assertFalse(new File("/dev/shm/mark").exists());'),
        (
            'new File("/work/target/classes/shop/Prices.class").delete();',
            'assertTrue(new File("/work/target/classes/shop/Prices.class").exists());',
        ),
        (
            'new Thread(() -> { try { Thread.sleep(5000); } catch (InterruptedException end) { } }, "mark").start();',
            'for (Thread each : Thread.getAllStackTraces().keySet()) { assertNotEquals("mark", each.getName()); }',
        ),
        (
            "Thread.currentThread().setContextClassLoader(null);",
            "assertNotNull(Thread.currentThread().getContextClassLoader());",
        ),
        (
            'new ProcessBuilder("sleep", "1000").start();',
            ('for (String pid : new File("/proc").list()) { File name = new File("/proc/" + pid + "/comm"); '
            'if (name.exists()) { assertNotEquals("sleep", new Scanner(name).next()); } }'),
        ),
        (
            "Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(0)));",
            "assertTrue(true);",
        ),
    ],
)  # fmt: skip
def test_nothing_is_carried_to_the_next_run(library_of: Libraries, dirty: str, look: str) -> None:
    project = library_of("junit4")
    state = "package shop; public class State { public static int value; }"
    source = (
        HEAD
        + f"""
        @Test public void dirty() throws Exception {{ {dirty} }}
        @Test public void look() throws Exception {{ {look} }}
    }}"""
    )
    first = project.run(source, "dirty", more=[state])
    assert first.status == "passed", first
    second = project.run(source, "look", more=[state])
    assert second.status == "passed", second


def test_output_is_kept_apart_and_cut(library_of: Libraries) -> None:
    project = library_of("junit4")
    body = 'System.out.println("seen"); for (int i = 0; i < 200000; i++) { System.err.println("flood"); }'
    run = project.run(HEAD + f"@Test public void attack() {{ {body} }} }}", "attack")
    assert run.status == "passed"
    assert run.output.startswith("seen\nflood")
    assert len(run.output) <= 1 << 16


@pytest.mark.parametrize(
    "body",
    [
        "new FileOutputStream(FileDescriptor.out).write(new byte[] {0, 0, 0, 4, 0, 0, 0, 27});",
        "new FileOutputStream(FileDescriptor.out).write(new byte[] {127, 0, 0, 4, 0, 0, 0, 27});",
        'new PrintStream(new FileOutputStream(FileDescriptor.out), true).println("OK (1 test)");',
        "new FileOutputStream(FileDescriptor.out).close();",
        'try (OutputStream out = new FileOutputStream("/proc/self/fd/1")) { out.write(new byte[64]); }',
    ],
)
def test_what_is_written_to_the_stream_itself_is_never_a_pass(library_of: Libraries, body: str) -> None:
    status, _ = attack(library_of("junit4"), body)
    assert status == "failed"


def test_the_workers_classes_are_not_seen_by_name(library_of: Libraries) -> None:
    status, reason = attack(library_of("junit4"), 'Class.forName("testmark.jvm.Main");')
    assert (status, reason) == ("failed", "attack: java.lang.ClassNotFoundException: testmark.jvm.Main")


def test_a_flood_of_cases_has_a_name(library_of: Libraries) -> None:
    source = """
        package shop;
        import java.util.stream.*;
        import org.junit.jupiter.api.*;
        class FloodTest {
            @TestFactory Stream<DynamicTest> flood() {
                return IntStream.range(0, 30000).mapToObj(i -> DynamicTest.dynamicTest("" + i, () -> { }));
            }
        }
    """
    run = library_of("platform").run(source, "flood")
    assert (run.status, run.reason) == ("failed", "more than 20,000 cases")


def test_a_test_that_closes_our_input_ends_its_jvm_at_most(library_of: Libraries) -> None:
    project = library_of("junit4")
    run = project.run(
        HEAD + "@Test public void attack() throws Exception { new FileInputStream(FileDescriptor.in).close(); } }",
        "attack",
    )
    assert run.status in {"passed", "failed"}
    assert project.run(GOOD, "attack").status == "passed"


def test_fresh_runs_have_a_jvm_of_their_own(library_of: Libraries) -> None:
    project = library_of("junit4")
    source = (
        HEAD
        + """@Test public void attack() {
        System.out.println(java.lang.management.ManagementFactory.getRuntimeMXBean().getStartTime()); } }"""
    )
    first, second = project.run(source, "attack", fresh=True), project.run(source, "attack", fresh=True)
    assert (first.status, second.status) == ("passed", "passed")
    assert first.output != second.output
