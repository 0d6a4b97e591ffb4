"""A small Maven project of our own, with one class and tests for it, built by the Maven room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from testmark.records.builds import BuildRecord
from testmark.runtimes.maven.build import build_revision
from testmark.runtimes.maven.cold import ColdRequest
from testmark.runtimes.maven.protocol import BuiltTree, Toolchain
from testmark.runtimes.protocol import TimeLimits
from testmark.sandbox import Sandbox

TIME = TimeLimits(cpu_seconds=60, idle_seconds=60.0, wall_seconds=300.0)
CALC = """package p;

public class Calc {
    public int add(int a, int b) {
        return a + b;
    }

    public int sub(int a, int b) {
        return a - b;
    }
}
"""
JUNIT_4 = ("junit", "junit", "4.13.2")
JUPITER = ("org.junit.jupiter", "junit-jupiter", "5.10.2")


def pom(
    *,
    artifact: str = "calc",
    java: str = "8",
    framework: tuple[str, str, str] = JUNIT_4,
    surefire: str = "3.2.5",
    surefire_settings: str = "",
    more: str = "",
) -> str:
    """A whole pom; `more` stands at its end."""
    group, name, version = framework
    return f"""<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>p</groupId><artifactId>{artifact}</artifactId><version>1</version>
<properties>
  <maven.compiler.source>{java}</maven.compiler.source><maven.compiler.target>{java}</maven.compiler.target>
  <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
</properties>
<dependencies><dependency>
  <groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version><scope>test</scope>
</dependency></dependencies>
<build><plugins><plugin>
  <artifactId>maven-surefire-plugin</artifactId><version>{surefire}</version>
  <configuration>{surefire_settings}</configuration>
</plugin></plugins></build>{more}</project>
"""


def junit4_test(body: str, name: str = "CalcTest") -> str:
    """A class of JUnit 4 tests with this body."""
    return f"package p;\nimport org.junit.*;\nimport static org.junit.Assert.*;\npublic class {name} {{\n{body}\n}}\n"


def write_tree(folder: Path, files: Mapping[str, str]) -> Path:
    """Write the files below the folder."""
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return folder


def build(tree: Path, store: Path, toolchains: Sequence[Toolchain], sandbox: Sandbox, declared: int = 8) -> BuildRecord:
    """Build with a log beside the tree."""
    store.mkdir(exist_ok=True)
    log = tree.with_name(f"{tree.name}.log")
    return build_revision(tree, store, toolchains, sandbox, declared=declared, log=log)


def built_tree(tree: Path, store: Path, toolchains: Sequence[Toolchain], record: BuildRecord) -> BuiltTree:
    """The tree of a record that is built."""
    assert record.reason is None, (record.reason, record.detail, record.tried)
    toolchain = next(one for one in toolchains if one.jdk.version == record.jdk)
    return BuiltTree(tree, store, toolchain, record.modules, record.released)


def asked(built: BuiltTree, test_class: str, *methods: str, module: str = "", **more: object) -> ColdRequest:
    """A request for methods of one class."""
    found = next(one for one in built.modules if one.path == module)
    return ColdRequest(found, test_class, methods, TIME, **more)  # type: ignore[arg-type]
