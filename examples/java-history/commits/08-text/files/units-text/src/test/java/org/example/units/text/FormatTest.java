package org.example.units.text;

import junit.framework.TestCase;
import org.example.units.Quantity;
import org.example.units.Units;

public class FormatTest extends TestCase {
    public void testRoundsHalves() {
        assertEquals("2.4 m", Format.rounded(metres(2.45), 1));
    }

    public void testRoundsNegativeHalves() {
        assertEquals("-2.4 m", Format.rounded(metres(-2.45), 1));
    }

    public void testRoundsToWholeNumbers() {
        assertEquals("3 m", Format.rounded(metres(2.7), 0));
    }

    private Quantity metres(double value) {
        return new Quantity(value, Units.find("m"));
    }
}
