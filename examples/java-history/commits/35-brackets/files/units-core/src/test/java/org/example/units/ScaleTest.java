package org.example.units;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScaleTest {
    private final Scale minutes = new Scale(Units.find("min"), 10);

    @ParameterizedTest
    @CsvSource({"0, 0 [min]", "1, 10 [min]", "3, 30 [min]"})
    void labels(int mark, String expected) {
        assertEquals(expected, minutes.label(mark));
    }

    @ParameterizedTest(name = "mark [{0}]")
    @ValueSource(ints = {2, 4})
    void labels(int mark) {
        assertEquals(mark * 10 + " [min]", minutes.label(mark));
    }

    @RepeatedTest(3)
    void labelsAgain() {
        assertEquals("20 [min]", minutes.label(2));
    }

    @TestFactory
    List<DynamicTest> labelsOfAll() {
        String fifth = minutes.label(5);
        List<DynamicTest> found = new ArrayList<>();
        found.add(DynamicTest.dynamicTest("nothing", () -> { }));
        found.add(DynamicTest.dynamicTest("five", () -> assertEquals("50 [min]", fifth)));
        return found;
    }

    @Nested
    class Small {
        @Test
        void hasDecimals() {
            assertEquals("0.5 [m]", new Scale(Units.find("m"), 0.25).label(2));
        }
    }

    @Nested
    class Large {
        @Test
        void hasDecimals() {
            assertEquals("2500.5 [m]", new Scale(Units.find("m"), 2500.5).label(1));
        }
    }
}
