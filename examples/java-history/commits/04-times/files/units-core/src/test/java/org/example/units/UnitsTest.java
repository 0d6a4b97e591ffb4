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
        Unit minute = Units.find("min", Dimension.TIME);
        assertEquals(60, minute.factor());
        assertEquals(Dimension.TIME, minute.dimension());
    }

    @Test
    void knowsMasses() {
        assertEquals(Dimension.MASS, Units.find("kg").dimension());
    }
}
