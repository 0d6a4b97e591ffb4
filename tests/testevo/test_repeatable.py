"""Which tests read the clock or draw at random, on lines that they execute."""

from __future__ import annotations

import pytest

from testmark.records.mining import Dependency
from testmark.testevo.repeatable import unrepeatable

MAIN = "src/main/java/a/A.java"
SOURCE = """package a;

class A {
    long now() {
        return System.currentTimeMillis();
    }

    int three() {
        return 3;
    }
}
"""
TEST = """package a;

class ATest {
    private final long fixed = 3;

    @Test
    void plain() {
        assertEquals(3, new A().three());
    }

    @Test
    void drawn() {
        assertEquals(3, Math.random());
    }
}
"""
PLAIN = "@Test\n    void plain() {\n        assertEquals(3, new A().three());\n    }"


def executed(*covered: int) -> list[Dependency]:
    return [
        Dependency(
            signature="a.A#x()V",
            path=MAIN,
            line=4,
            end_line=10,
            lines=(5, 9),
            covered=covered,
            direct=True,
            changed=True,
        )
    ]


def seen(*covered: int, test: str = TEST, code: str = PLAIN) -> str:
    return unrepeatable(test, code, executed(*covered), lambda path: SOURCE if path == MAIN else "")


def test_a_line_that_it_covers_reads_the_clock() -> None:
    assert seen(5, 9) == f"{MAIN}:5 has `System.currentTimeMillis`"


def test_a_line_that_it_does_not_cover_is_nothing() -> None:
    assert seen(9) == ""


def test_what_other_test_methods_do_is_theirs_and_a_field_is_everybodys() -> None:
    assert seen(9, code="@Test void drawn() { assertEquals(3, Math.random()); }") == "its own code has `Math.random`"
    field = TEST.replace("private final long fixed = 3;", "private final Random random = new Random();")
    assert seen(9, test=field) == "its own code has `new Random()`"


@pytest.mark.parametrize(
    "text",
    [
        "Instant.now()", "LocalDate . now(zone)", "Clock.systemUTC()", "new java.util.Date()", "new Date ( )",
        "Calendar.getInstance()", "UUID.randomUUID()", "new SecureRandom()", "ThreadLocalRandom.current()",
        "Collections.shuffle(cards)", "Collections.shuffle(this.cards())",
    ],
)  # fmt: skip
def test_sources_of_other_values_in_every_run(text: str) -> None:
    assert seen(9, code=f"void plain() {{ use({text}); }}").startswith("its own code has `")


@pytest.mark.parametrize(
    "text",
    [
        "new Random(42)", "Instant.parse(now)", "LocalDate.of(2020, 1, 2)", "new Date(0)", "Clock.fixed(at, zone)",
        "Collections.shuffle(cards, new Random(1))", "UUID.fromString(text)", "System.nanoTime()", "know()", "now()",
    ],
)  # fmt: skip
def test_what_is_the_same_in_every_run(text: str) -> None:
    assert seen(9, code=f"void plain() {{ use({text}); }}") == ""
