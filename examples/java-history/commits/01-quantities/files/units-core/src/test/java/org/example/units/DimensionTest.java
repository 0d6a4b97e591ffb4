package org.example.units;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

class DimensionTest {
    @Test
    void multiplies() {
        Dimension area = Dimension.LENGTH.times(Dimension.LENGTH);
        assertNotEquals(Dimension.LENGTH, area);
        assertEquals(Dimension.LENGTH, area.over(Dimension.LENGTH));
    }

    @Test
    void hasPowers() {
        assertEquals(Dimension.NONE, Dimension.TIME.power(0));
        assertEquals(Dimension.TIME.times(Dimension.TIME), Dimension.TIME.power(2));
    }
}
