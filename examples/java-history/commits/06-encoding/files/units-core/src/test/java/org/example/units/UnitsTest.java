package org.example.units;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class UnitsTest {
    @Test
    void findsUnits() {
        Unit found = Units.find("km");
        assertEquals("km", found.symbol());
        assertEquals(1000, found.factor());
    }

    @Test
    void knowsTimes() {
        Unit minute = Units.find("min");
        assertEquals(60, minute.factor());
        assertEquals(3600, Units.find("h").factor());
        assertEquals(Dimension.TIME, minute.dimension());
    }

    @Test
    void knowsMasses() {
        assertEquals(1000, Units.find("t").factor());
        assertEquals(Dimension.MASS, Units.find("kg").dimension());
    }
}
