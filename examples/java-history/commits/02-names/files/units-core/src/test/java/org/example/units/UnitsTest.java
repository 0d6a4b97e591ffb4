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
}
