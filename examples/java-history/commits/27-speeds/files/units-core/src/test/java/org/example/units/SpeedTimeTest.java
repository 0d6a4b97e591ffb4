package org.example.units;

import static org.example.units.Near.assertNear;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SpeedTimeTest {
    private static final Quantity WAY = new Quantity(6, Units.find("m"));
    private static final Quantity TIME = new Quantity(2, Units.find("s"));

    @Test
    void isQuick() {
        long before = System.nanoTime();
        assertNear(3, Speed.of(WAY, TIME).quantity());
        assertTrue(System.nanoTime() >= before);
    }
}
