package org.example.units;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LengthScaleTest extends ScaleContract {
    @Override
    Scale scale() {
        return new Scale(Units.find("m"), 5);
    }

    @Test
    void countsFromZero() {
        assertEquals("0 [m]", scale().label(0));
    }

    @Test
    void countsInFives() {
        assertEquals("15 [m]", scale().label(3));
    }
}
