package org.example.units.table;

import java.util.ArrayList;
import java.util.List;
import org.example.units.Quantity;
import org.example.units.Units;

/** One quantity in several units. */
public final class Table {
    private Table() {
    }

    public static List<String> rows(Quantity quantity, String... symbols) {
        List<String> found = new ArrayList<>();
        for (String symbol : symbols) {
            found.add("- " + quantity.in(Units.find(symbol)));
        }
        return found;
    }
}
