package org.example.units.table;

import static org.testng.Assert.assertEquals;

import java.util.Arrays;
import org.example.units.Quantity;
import org.example.units.Units;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

@Test
public class TableTest {
    private static final Quantity HOUR = new Quantity(1, Units.find("h"));

    public void hasARowForEachUnit() {
        assertEquals(Table.rows(HOUR, "min", "s"), Arrays.asList("- 60 min", "- 3600 s"));
    }

    @Test(dataProvider = "units")
    public void converts(String symbol, String expected) {
        assertEquals(Table.rows(HOUR, symbol).get(0), "- " + expected);
    }

    @DataProvider(name = "units")
    public Object[][] units() {
        return new Object[][] {{"h", "1 h"}, {"min", "60 min"}};
    }
}
