"""Which tests ask for a JVM of their own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.javas import JavaProject

pytestmark = pytest.mark.network

Libraries = Callable[[str], JavaProject]


def risk_of(project: JavaProject, body: str, members: str = "") -> str:
    source = f"""
        package shop;
        import java.util.*;
        import java.util.stream.*;
        import org.junit.*;
        public class SomeTest {{ {members} @Test public void some() throws Throwable {{ {body} }} }}
    """
    return project.worker.risky(project.compiled(source), ("/work/target/test-classes", "/work/target/classes"))


@pytest.mark.parametrize(
    "body",
    [
        "Assert.assertEquals(6, Prices.total(2, 3));",
        'Runnable run = () -> Prices.total(1, 2); run.run(); String s = "a" + run;',
        "Assert.assertEquals(3, Stream.of(1, 2).mapToInt(Integer::intValue).sum());",
        "System.out.println(System.nanoTime());",
        "Assert.assertThrows(IllegalArgumentException.class, () -> Prices.total(-1, 2));",
        'switch ("a".toLowerCase(Locale.ROOT)) { case "a": break; default: Assert.fail(); }',
        "new java.io.ByteArrayOutputStream().write(1);",
        'Assert.assertEquals("Prices", Prices.class.getSimpleName());',
        "assert Prices.total(1, 1) == 1;",
        "org.hamcrest.MatcherAssert.assertThat(new int[0].length, org.hamcrest.CoreMatchers.is(0));",
    ],
)
def test_ordinary_tests_do_not(library_of: Libraries, body: str) -> None:
    assert risk_of(library_of("junit4"), body) == ""


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("System.exit(0);", "the JVM itself"),
        ('System.setProperty("a", "b");', "the JVM itself"),
        ('System.getProperty("a");', "the JVM itself"),
        ("Runtime.getRuntime().halt(0);", "the JVM itself"),
        ("new Thread(() -> { }).start();", "threads"),
        ("java.util.concurrent.Executors.newCachedThreadPool().submit(() -> 1);", "threads"),
        ("Arrays.asList(1).parallelStream().count();", "threads"),
        ('Class.forName("shop.Prices");', "reflection"),
        ('Prices.class.getDeclaredMethod("total", int.class, int.class).invoke(null, 1, 2);', "reflection"),
        ('Prices.class.getResourceAsStream("Prices.class").read();', "reflection"),
        ('SomeTest.class.getClassLoader().getResource("a");', "class loaders"),
        ("new Exception().getStackTrace();", "the stack"),
        ("new Exception().printStackTrace();", "the stack"),
        ('new java.io.File("/work").list();', "files"),
        ('java.nio.file.Files.size(java.nio.file.Paths.get("a"));', "files"),
        ("java.lang.management.ManagementFactory.getRuntimeMXBean();", "the JVM's management"),
        (
            ('java.lang.invoke.MethodHandles.lookup().findStatic(Prices.class, "total", '
            "java.lang.invoke.MethodType.methodType(int.class, int.class, int.class));"),
            "method handles",
        ),
        ('new ProcessBuilder("true").start();', "the JVM itself"),
        ('new java.net.URL("file:/").openStream();', "network or class loaders"),
        ("ServiceLoader.load(Runnable.class);", "services"),
        ("Locale.setDefault(Locale.FRANCE);", "settings of the whole JVM"),
        ('String name = "testmark.jvm.Main";', "the worker"),
        ("new org.junit.runner.JUnitCore();", "the test framework's insides"),
        ("junit.runner.Version.id();", "a library that may keep state"),
    ],
)  # fmt: skip
def test_those_that_look_at_code_or_touch_the_jvm_do(library_of: Libraries, body: str, reason: str) -> None:
    found = risk_of(library_of("junit4"), body)
    assert found
    if not body.startswith(("new ProcessBuilder", "SomeTest.class", "Prices.class.getResource")):
        assert found.startswith(f"{reason}: ")


def test_what_stands_in_a_signature_only_is_seen(library_of: Libraries) -> None:
    assert risk_of(library_of("junit4"), "", "private Thread held; ") != ""
    assert risk_of(library_of("junit4"), "", "private ClassLoader[][] held;") != ""
