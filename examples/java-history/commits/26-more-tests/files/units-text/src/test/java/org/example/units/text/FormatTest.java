package org.example.units.text;

import junit.framework.TestCase;
import org.example.units.Quantity;
import org.example.units.Units;

public class FormatTest extends TestCase {
    public void testRoundsHalves() {
        assertEquals("2.5 m", Format.rounded(metres(2.46), 1));
    }

    public void testRoundsNegativeHalves() {
        assertEquals("-2.5 m", Format.rounded(metres(-2.45), 1));
    }

    public void testRoundsToWholeNumbers() {
        assertEquals("3 m", Format.rounded(metres(2.7), 0));
    }

    public void testPads() {
        assertEquals("    2.5 m", Format.padded(metres(2.46), 1, 9));
    }

    public void testPadsNothingLong() {
        assertEquals("1000000 m", Format.padded(metres(1000000), 0, 5));
    }

    private Quantity metres(double value) {
        return new Quantity(value, Units.find("m"));
    }
}
