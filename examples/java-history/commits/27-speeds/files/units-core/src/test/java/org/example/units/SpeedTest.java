package org.example.units;

import static org.example.units.Near.assertNear;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;

class SpeedTest {
    private static final Quantity WAY = new Quantity(6, Units.find("m"));
    private static final Quantity TIME = new Quantity(2, Units.find("s"));

    @Test
    void isWayOverTime() {
        assertNear(3, Speed.of(WAY, TIME).quantity());
        assertEquals("m/s", Speed.of(WAY, TIME).quantity().unit().symbol());
    }

    @Test
    void needsTime() {
        Quantity none = new Quantity(0, Units.find("s"));
        try {
            Speed.of(WAY, none);
            fail("a speed without time");
        } catch (UnitException error) {
            assertEquals("no time has passed", error.getMessage());
        }
    }

    @Test
    void compares() {
        Speed slow = Speed.of(WAY, TIME);
        assertTrue(Speed.of(WAY.times(2), TIME).isFasterThan(slow));
        assertFalse(slow.isFasterThan(slow));
    }

    @Test
    void tellsTimes() {
        assertNear(1000, Speed.of(WAY, TIME).timeFor(new Quantity(3, Units.find("km"))));
    }
}
