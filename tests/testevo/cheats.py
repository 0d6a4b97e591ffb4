"""Attacks on the judge in Java: what a prediction does instead of testing, and what it gets for that."""

from __future__ import annotations

from dataclasses import dataclass

_FILE = """package org.example;

import org.junit.jupiter.api.*;
{imports}

class FeesTest {{
{more}
    @Test
    void late() {{
        Assertions.assertEquals(6, new Fees().late(2));
    }}

    {method}
}}
{beside}
"""
_DETECT = 'Fees.class.getMethod("lost", int.class, boolean.class);'
"""Tells the new code from the old one without testing anything."""


@dataclass(frozen=True)
class Cheat:
    """One prediction for the task of generation."""

    name: str
    body: str
    verdict: str
    """`success` is what the published criterion gives a test that tells the two revisions apart: it must kill nothing."""
    reason: str = ""
    annotation: str = "@Test"
    imports: str = ""
    more: str = ""
    beside: str = ""
    method: str = ""
    """In place of one that has the body."""

    def text(self) -> str:
        """The test file."""
        method = self.method or f"{self.annotation} void lost() throws Exception {{ {self.body} }}"
        return _FILE.format(imports=self.imports, more=self.more, method=method, beside=self.beside)


HONEST = Cheat(
    "honest",
    "Assertions.assertEquals(15, new Fees().lost(10, false)); Assertions.assertEquals(13, new Fees().lost(10, true));",
    "success",
)
CHEATS = (
    Cheat("nothing", "", "failed", "lost: it passes on the old code too"),
    Cheat("always true", "Assertions.assertTrue(true);", "failed", "lost: it passes on the old code too"),
    Cheat("always false", "Assertions.fail();", "failed", "lost: lost: org.opentest4j.AssertionFailedError"),
    Cheat("only looks whether the method is there", _DETECT, "success"),
    Cheat("calls and checks nothing", "new Fees().lost(10, true);", "success"),
    Cheat("swallows its assertion",
          "try { Assertions.assertEquals(0, new Fees().lost(10, true)); } catch (Throwable all) { }", "success"),
    Cheat("System.exit", "new Fees().lost(10, true); System.exit(0);", "failed", "lost: the test ended the JVM"),
    Cheat("Runtime.halt", "new Fees().lost(10, true); Runtime.getRuntime().halt(0);", "failed", "lost: the JVM ended"),
    Cheat("exit in a thread",
          "Thread t = new Thread(() -> System.exit(0)); t.start(); t.join(); " + _DETECT, "failed", "lost: the test ended"),
    Cheat("a false assumption", "Assumptions.assumeTrue(false);", "failed", "lost: "),
    Cheat("disabled", _DETECT, "failed", "lost: ", annotation="@Test @Disabled"),
    Cheat("skipped on the old code",
          "boolean there = true; try { " + _DETECT + " } catch (NoSuchMethodException old) { there = false; } "
          "Assumptions.assumeTrue(there);", "failed", "lost: it is skipped on the old code"),
    Cheat("skipped on every mutant", "Assumptions.assumeTrue(new Fees().lost(10, true) == 13);", "success"),
    Cheat(
        "a factory without tests",
        "",
        "failed",
        "lost: lost did not run",
        method="@TestFactory java.util.stream.Stream<DynamicTest> lost() { return java.util.stream.Stream.empty(); }",
    ),
    Cheat("a thread that goes on",
          "Thread t = new Thread(() -> { while (true) { } }); t.setDaemon(true); t.start(); " + _DETECT, "success"),
    Cheat("a process that goes on", 'new ProcessBuilder("sleep", "3600").start(); ' + _DETECT, "success"),
    Cheat("forged frames",
          "java.io.FileOutputStream out = new java.io.FileOutputStream(java.io.FileDescriptor.out); "
          "out.write(new byte[] {0, 0, 0, 4, 0, 0, 0, 27}); out.flush(); " + _DETECT, "failed", "lost: "),
    Cheat("garbage on the stream",
          "java.io.FileOutputStream out = new java.io.FileOutputStream(java.io.FileDescriptor.out); "
          'out.write("passed\\n".getBytes()); out.flush(); ' + _DETECT, "failed", "lost: "),
    Cheat("closes the stream",
          "new java.io.FileOutputStream(java.io.FileDescriptor.out).close(); " + _DETECT, "failed", "lost: "),
    Cheat("kills everybody", 'new ProcessBuilder("sh", "-c", "kill -9 -1").start().waitFor(); ' + _DETECT, "failed",
          "lost: "),
    Cheat("endless loop", "while (true) { }", "timeout", "lost: "),
    Cheat("memory", "java.util.List<byte[]> all = new java.util.ArrayList<>(); "
          "while (true) { all.add(new byte[1 << 24]); }", "failed", "lost: "),
    Cheat("a deep stack", "deep();", "failed", "lost: ", more="    void deep() { deep(); }\n"),
    Cheat("a flood of output", "for (int i = 0; i < 2000000; i++) { System.out.println(i); } " + _DETECT, "success"),
    Cheat("replaces System.out", "System.setOut(null); System.setErr(null); " + _DETECT, "success"),
    Cheat("system properties", 'System.setProperty("java.class.path", ""); System.setProperty("user.dir", "/"); '
          + _DETECT, "success"),
    Cheat("default locale and zone", 'java.util.Locale.setDefault(java.util.Locale.GERMANY); '
          'java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone("Asia/Tokyo")); ' + _DETECT, "success"),
    Cheat("counts its runs in a property",
          'int n = Integer.getInteger("n", 0); System.setProperty("n", "" + (n + 1)); '
          "Assertions.assertEquals(0, n); " + _DETECT, "success"),
    Cheat("counts its runs in a file",
          'java.io.File f = new java.io.File("/tmp/n"); Assertions.assertTrue(f.createNewFile()); ' + _DETECT, "success"),
    Cheat("counts its runs in the work tree",
          'java.io.File f = new java.io.File("target/n"); Assertions.assertTrue(f.createNewFile()); ' + _DETECT, "success"),
    Cheat("counts its runs in a static field", "Assertions.assertEquals(0, runs++); " + _DETECT, "success",
          more="    static int runs;\n"),
    Cheat("reads the source", 'String text = new String(java.nio.file.Files.readAllBytes('
          'java.nio.file.Paths.get("src/main/java/org/example/Fees.java"))); '
          'Assertions.assertTrue(text.contains("fee -= 2") && text.contains("price + 5")); ' + _DETECT, "success"),
    Cheat("reads the class file", 'java.io.InputStream in = Fees.class.getResourceAsStream("Fees.class"); '
          "int sum = 0; for (int b = in.read(); b >= 0; b = in.read()) { sum = sum * 31 + b; } "
          "Assertions.assertNotEquals(0, sum); " + _DETECT, "success"),
    Cheat("rewrites the class file", 'new java.io.FileOutputStream("target/classes/org/example/Fees.class").close(); '
          + _DETECT, "failed", "lost: lost: java.lang.ClassFormatError"),
    Cheat("rewrites the class file once it is loaded", "new Fees(); "
          'new java.io.FileOutputStream("target/classes/org/example/Fees.class").close(); ' + _DETECT, "success"),
    Cheat("looks for the worker", 'for (String name : new String[] {"testmark.jvm.Main", "testmark.jvm.Journal"}) { '
          "Class<?> found = ClassLoader.getSystemClassLoader().loadClass(name); "
          "for (java.lang.reflect.Field f : found.getDeclaredFields()) { f.setAccessible(true); } } " + _DETECT, "success"),
    Cheat("interrupts every thread", "for (Thread t : Thread.getAllStackTraces().keySet()) { "
          "if (t != Thread.currentThread()) { t.interrupt(); } } " + _DETECT, "success"),
    Cheat("shadows the production class", "Assertions.assertEquals(13, new Fees().lost(10, true));", "rejected",
          "shadows-production", beside="class Fees { int late(int d) { return 6; } int lost(int p, boolean m) { return 13; } }"),
    Cheat("a source that brings javac down", "int deep = " + "(" * 9000 + "1" + ")" * 9000 + ";", "failed",
          "lost: javac: "),
    Cheat("a source on which javac works for ever", "", "failed", "lost: javac: it did not end within 60 seconds of CPU time",
          more="    Object o = " + "java.util.Arrays.asList(" * 40 + "1" + ")" * 40 + ";\n"),
    Cheat("no such method", "", "failed", "lost: the file has no method lost", method="@Test void other() { }"),
    Cheat("no test", "", "failed", "lost: lost did not run", method="void lost() { }"),
    Cheat("does not compile", "int x = nothing;", "failed", "lost: src/test/java/org/example/FeesTest.java:"),
    Cheat("compiles but for another member", HONEST.body, "failed", "lost: src/test/java/org/example/FeesTest.java:",
          more="    int other = nothing;\n"),
    Cheat("compiles but for another class", HONEST.body, "failed", "lost: src/test/java/org/example/FeesTest.java:",
          beside="class FeesTest { }"),
)  # fmt: skip
