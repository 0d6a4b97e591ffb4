"""Tiny Java projects for tests of the JVM worker: classes compiled in memory, jars fetched once by Maven."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from testmark.records.base import FileText
from testmark.runtimes.maven.protocol import BuiltTree, CompileRequest, MethodsRequest, MethodsRun, Toolchain
from testmark.runtimes.maven.spy_classes import default_cache
from testmark.runtimes.maven.worker import JvmWorker
from testmark.runtimes.maven.worker_jars import Jar, fetch_jars
from testmark.runtimes.protocol import TimeLimits
from testmark.sandbox import Sandbox

HAMCREST = Jar("org.hamcrest", "hamcrest-core", "1.3")
JARS: Mapping[str, tuple[Jar, ...]] = {
    "junit3": (Jar("junit", "junit", "3.8.2"),),
    "junit40": (Jar("junit", "junit", "4.4"),),
    "junit4": (Jar("junit", "junit", "4.13.2"), HAMCREST),
    "platform": (
        Jar("org.junit.jupiter", "junit-jupiter-api", "5.10.2"),
        Jar("org.junit.jupiter", "junit-jupiter-params", "5.10.2"),
        Jar("org.junit.jupiter", "junit-jupiter-engine", "5.10.2"),
        Jar("org.junit.platform", "junit-platform-commons", "1.10.2"),
        Jar("org.junit.platform", "junit-platform-engine", "1.10.2"),
        Jar("org.opentest4j", "opentest4j", "1.3.0"),
        Jar("org.apiguardian", "apiguardian-api", "1.1.2"),
    ),
    "vintage": (
        Jar("junit", "junit", "4.13.2"),
        HAMCREST,
        Jar("org.junit.vintage", "junit-vintage-engine", "5.10.2"),
        Jar("org.junit.platform", "junit-platform-commons", "1.10.2"),
        Jar("org.junit.platform", "junit-platform-engine", "1.10.2"),
        Jar("org.opentest4j", "opentest4j", "1.3.0"),
        Jar("org.apiguardian", "apiguardian-api", "1.1.2"),
    ),
    "testng": (Jar("org.testng", "testng", "6.14.3"), Jar("com.beust", "jcommander", "1.72")),
    "testng7": (
        Jar("org.testng", "testng", "7.5.1"),
        Jar("com.beust", "jcommander", "1.82"),
        Jar("org.slf4j", "slf4j-api", "1.7.36"),
        Jar("org.webjars", "jquery", "3.6.1"),
    ),
}
"""What a project with that library has on its class path."""
FRAMEWORKS = {
    "junit3": "junit3",
    "junit40": "junit4",
    "junit4": "junit4",
    "platform": "platform",
    "vintage": "platform",
    "testng": "testng",
    "testng7": "testng",
}
LIMITS = TimeLimits(cpu_seconds=20, idle_seconds=10.0, wall_seconds=60.0)
PRICES = """
    package shop;
    public class Prices {
        public static int total(int count, int price) {
            if (count < 0) {
                throw new IllegalArgumentException("count");
            }
            return count * price;
        }
        public int unused() {
            return 7;
        }
    }
"""


@dataclass
class JavaProject:
    """A worker on an empty tree; every class comes as an overlay but those of `base`, which stand in the tree."""

    worker: JvmWorker
    library: str
    base: Mapping[str, bytes]

    def compiled(self, *sources: str, also: Mapping[str, bytes] | None = None) -> dict[str, bytes]:
        """Classes of the sources; each source's first class names its file."""
        texts = tuple(FileText(path=f"{name_of(one)}.java", content=textwrap.dedent(one)) for one in sources)
        overlay = {**self.base, **(also or {})}
        done = self.worker.compile(CompileRequest(texts, self.jars, ("-g", "-parameters"), overlay))
        assert done.errors == ()
        return dict(done.classes)

    @property
    def jars(self) -> tuple[str, ...]:
        return tuple(f"/m2/{jar.in_store}" for jar in JARS[self.library])

    def request(
        self,
        test: str,
        *methods: str,
        test_class: str = "",
        more: Sequence[str] = (),
        changed: Mapping[str, bytes] | None = None,
        measure: bool = False,
        fresh: bool = False,
        time: TimeLimits = LIMITS,
    ) -> MethodsRequest:
        """Compile the test, and ask for methods of it."""
        classes = self.compiled(test, *more)
        return MethodsRequest(
            dependencies=self.jars,
            code=("/work/target/test-classes", "/work/target/classes"),
            overlay={**classes, **(changed or {})},
            removed=(),
            test_class=test_class or name_of(test).replace("/", "."),
            methods=methods,
            frameworks=(FRAMEWORKS[self.library],),
            directory="/work",
            properties={},
            environment={},
            arg_line=(),
            time=time,
            measure=("/work/target/classes",) if measure else (),
            fresh=fresh,
        )

    def run(self, test: str, *methods: str, **options: Any) -> MethodsRun:
        """Compile the test and run methods of it; options as for `request`."""
        return self.worker.run(self.request(test, *methods, **options))


def name_of(source: str) -> str:
    """`package/Class` of a source's first class."""
    words = source.split()
    package = words[words.index("package") + 1].rstrip(";") + "." if "package" in words else ""
    return (package + words[words.index("class") + 1].split("<")[0]).replace(".", "/")


def java_project(library: str, toolchain: Toolchain, sandbox: Sandbox, folder: Path) -> JavaProject:
    """A tree with `shop.Prices` in `target/classes`, and a store with the library's jars."""
    tree, store = folder / "tree", folder / "store"
    for place in (tree / "target/classes", tree / "target/test-classes", store):
        place.mkdir(parents=True)
    flat = default_cache() / "test-jars"
    fetch_jars(toolchain, sandbox, JARS[library], flat)
    for jar in JARS[library]:
        (store / jar.in_store).parent.mkdir(parents=True)
        (store / jar.in_store).write_bytes((flat / jar.file).read_bytes())
    worker = JvmWorker(BuiltTree(tree, store, toolchain, ()), sandbox)
    project = JavaProject(worker, library, {})
    base = project.compiled(PRICES)
    worker.close()
    for name, content in base.items():
        place = tree / "target/classes" / f"{name.replace('.', '/')}.class"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return JavaProject(JvmWorker(BuiltTree(tree, store, toolchain, ()), sandbox), library, base)
