package org.example.units;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;

class UnitRegistryTest {
    @Test
    void findsUnits() {
        Unit kilometre = Units.find("km");
        assertEquals("km", kilometre.symbol());
        assertEquals(1000, kilometre.factor());
        Exception error = assertThrows(NoSuchElementException.class, () -> Units.find("yard"));
        assertEquals("unknown unit: yard", error.getMessage());
    }

    @Test
    void knowsUnitsOfTime() {
        Unit minute = Units.find("min");
        assertEquals(60, minute.factor());
        assertEquals(3600, Units.find("h").factor());
        assertEquals(86400, Units.find("d").factor());
        assertEquals(Dimension.TIME, minute.dimension());
    }

    @Test
    void knowsMasses() {
        assertEquals(1000, Units.find("t").factor());
        assertEquals(Dimension.MASS, Units.find("kg").dimension());
    }
}
