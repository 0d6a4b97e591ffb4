package org.example.units.text;

import static org.junit.Assert.assertEquals;

import org.example.units.Quantity;
import org.junit.Test;

public class ParserTest {
    @Test
    public void readsOneQuantity() {
        assertEquals(3.5, Parser.parse("3.5 km").value(), 0.001);
    }

    @Test
    public void readsSums() {
        Quantity found = Parser.parse("1 km + 200 m");
        assertEquals("km", found.unit().symbol());
        assertEquals(1.2, found.value(), 0.001);
    }

    @Test
    public void readsDifferences() {
        assertEquals(0.8, Parser.parse("1 km - 200 m").value(), 0.001);
    }
}
