package org.example.units;

import static org.example.units.Near.assertNear;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class QuantityTest {
    private static final Unit METRE = new Unit("m", 1, Dimension.LENGTH);
    private static final Unit KILOMETRE = new Unit("km", 1000, Dimension.LENGTH);
    private static final Unit SECOND = new Unit("s", 1, Dimension.TIME);

    @Test
    void converts() {
        assertNear(3000, new Quantity(3, KILOMETRE).in(METRE));
        Quantity length = new Quantity(3, METRE);
        assertThrows(UnitException.class, () -> length.in(SECOND));
    }

    @Test
    void adds() {
        Quantity length = new Quantity(3, KILOMETRE);
        assertNear(3.2, length.plus(new Quantity(200, METRE)));
        assertThrows(UnitException.class, () -> length.plus(new Quantity(1, SECOND)));
    }

    @Test
    void subtracts() {
        assertNear(2.8, new Quantity(3, KILOMETRE).minus(new Quantity(200, METRE)));
    }

    @Test
    void multipliesByNumbers() {
        Quantity found = new Quantity(3, METRE).times(2.5);
        assertNear(7.5, found);
        assertEquals("m", found.unit().symbol());
    }

    @Test
    void multipliesByQuantities() {
        Quantity found = new Quantity(3, METRE).times(new Quantity(2, SECOND));
        assertNear(6, found);
        assertEquals("m*s", found.unit().symbol());
    }

    @Test
    void compares() {
        assertTrue(new Quantity(1, METRE).compareTo(new Quantity(2, METRE)) < 0);
        assertTrue(new Quantity(1, KILOMETRE).compareTo(new Quantity(2, METRE)) > 0);
    }

    @Test
    void showsValueAndUnit() {
        assertEquals("3 km", new Quantity(3, KILOMETRE).toString());
        assertEquals("0.5 km", new Quantity(0.5, KILOMETRE).toString());
    }
}
