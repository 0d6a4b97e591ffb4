package org.example.units;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Comparisons of values that have been rounded. */
final class Near {
    private Near() {
    }

    static void assertNear(double expected, Quantity found) {
        assertEquals(expected, found.value(), 0.000001);
    }
}
