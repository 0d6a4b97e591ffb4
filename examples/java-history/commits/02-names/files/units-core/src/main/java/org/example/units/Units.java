package org.example.units;

import java.util.LinkedHashMap;
import java.util.Map;

/** The units that are known by name. */
public final class Units {
    private static final Map<String, Unit> KNOWN = new LinkedHashMap<>();

    static {
        add("m", 1, Dimension.LENGTH);
        add("km", 1000, Dimension.LENGTH);
    }

    private Units() {
    }

    /** The unit of that symbol. */
    public static Unit find(String symbol) {
        Unit found = KNOWN.get(symbol);
        if (found == null) {
            throw new UnitException("no unit is called " + symbol);
        }
        return found;
    }

    private static void add(String symbol, double factor, Dimension dimension) {
        KNOWN.put(symbol, new Unit(symbol, factor, dimension));
    }
}
