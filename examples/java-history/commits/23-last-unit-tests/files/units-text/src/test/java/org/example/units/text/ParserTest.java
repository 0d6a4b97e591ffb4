package org.example.units.text;

import static org.junit.Assert.assertEquals;

import org.example.units.Quantity;
import org.junit.Ignore;
import org.junit.Test;

public class ParserTest {
    @Test
    public void readsOneQuantity() {
        assertEquals(3.5, Parser.parse("3.5 km").value(), 0.001);
    }

    @Test
    public void readsSums() {
        Quantity found = Parser.parse("1 km + 200 m");
        assertEquals("m", found.unit().symbol());
        assertEquals(1200, found.value(), 0.001);
    }

    @Ignore("products come later")
    @Test
    public void readsProducts() {
        assertEquals("m*m", Parser.parse("2 m * 2 m").unit().symbol());
    }

    @Test
    public void readsDifferences() {
        assertEquals(800, Parser.parse("1 km - 200 m").value(), 0.001);
    }
}
