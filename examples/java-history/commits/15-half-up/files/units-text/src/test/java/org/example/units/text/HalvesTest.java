package org.example.units.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.example.units.Quantity;
import org.example.units.Units;
import org.junit.jupiter.api.Test;

class HalvesTest {
    @Test
    void roundsUp() {
        assertEquals("0.5 m", Format.rounded(new Quantity(0.45, Units.find("m")), 1));
    }
}
