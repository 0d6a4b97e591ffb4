"""A Maven repository of four commits, one task of each track, for the tests that run it whole."""

from __future__ import annotations

from pathlib import Path

from tests.testevo.repository import Repository

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId>
  <artifactId>fees</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>8</maven.compiler.source>
    <maven.compiler.target>8</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>org.junit.jupiter</groupId>
      <artifactId>junit-jupiter</artifactId>
      <version>5.10.2</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-surefire-plugin</artifactId>
        <version>3.2.5</version>
      </plugin>
    </plugins>
  </build>
</project>
"""
MAIN, TEST = "src/main/java/org/example/Fees.java", "src/test/java/org/example/FeesTest.java"
_MAIN = """package org.example;

public class Fees {{
    public int late(int days) {{
        {late}
    }}
{more}}}
"""
_TEST = """package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class FeesTest {{
    @Test
    void late() {{
{late}
    }}
{more}}}
"""
LOST = """
    public int lost(int price, boolean member) {
        int fee = price + 5;
        if (member) {
            fee -= 2;
        }
        return fee;
    }
"""
LOST_TEST = """
    @Test
    void lost() {{
{checks}
    }}
"""


def _check(actual: str, expected: int) -> str:
    return f"        assertEquals({expected}, new Fees().{actual});"


def fees(late: str, more: str = "") -> str:
    """`Fees.java`."""
    return _MAIN.format(late=late, more=more)


def fees_test(late: list[str], lost: list[str] | None = None) -> str:
    """`FeesTest.java`."""
    more = "" if lost is None else LOST_TEST.format(checks="\n".join(lost))
    return _TEST.format(late="\n".join(late), more=more)


def write_history(folder: Path) -> list[str]:
    """The four commits: what there is, an update, a generation, a refinement."""
    repository = Repository(folder)
    two, three = [_check("late(2)", 4)], [_check("late(2)", 6)]
    plain, member = _check("lost(10, false)", 15), _check("lost(10, true)", 13)
    return [
        repository.commit({"pom.xml": POM, MAIN: fees("return 2 * days;"), TEST: fees_test(two)}),
        repository.commit({MAIN: fees("return 3 * days;"), TEST: fees_test(three)}),
        repository.commit({MAIN: fees("return 3 * days;", LOST), TEST: fees_test(three, [plain])}),
        repository.commit(
            {
                MAIN: fees("return 3 * days;", LOST.replace("fee -= 2;", "fee = fee - 2;")),
                TEST: fees_test(three, [plain, member]),
            }
        ),
    ]
