package org.example.units.text;

import static org.junit.Assert.assertEquals;

import org.example.units.Quantity;
import org.example.units.Units;
import org.junit.Test;

public class HalfTest {
    @Test
    public void roundsAHalfUp() {
        assertEquals("½ is 1", "1 m", Format.rounded(new Quantity(0.5, Units.find("m")), 0));
    }
}
